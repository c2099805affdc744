// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/elaborate.h"

#include <cmath>
#include <limits>
#include <map>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/check_values.h"
#include "compiler/sema/elaborator.h"
#include "compiler/sema/settings.h"

namespace mbc::sema {

using graph::LeafKind;

namespace {

std::string spelled(ast::ModifierKind k) {
  switch (k) {
    case ast::ModifierKind::at:
      return "at";
    case ast::ModifierKind::moving:
      return "moving";
    case ast::ModifierKind::rotated:
      return "rotated";
    case ast::ModifierKind::spinning:
      return "spinning";
    case ast::ModifierKind::follows:
      return "follows";
    case ast::ModifierKind::on:
      return "on";
    case ast::ModifierKind::from:
      return "from";
    case ast::ModifierKind::rate:
      return "rate";
    case ast::ModifierKind::nonideal:
      return "nonideal";
  }
  return "?";
}

// "`a`, `b`, ..."
std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string list;
  for (std::size_t k = 0; k < names.size() && k < most; ++k) list += (k == 0 ? "`" : ", `") + printable(names[k]) + "`";
  return names.size() > most ? list + ", ..." : list;
}

}  // namespace

Model Elaborator::run(const ast::File& file, std::vector<Query>* queries, const Structure& shape) {
  model_.has_units = units_written(file);
  for (const auto& module : modules_read_.all())
    if (!module->standard) model_.has_units |= units_written(module->file);
  structure(file);
  for (const auto& s : file.statements)
    if (const auto* u = std::get_if<ast::Use>(&s->node)) use(*u, scope_);
  choose_bodies(file, shape);
  block(file.statements, scope_, scope_);
  expanded_ = true;
  if (!too_large_) {
    const Written all = written();
    refuse_size(all.declarations, all.passes, all.bytes, "what is written here", file.version_span);
  }
  check_components_never_made();
  if (too_large_) return std::move(model_);
  reserve();
  for (int rank = 0; rank <= 5; ++rank)
    for (std::size_t k = 0; k < order_.size() && !sink_.full(); ++k) {
      if (this->rank(items_[order_[k]]) == rank) ensure(order_[k]);
    }
  finish_states();
  check_quasi_velocities();
  record_followers();
  check_masses();
  for (const Final& f : finals_) {
    item_scope_ = f.scope;
    if (const auto* init = std::get_if<ast::Init>(&f.statement->node)) initial_values(*init);
    if (const auto* sim = std::get_if<ast::Simulate>(&f.statement->node))
      model_.simulations.push_back(
          simulation(*sim, f.statement->span, *f.scope, model_, evaluator_, overrides_, sink_));
  }
  start_bodies();
  item_scope_ = &scope_;
  tests(file);
  if (!queries) sweeps(shape.sweep);
  if (queries)
    for (Query& q : *queries) q.answer = evaluator_.evaluate(*q.expression, scope_);
  ideal_without_loads(queries);
  if (!queries && model_.coordinates.empty() && !sink_.has_errors())
    sink_.report(Kind::nothing_moves, file.version_span);
  check_initial_values();
  check_overrides();
  return std::move(model_);
}

// Exact for free particles and single rows, which the largest models are made of: nothing is moved while they grow.
void Elaborator::reserve() {
  std::size_t particles = 0, constraints = 0;
  for (const ItemId id : order_) {
    const ast::Stmt* s = items_[id].statement;
    const auto* e = s ? std::get_if<ast::Entity>(&s->node) : nullptr;
    if (e && e->kind == ast::Entity::Kind::particle && !modifier(e->modifiers, ast::ModifierKind::follows)) ++particles;
    if (s && std::holds_alternative<ast::Constraint>(s->node)) ++constraints;
  }
  model_.particles.reserve(particles);
  model_.coordinates.reserve(model_.space * particles);
  model_.speeds.reserve(model_.space * particles);
  model_.constraints.reserve(constraints);
  model_.equations.reserve(constraints);
}

// Nothing more is added.
static void settle(Model& model) {
  model.graph.settle();
  model.coordinates.shrink_to_fit();
  model.speeds.shrink_to_fit();
  model.bodies.shrink_to_fit();
  model.constraints.shrink_to_fit();
  model.equations.shrink_to_fit();
  model.outputs.shrink_to_fit();
}

// Loads of `nonideal` blocks come after all constraints, whose `.ideal` they may hold: the order of rows is the text's.
int Elaborator::rank(const Item& item) const {
  return item.statement && !nonideal_.contains(item.statement) ? rank_of(*item.statement) : 5;
}

// What shapes everything else: the dimension of space.
void Elaborator::structure(const ast::File& file) {
  Span first;
  for (const auto& s : file.statements)
    if (const auto* space = std::get_if<ast::Space>(&s->node)) {
      if (first.known())
        sink_.report(Kind::repeated_statement, s->span, std::string("space")).label(first, "first given here");
      first = s->span;
      // a literal: nothing else is known before the model has its shape
      const auto* n = std::get_if<ast::Number>(&space->dimension->node);
      if (!n || (n->value != 1 && n->value != 2 && n->value != 3))
        sink_.report(Kind::space_value, space->dimension->span, printable(sources_.text(space->dimension->span)));
      else
        model_.space = static_cast<std::uint32_t>(n->value);
    }
  if (sink_.has_errors()) evaluator_.accept_any_length();
}

void Elaborator::set_symbol(const ast::Declared& d, Value v) {
  if (!item_symbol_) return;  // the name was refused
  v.declared = d.span;
  item_symbol_->value = std::move(v);
}

std::string Elaborator::path_of_item() const {
  const Scope::Instance* owner = item_scope_->owner();
  return owner ? owner->path : "";
}

void Elaborator::statement(const ast::Stmt& s) {
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, ast::Param>) return param(n, s);
        if constexpr (std::is_same_v<T, ast::Let>) return let(n);
        if constexpr (std::is_same_v<T, ast::Gravity>) return gravity(n, s);
        if constexpr (std::is_same_v<T, ast::Constraint>) return constraint(n, s);
        if constexpr (std::is_same_v<T, ast::Output>) return output(n);
        if constexpr (std::is_same_v<T, ast::Entity>) {
          if (n.kind == ast::Entity::Kind::particle) return particle(n, s);
          if (n.kind == ast::Entity::Kind::body) return body(n, s);
          if (n.kind == ast::Entity::Kind::point) return point(n);
          return frame(n);
        }
        if constexpr (std::is_same_v<T, ast::Load>) {
          switch (n.kind) {
            case ast::Load::Kind::force:
              return force(n, s);
            case ast::Load::Kind::load:
              return generalised_load(n, s);
            case ast::Load::Kind::torque:
              return torque(n, s);
            case ast::Load::Kind::potential:
            case ast::Load::Kind::dissipation:
            case ast::Load::Kind::kinetic:
              return energy_term(n, s);
          }
        }
        if constexpr (std::is_same_v<T, ast::Coord>) return coord(n);
        if constexpr (std::is_same_v<T, ast::Speed>) return quasi_velocity(n, s);
        if constexpr (std::is_same_v<T, ast::StateVar>) return state(n, s);
        if constexpr (std::is_same_v<T, ast::Input>) return input(n, s);
        if constexpr (std::is_same_v<T, ast::When>) return refuse(n.is_time ? "an event `at`" : "`when`", s.span);
        if constexpr (std::is_same_v<T, ast::ExprStmt>) return refuse("an expression as a statement of a file", s.span);
      },
      s.node);
}

const Override* Elaborator::override_for(const std::string& path) const {
  const Override* last = nullptr;
  for (const Override& o : overrides_)
    if (o.path == path) {
      o.used = true;
      last = &o;
    }
  return last;
}

// A value from outside; a bare number is taken in the SI unit of what it replaces.
std::optional<NodeId> Elaborator::override_value(const Override& o, const Dimension& wanted, const std::string& what) {
  const Value other = evaluator_.evaluate(*o.value, scope_);
  if (!evaluator_.expect_scalar(other, what) || !evaluator_.expect_constant(other, what)) return {};
  if (!model_.has_units && !other.type.dimension.dimensionless()) {
    sink_.report(Kind::override_value, o.span, printable(o.path), std::string("the model has no units"));
    return {};
  }
  const bool bare = other.type.dimension.dimensionless() && evaluator_.number(other).has_value();
  if (!bare && !evaluator_.expect_dimension(other, wanted, what)) return {};
  return other.node();
}

// param R = 0.3 [m]: data of the run.   param n: int = 3: shapes the model, known while it is elaborated.
void Elaborator::param(const ast::Param& p, const ast::Stmt& s) {
  const bool data = p.type.empty() || p.type == "number" || p.type == "real";
  if (!data && p.type != "int") {
    sink_.report(Kind::unknown_type, p.name.span, printable(p.type))
        .hint("a `param` is a number, or `int` when it shapes the model; a `let` holds anything else");
    return;
  }
  if (!p.value) return refuse("a parameter without a value", p.name.span);
  Value v = value(*p.value);
  const std::string what = "the parameter " + quoted(item_name_);
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return;
  const Override* o = override_for(item_name_);
  Param made{item_name_, v.type.dimension, v.node(), p.name.span, s.doc, false};
  if (o) {
    const std::optional<NodeId> other = override_value(*o, v.type.dimension, what);
    if (!other) return;
    made.value = *other;
    made.overridden = true;
  }
  if (!data) {
    Value whole = evaluator_.scalar(made.value, v.type.dimension, Level::constant, o ? o->value->span : v.span);
    whole = evaluator_.converted(whole, "int", what, {});
    if (whole.invalid()) return;
    settable_.push_back(item_name_);
    return set_symbol(p.name, whole);
  }
  const auto index = static_cast<std::uint32_t>(model_.params.size());
  model_.params.push_back(made);
  Value symbol =
      evaluator_.scalar(model_.graph.leaf(LeafKind::param, index), v.type.dimension, Level::constant, p.name.span);
  symbol.type.any_dimension = false;
  set_symbol(p.name, symbol);
}

void Elaborator::let(const ast::Let& l) {
  Value v = value(*l.value);
  set_symbol(l.name, std::move(v));
}

const ast::Expr* Elaborator::modifier(const std::vector<ast::Modifier>& list, ast::ModifierKind kind) {
  const ast::Modifier* found = nullptr;
  for (const ast::Modifier& m : list)
    if (m.kind == kind) found = &m;  // the parser refuses a second one
  return found ? found->value.get() : nullptr;
}

void Elaborator::refuse_modifiers(const std::vector<ast::Modifier>& list,
                                  std::initializer_list<ast::ModifierKind> allowed, const std::string& what) {
  for (const ast::Modifier& m : list) {
    bool ok = false;
    for (ast::ModifierKind k : allowed) ok |= m.kind == k;
    if (!ok) sink_.report(Kind::modifier_unfit, m.span, spelled(m.kind), what);
  }
}

void Elaborator::check_masses() {
  if (!sink_.has_errors()) sema::check_masses(model_, parameter_values(model_), sink_);
}

void Elaborator::check_initial_values() {
  if (sink_.has_errors()) return;
  sema::check_initial_values(model_, parameter_values(model_), sink_);
  check_initial_targets();
}

void Elaborator::check_overrides() {
  for (const Override& o : overrides_) {
    const bool declared = scope_.find_here(o.path) != nullptr;
    if (o.used || (declared && sink_.has_errors())) continue;  // a declaration that was refused takes no value
    std::vector<std::string> known;
    for (const Param& p : model_.params) known.push_back(p.name);
    known.insert(known.end(), settable_.begin(), settable_.end());
    for (const Input& i : model_.inputs) known.push_back(i.name);
    for (const Simulation& s : model_.simulations)
      for (const char* key :
           {"time.begin", "time.end", "time.step", "integrator", "formulation", "stabilise", "save", "bodies"})
        known.push_back(s.name.empty() ? key : s.name + "." + key);
    Diagnostic& d = sink_.report(Kind::unknown_override, o.span, printable(o.path));
    if (declared)
      d.hint("it is declared, but not with `param` or `input`");
    else if (const std::string near = nearest(o.path, known); !near.empty())
      d.hint("did you mean `" + near + "`?");
    else if (!known.empty())
      d.hint("what can be set: " + listed(known, 4));
  }
}

Model elaborate(const ast::File& file, const SourceSet& sources, const ModuleSet& modules,
                const std::vector<Override>& overrides, Sink& sink, std::vector<Query>* queries,
                const Structure& structure) {
  Model model = Elaborator(sources, modules, overrides, sink).run(file, queries, structure);
  settle(model);  // when what it was made with is gone
  return model;
}

std::vector<double> constant_values(const Model& model, const std::vector<NodeId>& nodes,
                                    const std::vector<double>& params) {
  return graph::evaluate(model.graph, nodes, [&](const graph::Node& n) {
    return n.leaf == LeafKind::param && n.a < params.size() ? params[n.a] : std::numeric_limits<double>::quiet_NaN();
  });
}

std::vector<double> parameter_values(const Model& model, const std::vector<std::pair<std::uint32_t, double>>& set) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < model.params.size(); ++i) {
    values.push_back(constant_values(model, {model.params[i].value}, values)[0]);
    for (const auto& [index, value] : set)
      if (index == i) values[i] = value;
  }
  return values;
}

}  // namespace mbc::sema
