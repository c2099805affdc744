// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/outputs.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/sema/statements/bodies.h"

namespace mbc::sema {

using graph::LeafKind;

// Whether a name is that of columns which are recorded without being asked for.
bool Outputs::is_column(const std::string& name) {
  if (name == "time") return true;
  const Symbol* symbol = shared_.scope.find_here(name);
  if (!symbol || symbol == item_.symbol) return false;
  const Value& v = evaluator_.names().value_of(*symbol);
  if (v.type.shape == Shape::particle || v.type.shape == Shape::body) return true;
  const graph::Node* leaf = v.scalar() ? &model_.graph.node(v.node()) : nullptr;
  if (!leaf || leaf->op != graph::Op::leaf) return false;
  return (leaf->leaf == LeafKind::coordinate && model_.coordinates[leaf->a].name == name) ||
         (leaf->leaf == LeafKind::state && model_.states[leaf->a].name == name) ||
         (leaf->leaf == LeafKind::input && leaf->a >= model_.held_at &&
          model_.held[leaf->a - model_.held_at].use == Held::Use::state && model_.input_name(leaf->a) == name);
}

// Whether an output of this name exists and is the same value.
bool Outputs::shows_already(const std::string& name, const Value& v) const {
  const std::string first = v.vector() ? name + component_text(0, v.nodes.size()) : name;
  return std::any_of(model_.outputs.begin(), model_.outputs.end(),
                     [&](const sema::Output& o) { return o.name == first && o.value == v.nodes.front(); });
}

void Outputs::output(const ast::Output& o) {
  const Value v = value(*o.value);
  if (v.invalid()) return;
  double unit = 1;
  if (o.unit && !in_unit(*o.unit, v, unit)) return;
  if (item_.symbol && !o.name.name.empty()) set_symbol(o.name, v);
  std::string name = o.name.name.empty() ? path_of_item() + std::string(sources_.text(o.value->span)) : item_.name;
  // beside a column of the same text in SI units
  if (o.name.name.empty() && o.unit) name += " [" + text_of(*o.unit) + "]";
  if (!v.numeric() && v.type.shape != Shape::boolean) {
    Evaluator::hint_parts(sink_.report(Kind::not_a_value, o.value->span, describe_shape(v)), v);
    return;
  }
  const Span place = o.name.name.empty() ? o.value->span : o.name.span;
  if (!first_of_name(o, name, v, place)) return;
  if (!o.name.name.empty() && is_column(name)) {
    sink_.report(Kind::column_taken, place, printable(name));
    return;
  }
  for (std::size_t k = 0; k < v.nodes.size(); ++k) {
    const std::string part = v.vector() ? name + component_text(k, v.nodes.size()) : name;
    NodeId column = v.nodes[k];
    if (o.unit) column = model_.graph.div(column, model_.graph.constant(unit));
    model_.outputs.push_back({part, column, v.type.dimension, o.value->span, false, o.unit ? text_of(*o.unit) : "",
                              item_.scope->owner() != nullptr});
  }
}

// The column is in this unit; the name stands for the value itself, as everywhere.
bool Outputs::in_unit(const ast::Unit& written, const Value& v, double& unit) {
  const std::optional<std::pair<double, Dimension>> found = unit_value(written, sink_);
  if (!found) return false;
  if (!v.numeric()) {
    sink_.report(Kind::wrong_shape, v.span, std::string("an output with a unit"), std::string("a number or vector"),
                 describe_shape(v));
    return false;
  }
  unit = found->first;
  return evaluator_.expect_dimension(v, found->second, "what is written in " + text_of(written));
}

// "[deg]" without its brackets.
std::string Outputs::text_of(const ast::Unit& unit) const {
  std::string text(sources_.text(unit.span));
  if (text.starts_with('[')) text.erase(0, 1);
  if (text.ends_with(']')) text.pop_back();
  return trimmed(text);
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

void Outputs::record_followers() {
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

}  // namespace mbc::sema
