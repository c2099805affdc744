// SPDX-License-Identifier: Apache-2.0
// What only a test can say: initial(e), final(e), min_over(e), max_over(e), which speak of a whole run, and
// `residuals`. A run value is an input leaf of the graph; whoever runs the test gives it its value
// (runtime/simulation/check_run.h).
#include "base/diagnostics/render.h"
#include "compiler/ad/motion.h"
#include "compiler/sema/evaluate.h"

namespace mbc::sema {

using graph::LeafKind;
using Of = RunValue::Kind;

namespace {

Of kind_of(const std::string& callee) {
  if (callee == "initial") return Of::initial;
  if (callee == "final") return Of::final;
  return callee == "min_over" ? Of::minimum : Of::maximum;
}

}  // namespace

bool Evaluator::holds_run_value(const std::vector<NodeId>& nodes, bool known_late) const {
  if (model_.run_values.empty()) return false;
  for (NodeId id : graph::leaves(model_.graph, nodes)) {
    const graph::Node& n = model_.graph.node(id);
    if (n.leaf != LeafKind::input || n.a < model_.first_run_value()) continue;
    if (!known_late || model_.run_values[n.a - model_.first_run_value()].kind != Of::initial) return true;
  }
  return false;
}

Value Evaluator::run_value(const std::string& callee, const Args& args, Span span) {
  const std::string shown = "`" + callee + "`";
  if (!in_test_) {
    sink_.report(Kind::only_in_tests, span, shown)
        .hint("the results of a run are looked at by `test` and `sweep` blocks");
    return invalid(span);
  }
  if (!arity_is(callee, args, 1, 1, span)) return invalid(span);
  const Value& e = args[0];
  const Of kind = kind_of(callee);
  const bool extreme = kind == Of::minimum || kind == Of::maximum;
  if (extreme || !e.vector()) {
    if (!expect_scalar(e, "the argument of " + shown)) return invalid(span);
  }
  if (holds_run_value(e.nodes, kind != Of::initial)) {
    sink_.report(Kind::run_value_nested, e.span, shown)
        .hint(kind == Of::initial ? "" : "`initial(..)` is known from the beginning and may stand there");
    return invalid(span);
  }
  Value r = e;
  r.span = span;
  r.declared = {};
  for (NodeId& n : r.nodes) {
    std::uint32_t k = 0;
    while (k < model_.run_values.size() &&
           (model_.run_values[k].kind != kind || model_.watched[model_.run_values[k].watched] != n))
      ++k;
    if (k == model_.run_values.size()) {
      model_.run_values.push_back({kind, static_cast<std::uint32_t>(model_.watched.size())});
      model_.watched.push_back(n);
    }
    n = model_.graph.leaf(LeafKind::input, model_.first_run_value() + k);
  }
  return r;
}

// Every row as it is written, and of a row at position level its rate; as pure numbers, since rows differ in dimension.
Value Evaluator::residuals(Span span) {
  Value r = invalid(span);
  if (!in_test_) {
    sink_.report(Kind::only_in_tests, span, std::string("`residuals`"))
        .hint("of one constraint there is `.residual`, everywhere");
    return r;
  }
  if (model_.equations.empty()) {
    if (!sink_.has_errors()) sink_.report(Kind::no_residuals, span);  // else they may be among what is wrong
    return r;
  }
  if (residuals_.empty()) {
    for (const Equation& e : model_.equations) residuals_.push_back(e.residual);
    for (const Equation& e : model_.equations)
      if (e.level == Level::position)
        residuals_.push_back(ad::time_derivative(model_.graph, e.residual, model_.motion()));
  }
  r.type = {Shape::vector, {}, false};
  r.nodes = residuals_;
  r.level = Level::acceleration;
  return r;
}

}  // namespace mbc::sema
