// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/tests.h"

#include <cmath>
#include <map>
#include <string>

#include "base/numbers.h"
#include "base/text.h"
#include "base/time_steps.h"
#include "compiler/ast/walk.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

namespace {

using When = problem::Check::When;
using Relation = problem::Check::Relation;

// Returns the first `a == b` in an expression: exact equality of computed numbers is an accident of rounding.
const ast::Compare* exact_equality(const ast::Expr& e) {
  if (const auto* c = std::get_if<ast::Compare>(&e.node); c && c->op == ast::CompareOp::eq) return c;
  const ast::Compare* found = nullptr;
  ast::for_each_part(e, [&](const ast::Expr& part) {
    if (!found) found = exact_equality(part);
  });
  return found;
}

Relation relation_of(ast::CompareOp op) {
  switch (op) {
    case ast::CompareOp::lt:
    case ast::CompareOp::le:
      return Relation::below;
    case ast::CompareOp::gt:
    case ast::CompareOp::ge:
      return Relation::above;
    case ast::CompareOp::eq:
    case ast::CompareOp::ne:
      break;
  }
  return Relation::unequal;
}

class Tests : private Statement {
 public:
  explicit Tests(Elaboration& shared) : Statement(shared) {}
  // Runs after everything else: a test may use outputs and `simulate` blocks further down.
  void read(const ast::File& file) {
    evaluator_.inside_test(true);
    for (const auto& s : file.statements)
      if (const auto* t = std::get_if<ast::Test>(&s->node); t && !sink_.full()) test(*t, *s, shared_.scope);
    evaluator_.inside_test(false);
  }

 private:
  void test(const ast::Test& t, const ast::Stmt& s, const Scope& scope) {
    const std::optional<std::uint32_t> run = run_named(t.over, Kind::test_over_unknown, t.over_span);
    if (!run) return;
    if (t.title.empty()) return void(sink_.report(Kind::test_unfit, s.span, "the test has no title"));
    if (t.checks.empty())
      return void(sink_.report(Kind::test_unfit, s.span, "the test " + quoted(t.title) + " checks nothing"));
    if (const auto [first, fresh] = titles_.try_emplace(t.title, s.span); !fresh)
      return void(sink_.report(Kind::test_unfit, s.span, "two tests have the title " + quoted(t.title))
                      .label(first->second, "the first"));
    Test made{t.title, *run, {}, s.span};
    for (const ast::Check& c : t.checks) check(c, *c.condition, scope, made);
    model_.tests.push_back(std::move(made));
  }

  // A conjunction becomes one check for each of its parts, so that a failure shows the part.
  void check(const ast::Check& c, const ast::Expr& e, const Scope& scope, Test& out) {
    if (!ends_with_clauses(c)) return;
    if (const auto* l = std::get_if<ast::Logic>(&e.node); l && l->conjunction && !c.within) {
      for (const ast::ExprPtr& part : l->operands) check(c, *part, scope, out);
      return;
    }
    Check made;
    made.check.span = e.span;
    if (!comparable(c, e, scope)) return;
    const auto* compare = std::get_if<ast::Compare>(&e.node);
    const bool equal = compare && compare->op == ast::CompareOp::eq;
    const std::size_t first = model_.probes.size();
    if (equal ? !equation(c, *compare, e.span, scope, made) : !condition(e, scope, made)) return;
    if (!moment(c, scope, model_.simulations[out.simulation], made)) return;
    const std::vector<NodeId> values(model_.probes.begin() + static_cast<std::ptrdiff_t>(first), model_.probes.end());
    if (made.check.when != When::end && holds_run_value(model_, values, true))
      return void(sink_.report(Kind::run_value_early, e.span)
                      .hint("without `always` and `at` the check is made at the end of the run"));
    out.checks.push_back(made);
  }

  // Reports a `within` or `at` that does not end a check.
  bool ends_with_clauses(const ast::Check& c) {
    for (const ast::ExprPtr* clause : {&c.within, &c.at})
      if (*clause && std::holds_alternative<ast::Logic>((*clause)->node)) {
        const std::string word = clause == &c.within ? "`within`" : "`at`";
        return mbc::refuse(sink_, Kind::check_clause, (*clause)->span,
                           word + " is the end of a check: what comes after it is its value")
            .hint("put what follows `and` into a check of its own");
      }
    return true;
  }

  // Checks that `within` belongs to an equation, and that an equation has it.
  bool comparable(const ast::Check& c, const ast::Expr& e, const Scope& scope) {
    const auto* compare = std::get_if<ast::Compare>(&e.node);
    const bool equation = compare && compare->op == ast::CompareOp::eq;
    if (c.within && !equation)
      return mbc::refuse(sink_, Kind::check_clause, c.within->span, "`within` belongs to an equation `a == b`");
    if (equation && !c.within && whole(*compare, scope)) return true;
    if (const ast::Compare* exact = equation && c.within ? nullptr : exact_equality(e))
      return mbc::refuse(sink_, Kind::check_needs_within, exact->op_span)
          .hint(exact == compare ? "say how near: `check a == b within 1e-9`" : "write `abs(a - b) < 1e-9`");
    return true;
  }

  // Returns whether both sides are whole numbers: made of counts of events, labels of machines and numbers.
  [[nodiscard]] bool whole(const ast::Compare& e, const Scope& scope) {
    if (model_.events.empty()) return false;
    const graph::Graph& g = model_.graph;
    bool counts = false;
    const auto is_whole = [&](NodeId id) {
      const Node& n = g.node(id);
      if (g.is_constant(id)) return g.constant_value(id) == std::floor(g.constant_value(id));
      if (n.op == Op::add || n.op == Op::sub || n.op == Op::mul || n.op == Op::neg) return true;
      const std::optional<std::uint32_t> k = model_.discrete_index(n);
      if (!k) return false;
      const problem::DiscreteVariable& of = model_.held[*k].variable;
      const bool whole = of.use == problem::DiscreteVariable::Use::count || of.labels != nullptr;
      counts = counts || whole;
      return whole;
    };
    for (const ast::ExprPtr* side : {&e.lhs, &e.rhs}) {
      const Value v = evaluator_.evaluate(**side, scope);
      if (!v.scalar()) return false;
      for (NodeId id : graph::reachable(g, v.nodes))
        if (!is_whole(id)) return false;
    }
    return counts;
  }

  // Returns the number of an event, or of the touch of an inequality.
  [[nodiscard]] std::optional<std::uint32_t> event_named(const Value& v) const {
    if (v.type.shape == Shape::event) return v.index;
    for (const Unilateral& u : model_.unilaterals)
      if (v.type.shape == Shape::constraint && u.constraint == v.index) return u.contact.touches;
    return {};
  }

  // Reads the time of a check: at the end, at every row, at one of the output times begin + i*step, or at an event.
  bool moment(const ast::Check& c, const Scope& scope, const Simulation& run, Check& out) {
    if (c.always) out.check.when = When::always;
    if (!c.at) return true;
    if (c.always) return mbc::refuse(sink_, Kind::check_clause, c.at->span, "`always` and `at` exclude each other");
    const Value at = evaluator_.evaluate(*c.at, scope);
    if (const std::optional<std::uint32_t> event = event_named(at)) {
      out.check.when = When::event;
      out.check.event = *event;
      return true;
    }
    const std::string what = "the time of a check";
    if (!evaluator_.expect_scalar(at, what) || !evaluator_.expect_constant(at, what) ||
        !evaluator_.expect_dimension(at, time_dimension(), what))
      return false;
    if (!(run.step > 0) || !std::isfinite(run.begin) || !std::isfinite(run.end)) return false;  // reported there
    out.check.when = When::at;
    const double t = constant_values(model_, {at.node()}, parameter_values(model_))[0];
    if (!(run.end > run.begin)) return false;
    const TimeSteps steps =
        run.row_times.empty() ? TimeSteps::over(run.begin, run.end, run.step) : TimeSteps::at(run.row_times);
    out.check.time = t;
    const std::uint64_t nearest_row = std::isfinite(t) ? steps.nearest(t) : 0;
    if (std::isfinite(t) && steps.leads_to(t)) {
      out.check.row = nearest_row;
      return true;
    }
    out.check.row = problem::Check::kNoRow;
    if (!shared_.overrides.all().empty())
      return true;  // reported when the test is run: other runs may have other time spans
    const std::string unit = model_.has_units ? " [s]" : "";
    return mbc::refuse(sink_, Kind::check_time, c.at->span, text::short_number(t, 10) + unit)
        .hint("the nearest row is at t = " + text::short_number(steps.time_of(nearest_row), 10) + unit);
  }

  bool equation(const ast::Check& c, const ast::Compare& e, Span span, const Scope& scope, Check& out) {
    const Value difference = evaluator_.operators().difference(e, span, scope);
    const Value limit = c.within ? evaluator_.evaluate(*c.within, scope)
                                 : evaluator_.scalar(model_.graph.zero(), {}, Level::constant, span);
    if (difference.invalid() || !evaluator_.expect_scalar(limit, "what stands after `within`")) return false;
    if (!difference.type.any_dimension &&
        !evaluator_.expect_dimension(limit, difference.type.dimension, "what stands after `within`"))
      return false;
    if (c.within && evaluator_.is_fixed(limit)) {
      const double n = constant_values(model_, {limit.node()}, parameter_values(model_))[0];
      if (!std::isfinite(n) || n < 0)
        return mbc::refuse(sink_, Kind::setting_value, c.within->span, "within",
                           n < 0 ? "a number that is not negative" : "a finite number");
    }
    const Value lhs = evaluator_.evaluate(*e.lhs, scope), rhs = evaluator_.evaluate(*e.rhs, scope);
    out.check.relation = Relation::equal;
    out.check.width = static_cast<std::uint32_t>(lhs.nodes.size());
    out.dimension = difference.type.dimension;
    out.check.lhs = add_probe(model_, lhs);
    out.check.rhs = add_probe(model_, rhs);
    out.check.limit = add_probe(model_, limit);
    return true;
  }

  bool condition(const ast::Expr& e, const Scope& scope, Check& out) {
    const Value checked = evaluator_.evaluate(e, scope);
    if (checked.invalid()) return false;
    if (checked.type.shape != Shape::boolean)
      return mbc::refuse(sink_, Kind::wrong_shape, e.span, "what is checked", "a condition", describe_shape(checked));
    out.check.condition = add_probe(model_, checked);
    const auto* compare = std::get_if<ast::Compare>(&e.node);
    if (!compare) return true;
    const Value lhs = evaluator_.evaluate(*compare->lhs, scope), rhs = evaluator_.evaluate(*compare->rhs, scope);
    out.check.relation = relation_of(compare->op);
    out.check.width = 1;
    out.dimension = lhs.type.any_dimension ? rhs.type.dimension : lhs.type.dimension;
    out.check.lhs = add_probe(model_, lhs);
    out.check.rhs = add_probe(model_, rhs);
    return true;
  }

  std::map<std::string, Span> titles_;  // of the tests that were read
};

}  // namespace

void read_tests(Elaboration& shared, const ast::File& file) { Tests(shared).read(file); }

}  // namespace mbc::sema
