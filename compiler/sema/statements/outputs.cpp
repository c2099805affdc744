// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/outputs.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/sema/statements/bodies.h"

namespace mbc::sema {

namespace {

// Returns whether the columns of a body include this coordinate or speed. They leave out the entries of its rotation
// matrix and the rates of Euler parameters.
bool is_recorded(const Model& model, std::uint32_t index, bool coordinate) {
  for (const Body& b : model.bodies) {
    if (!b.first_coordinate || model.space != 3 || b.representation == Representation::quaternion) continue;
    if (coordinate && b.representation == Representation::euler_parameters) continue;
    if (!coordinate && b.representation == Representation::tree) continue;
    const std::uint32_t first = (coordinate ? *b.first_coordinate : *b.first_speed) + 3;
    const std::uint32_t count = b.representation == Representation::euler_parameters ? 4 : 9;
    if (index >= first && index < first + count) return false;
  }
  return true;
}

}  // namespace

// Returns whether columns of this name are recorded without an `output`.
bool Outputs::is_column(const std::string& name) {
  if (name == "time") return true;
  const Symbol* symbol = shared_.scope.find_here(name);
  if (!symbol || symbol == item_.symbol) return false;
  const Meaning& v = evaluator_.names().value_of(*symbol);
  if (v.type.shape == Shape::particle || v.type.shape == Shape::body) return true;
  return v.scalar() && is_column_of(name, model_.graph.node(v.node()));
}

bool Outputs::is_column_of(const std::string& name, const graph::Node& node) const {
  if (node.op != Op::leaf) return false;
  return (node.leaf == LeafKind::coordinate && model_.coordinate(node.a).name == name) ||
         (node.leaf == LeafKind::state && model_.states[node.a].name == name) ||
         (model_.is_discrete(node, problem::DiscreteVariable::Use::state) && model_.input_name(node.a) == name);
}

// Reports a column called `time`, because the first column of the results is the time.
void Outputs::check_column_of_time() {
  const Symbol* symbol = shared_.scope.find_here("time");
  item_.symbol = nullptr;
  if (!symbol) return;
  const Meaning& v = evaluator_.names().value_of(*symbol);
  const bool recorded = v.scalar() && is_column_of("time", model_.graph.node(v.node()));
  if (recorded)
    sink_.report(Kind::column_taken, symbol->span, "time").hint("its rows begin with the time: take another name");
}

void Outputs::check_column_of_events() {
  const auto by_events = [](const Simulation& s) { return s.rows.method == settings::Rows::events; };
  if (std::none_of(model_.simulations.begin(), model_.simulations.end(), by_events)) return;
  const std::string name = "event";
  const char* const kHelp = "with `rows = events` it tells which event a row belongs to: take another name";
  for (const sema::Output& o : model_.outputs)
    if (o.name == name) sink_.report(Kind::column_taken, o.span, name).hint(kHelp);
  const Symbol* symbol = shared_.scope.find_here(name);
  item_.symbol = nullptr;
  if (symbol && is_column(name)) sink_.report(Kind::column_taken, symbol->span, name).hint(kHelp);
}

// Returns whether an output of this name and value exists.
bool Outputs::shows_already(const std::string& name, const Value& v) const {
  const std::string first = v.vector() ? name + component_text(0, v.nodes.size()) : name;
  return std::any_of(model_.outputs.begin(), model_.outputs.end(),
                     [&](const sema::Output& o) { return o.name == first && o.value == v.nodes.front(); });
}

void Outputs::output(const ast::Output& o) {
  Value v = value(*o.value);
  if (v.invalid()) return;
  count_turns(o.name, v);
  Value shown = v;
  if (o.unit && !show_in(*o.unit, shown)) return;
  if (item_.symbol && !o.name.name.empty()) set_symbol(o.name, v);  // the name still has the value in SI
  std::string name = o.name.name.empty() ? path_of_item() + one_line(sources_.text(o.value->span)) : item_.name();
  // the unit tells it from a column of the same text in SI units
  if (o.name.name.empty() && o.unit) name += " [" + text_of_unit(*o.unit) + "]";
  if (!evaluator_.expect_shown(v)) return;
  const Span place = o.name.name.empty() ? o.value->span : o.name.span;
  if (!first_of_name(o, name, v, place)) return;
  if (!o.name.name.empty() && is_column(name)) return void(sink_.report(Kind::column_taken, place, printable(name)));
  for (std::size_t k = 0; k < v.nodes.size(); ++k) {
    const std::string part = v.vector() ? name + component_text(k, v.nodes.size()) : name;
    model_.outputs.push_back({part, shown.nodes[k], v.type.dimension, o.value->span, false,
                              o.unit ? text_of_unit(*o.unit) : "", item_.scope->owner() != nullptr});
  }
}

bool Outputs::first_of_name(const ast::Output& o, const std::string& name, const Value& v, Span place) {
  const auto [first, fresh] = declared_.try_emplace(name, place);
  if (fresh) return true;
  Diagnostic& d = sink_.report(Kind::duplicate_name, place, "output " + printable(name));
  if (first->second == place)
    d.hint("in a loop each needs a name of its own: `output NAME[i] = ...`");
  else
    d.label(first->second, "first declared here");
  if (o.name.name.empty() && first->second != place && shows_already(name, v))
    d.hint("the results have this column already: leave the statement out, or give it another name");
  return false;
}

void Outputs::record_prescribed() {
  std::vector<Output> recorded;
  const auto record = [&](const auto& p) {
    if (p.first_coordinate) return;
    const auto add = [&](std::span<const NodeId> nodes, const char* prefix, Dimension d) {
      for (std::size_t k = 0; k < nodes.size(); ++k)
        recorded.push_back(
            {p.name + "." + prefix + std::string(1, kAxes[k]), nodes[k], physical(model_, d), p.span, true});
    };
    add(p.position, "", length_dimension());
    add(p.velocity, "v", velocity_dimension());
    add(p.acceleration, "a", acceleration_dimension());
  };
  for (const Particle& p : model_.particles) record(p);
  for (Body& b : model_.bodies) {
    record(b);
    record_body(model_, b, recorded);
  }
  model_.outputs.insert(model_.outputs.begin(), recorded.begin(), recorded.end());
}

std::vector<Plot> Outputs::plots(const ast::Simulate& block, const Scope& scope) {
  std::vector<Plot> all;
  for (const ast::Plot& p : block.plots) {
    Plot made;
    std::map<std::string, Span> seen;
    for (const ast::Shown& item : p.items)
      for (PlottedColumn& c : plotted(item, scope)) {
        if (const auto [first, fresh] = seen.try_emplace(c.name + " " + c.unit, item.value->span); !fresh)
          sink_.report(Kind::plotted_twice, item.value->span, printable(c.name)).label(first->second, "first here");
        made.curves.push_back(std::move(c));
      }
    if (p.over) {
      std::vector<PlottedColumn> over = plotted(*p.over, scope);
      if (over.size() > 1)
        sink_.report(Kind::plot_over_vector, p.over->value->span)
            .hint("take one component, as in `" + printable(over[0].name) + "`");
      if (!over.empty()) made.over = std::move(over.front());
    }
    all.push_back(std::move(made));
  }
  return all;
}

// Returns the columns of a value, one for each component.
std::vector<PlottedColumn> Outputs::plotted(const ast::Shown& item, const Scope& scope) {
  Value v = evaluator_.evaluate(*item.value, scope);
  if (!evaluator_.expect_shown(v)) return {};
  if (item.unit && !factor_of(*item.unit, v)) return {};
  const std::string text = one_line(sources_.text(item.value->span));
  std::vector<PlottedColumn> columns;
  for (std::size_t k = 0; k < v.nodes.size(); ++k) {
    const std::string part = v.vector() ? text + component_text(k, v.nodes.size()) : text;
    std::string name = column_of(v.nodes[k], part);
    if (name.empty()) {
      name = part;
      model_.outputs.push_back({name, v.nodes[k], v.type.dimension, item.value->span});
    }
    columns.push_back({std::move(name), item.unit ? text_of_unit(*item.unit) : ""});
  }
  return columns;
}

// Returns the column of a value, or "". A name is that of its column, in the column's unit; otherwise the column with
// the same value is taken.
std::string Outputs::column_of(NodeId node, const std::string& text) const {
  const auto named = [&](const Output& o) { return o.name == text; };
  if (std::any_of(model_.outputs.begin(), model_.outputs.end(), named)) return text;
  const Node& n = model_.graph.node(node);
  if (n.op == Op::leaf) {
    if (n.leaf == LeafKind::time) return "time";
    if (n.leaf == LeafKind::coordinate && is_recorded(model_, n.a, true)) return model_.coordinate(n.a).name;
    if (n.leaf == LeafKind::speed && is_recorded(model_, n.a, false)) return model_.speed(n.a).name;
    if (n.leaf == LeafKind::state) return model_.states[n.a].name;
  }
  const auto same = [&](const Output& o) { return o.value == node && o.unit.empty_text(); };
  const auto found = std::find_if(model_.outputs.begin(), model_.outputs.end(), same);
  return found != model_.outputs.end() ? std::string(found->name) : "";
}

}  // namespace mbc::sema
