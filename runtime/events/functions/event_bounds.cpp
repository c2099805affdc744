// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/event_bounds.h"

#include <algorithm>

#include "base/contains.h"

namespace mbc::runtime {

using kernel::Enclosure;
using Node = kernel::StraightLine::Node;

namespace {

// Appends the operands of a node.
void append_operands(const Node& n, std::vector<std::uint32_t>& to) {
  const std::uint32_t of[] = {n.a, n.b, n.c};
  const std::uint32_t count = n.kind == Node::Kind::op ? arity(n.op) : n.kind == Node::Kind::table ? 1 : 0;
  to.insert(to.end(), of, of + count);
}

}  // namespace

EventBounds::EventBounds(const Equations& equations, const problem::Events& events,
                         const std::vector<std::uint32_t>& numbers)
    : equations_(equations), slices_(events.n_values), of_(events.n_values, Of::unknown) {
  std::vector<std::uint32_t> places;
  for (const std::uint32_t number : numbers) places.push_back(equations.layout().outputs + events.first_value + number);
  line_ = kernel::straight_line(equations.function(Equations::k_outputs), places);
  values_.resize(line_.nodes.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    std::vector<std::uint32_t> open{line_.results[k]};
    std::vector<char> seen(line_.nodes.size(), 0);
    std::vector<std::uint32_t>& nodes = slices_[numbers[k]].nodes;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (std::exchange(seen[at], 1) != 0) continue;
      nodes.push_back(at);
      append_operands(line_.nodes[at], open);
    }
    std::sort(nodes.begin(), nodes.end());
    classify(numbers[k], events.discrete);
  }
  place_of_.resize(entries_.empty() ? 0 : *std::max_element(entries_.begin(), entries_.end()) + 1);
  for (std::uint32_t k = 0; k < entries_.size(); ++k) place_of_[entries_[k]] = k;
}

void EventBounds::classify(std::uint32_t number, const problem::DiscreteVariables& discrete) {
  bool known = true, alone = true;
  std::vector<std::uint32_t> entries, inputs;
  for (const std::uint32_t at : slices_[number].nodes) {
    const Node& n = line_.nodes[at];
    known = known && n.kind != Node::Kind::unknown;
    if (n.kind != Node::Kind::load) continue;
    if (n.space == kernel::Space::state) add_once(entries, n.a);
    if (n.space == kernel::Space::inputs) add_once(inputs, n.a);
    alone = alone && n.space != kernel::Space::state && (n.space != kernel::Space::inputs || discrete.variable_of(n.a));
  }
  of_[number] = !known ? Of::unknown : alone ? Of::time : Of::state;
  for (const std::uint32_t entry : entries)
    if (known) add_once(entries_, entry);
  for (const std::uint32_t input : inputs)
    if (known && alone) add_once(inputs_of_time_, input);
}

Enclosure EventBounds::load(const Node& node, double from, double to, const Enclosure* states) const {
  switch (node.space) {
    case kernel::Space::time:
      return {{from, to}, {1, 1}};
    case kernel::Space::state:
      return states[place_of_[node.a]];
    case kernel::Space::params:
      return Enclosure::constant(equations_.params()[node.a]);
    case kernel::Space::inputs:
      return Enclosure::constant(equations_.inputs()[node.a]);
    case kernel::Space::mask:
    case kernel::Space::work:
    case kernel::Space::deriv:
      return {};
  }
  return {};
}

Enclosure EventBounds::enclose(std::uint32_t number, double from, double to, const Enclosure* states) {
  const std::vector<std::uint32_t>& slice = slices_[number].nodes;
  for (const std::uint32_t at : slice) {
    const Node& n = line_.nodes[at];
    switch (n.kind) {
      case Node::Kind::constant:
        values_[at] = Enclosure::constant(n.constant);
        break;
      case Node::Kind::load:
        values_[at] = load(n, from, to, states);
        break;
      case Node::Kind::unknown:
        values_[at] = {};
        break;
      case Node::Kind::table:
        values_[at] = kernel::enclose(*n.table, n.c, values_[n.a]);
        break;
      case Node::Kind::op:
        values_[at] = n.op == kernel::Op::mul && n.a == n.b
                          ? kernel::enclose_square(values_[n.a])
                          : kernel::enclose(n.op, values_[n.a], values_[n.b], values_[n.c]);
        break;
    }
  }
  return values_[slice.back()];
}

}  // namespace mbc::runtime
