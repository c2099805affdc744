// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/run_values.h"

#include "compiler/ad/motion.h"

namespace mbc::sema {

using Of = RunValue::Kind;

namespace {

Of kind_of(const std::string& callee) {
  if (callee == "initial") return Of::initial;
  if (callee == "final") return Of::final;
  return callee == "min_over" ? Of::minimum : Of::maximum;
}

// Returns the leaf of the value that an expression has at the beginning of a run: a discrete state, which an event of
// its own sets there. The time of that event is `t`, which is read when a run begins.
NodeId value_at_begin(Model& model, NodeId e, const Dimension& dimension, Span span) {
  if (const auto known = model.held_at_begin.find(e.value); known != model.held_at_begin.end())
    return model.discrete(known->second);
  const std::string name = "initial(" + std::to_string(model.held.size() + 1) + ")";
  const std::uint32_t held = model.add_held(problem::DiscreteVariable::Use::state, name, dimension, span);
  model.held[held].changed = model.held[held].at_begin = true;
  model.held_at_begin[e.value] = held;
  Event event;
  event.kind = Event::Kind::samples;
  event.name = name;
  event.span = span;
  event.value = model.add_value(model.graph.leaf(LeafKind::time, 0));
  event.actions.push_back({EventAction::Kind::held, held, model.add_value(e), span});
  event.count = model.add_held(problem::DiscreteVariable::Use::count, name + ".count", {}, span);
  event.time = model.add_held(problem::DiscreteVariable::Use::time, name + ".time", {}, span);
  model.events.push_back(std::move(event));
  return model.discrete(held);
}

bool holds_value_at_begin(const Model& model, const std::vector<NodeId>& nodes) {
  for (const Node& n : graph::leaves(model.graph, nodes))
    if (const auto held = model.discrete_index(n); held && model.held[*held].at_begin) return true;
  return false;
}

}  // namespace

void list_held_at_begin(Model& model) {
  model.held_at_begin.clear();
  for (const Event& event : model.events)
    if (event.begins())
      model.held_at_begin.try_emplace(model.event_values[event.actions[0].value].value, event.actions[0].index);
}

bool holds_run_value(const Model& model, const std::vector<NodeId>& nodes, bool known_late) {
  if (model.run_values.empty()) return false;
  for (const Node& n : graph::leaves(model.graph, nodes)) {
    if (n.leaf != LeafKind::input || n.a < model.first_run_value()) continue;
    if (!known_late || model.run_values[n.a - model.first_run_value()].kind != Of::initial) return true;
  }
  return false;
}

Value RunValues::call(const std::string& callee, const Value& e, Span span) {
  const std::string shown = "`" + callee + "`";
  const Of kind = kind_of(callee);
  if (!context_.inside_test && kind != Of::initial)
    return mbc::refuse(sink_, Kind::only_in_tests, span, shown)
        .hint("the results of a run are looked at by `test` and `sweep` blocks");
  const bool extreme = kind == Of::minimum || kind == Of::maximum;
  if (extreme || !e.vector()) {
    if (!expect_scalar(e, "the argument of " + shown)) return invalid(span);
  }
  if (holds_run_value(model_, e.nodes, kind != Of::initial))
    return mbc::refuse(sink_, Kind::run_value_nested, e.span, shown)
        .hint(kind == Of::initial ? "" : "`initial(..)` is known from the beginning and may stand there");
  if (!context_.inside_test && holds_value_at_begin(model_, e.nodes))
    return mbc::refuse(sink_, Kind::run_value_nested, e.span, shown);
  Value r = e;
  r.span = span;
  r.declared = {};
  if (!context_.inside_test) {
    for (NodeId& n : r.nodes) n = value_at_begin(model_, n, e.type.dimension, span);
    r.level = Level::position;
    return r;
  }
  for (NodeId& n : r.nodes) {
    std::uint32_t k = 0;
    while (k < model_.run_values.size() &&
           (model_.run_values[k].kind != kind || model_.probes[model_.run_values[k].probe] != n))
      ++k;
    if (k == model_.run_values.size()) {
      model_.run_values.push_back({kind, static_cast<std::uint32_t>(model_.probes.size())});
      model_.probes.push_back(n);
    }
    n = model_.graph.leaf(LeafKind::input, model_.first_run_value() + k);
  }
  return r;
}

// Returns every row as written, and the rate of each row at position level. They are pure numbers, since rows differ in
// dimension.
Value RunValues::residuals(Span span) {
  Value r = invalid(span);
  if (!context_.inside_test) {
    sink_.report(Kind::only_in_tests, span, "`residuals`").hint("of one constraint there is `.residual`, everywhere");
    return r;
  }
  if (model_.equations.empty()) {
    if (!sink_.has_errors()) sink_.report(Kind::no_residuals, span);  // else the rows may have been refused
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
