// SPDX-License-Identifier: Apache-2.0
#include "kernel/straight_line.h"

#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "kernel/op_semantics.h"

namespace mbc::kernel {

namespace {

using Node = StraightLine::Node;

template <class Of, class Visit>
void each_operand(Of& node, Visit&& visit) {
  const std::uint32_t count = node.kind == Node::Kind::op ? arity(node.op) : node.kind == Node::Kind::table ? 1 : 0;
  if (count > 0) visit(node.a);
  if (count > 1) visit(node.b);
  if (count > 2) visit(node.c);
}

std::uint64_t place_key(Space space, std::uint32_t place) {
  return std::uint64_t{static_cast<std::uint8_t>(space)} << 32 | place;
}

// Returns by step and instance whether the places depend on its stores. A large model has many instances that a few
// results do not need.
std::vector<std::vector<char>> needed_instances(const Function& function, std::span<const std::uint32_t> places) {
  std::vector<std::vector<char>> needed(function.steps.size());
  std::unordered_set<std::uint64_t> wanted;
  for (const std::uint32_t place : places) wanted.insert(place_key(Space::work, place));
  for (std::size_t s = function.steps.size(); s-- > 0;) {
    const Step& step = function.steps[s];
    if (!step.is_block) break;  // a support routine may have written anything
    const Block& block = function.blocks[step.index];
    needed[s].assign(step.end(block) - step.begin(), 0);
    const auto each = [&](std::uint32_t i, Inst::Kind kind, auto&& visit) {
      for (const Inst& inst : block.code)
        for (std::uint32_t lane = 0; inst.kind == kind && lane < block.lanes; ++lane)
          visit(place_key(inst.space, place_of(block, inst, i, lane)));
    };
    for (std::uint32_t i = step.end(block); i-- > step.begin();) {
      bool stores = false;
      each(i, Inst::Kind::store, [&](std::uint64_t key) { stores = wanted.erase(key) > 0 || stores; });
      if (!stores) continue;
      needed[s][i - step.begin()] = 1;
      each(i, Inst::Kind::load, [&](std::uint64_t key) { wanted.insert(key); });
    }
  }
  return needed;
}

class Flattener {
 public:
  void run(const Function& function, std::span<const std::uint32_t> places) {
    const std::vector<std::vector<char>> needed = needed_instances(function, places);
    for (std::size_t s = 0; s < function.steps.size(); ++s) {
      const Step& step = function.steps[s];
      for (std::size_t i = 0; i < needed[s].size(); ++i) {
        const Block& block = function.blocks[step.index];
        for (std::uint32_t lane = 0; needed[s][i] != 0 && lane < block.lanes; ++lane)
          run_instance(block, step.begin() + static_cast<std::uint32_t>(i), lane);
      }
    }
  }

  std::uint32_t stored(std::uint32_t place) { return read(Space::work, place); }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::uint32_t add(const Node& node) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  std::uint32_t read(Space space, std::uint32_t place) {
    if (space == Space::work || space == Space::deriv) {
      const auto found = stored_.find({space, place});
      if (found != stored_.end()) return found->second;
      if (!unknown_) unknown_ = add({.kind = Node::Kind::unknown});
      return *unknown_;
    }
    const auto [at, is_new] = loads_.try_emplace({space, place}, 0);
    const auto kind = space == Space::mask ? Node::Kind::unknown : Node::Kind::load;
    if (is_new) at->second = add({.kind = kind, .space = space, .a = place});
    return at->second;
  }

  void run_instance(const Block& block, std::uint32_t instance, std::uint32_t lane) {
    values_.assign(block.code.size(), 0);
    for (std::size_t i = 0; i < block.code.size(); ++i) {
      const Inst& inst = block.code[i];
      const auto at = [&](std::uint32_t operand) { return values_[operand]; };
      switch (inst.kind) {
        case Inst::Kind::constant:
          values_[i] = add({.kind = Node::Kind::constant, .constant = block.constants[inst.a]});
          break;
        case Inst::Kind::load:
          values_[i] = read(inst.space, place_of(block, inst, instance, lane));
          break;
        case Inst::Kind::store:
          stored_[{inst.space, place_of(block, inst, instance, lane)}] = at(inst.a);
          break;
        case Inst::Kind::table:
          values_[i] =
              add({.kind = Node::Kind::table, .a = at(inst.a), .c = inst.c, .table = block.tables[inst.b].get()});
          break;
        case Inst::Kind::op: {
          Node node{.kind = Node::Kind::op, .op = inst.op};
          const std::uint32_t operands[] = {inst.a, inst.b, inst.c}, *next = operands;
          each_operand(node, [&](std::uint32_t& operand) { operand = at(*next++); });
          values_[i] = add(node);
          break;
        }
      }
    }
  }

  std::vector<Node> nodes_;
  std::map<std::pair<Space, std::uint32_t>, std::uint32_t> stored_, loads_;
  std::vector<std::uint32_t> values_;
  std::optional<std::uint32_t> unknown_;
};

}  // namespace

StraightLine straight_line(const Function& function, std::span<const std::uint32_t> places) {
  Flattener flat;
  flat.run(function, places);
  std::vector<std::uint32_t> results;
  for (const std::uint32_t place : places) results.push_back(flat.stored(place));
  // nodes that no result needs are left out
  std::vector<std::uint32_t> name(flat.nodes().size(), 0);  // 1: needed, then the node's new number
  for (const std::uint32_t r : results) name[r] = 1;
  for (std::size_t i = flat.nodes().size(); i-- > 0;)
    if (name[i] != 0) each_operand(flat.nodes()[i], [&](std::uint32_t operand) { name[operand] = 1; });
  StraightLine out;
  for (std::size_t i = 0; i < flat.nodes().size(); ++i) {
    if (name[i] == 0) continue;
    Node n = flat.nodes()[i];
    each_operand(n, [&](std::uint32_t& operand) { operand = name[operand]; });
    name[i] = static_cast<std::uint32_t>(out.nodes.size());
    out.nodes.push_back(n);
  }
  for (const std::uint32_t r : results) out.results.push_back(name[r]);
  return out;
}

void evaluate(const StraightLine& line, double t, const double* state, const double* params, const double* inputs,
              std::vector<double>& values) {
  values.resize(line.nodes.size());
  const auto load = [&](const Node& n) {
    switch (n.space) {
      case Space::time:
        return t;
      case Space::state:
        return state[n.a];
      case Space::params:
        return params[n.a];
      case Space::inputs:
        return inputs[n.a];
      case Space::mask:
      case Space::work:
      case Space::deriv:
        break;
    }
    return kNaN;
  };
  for (std::size_t k = 0; k < line.nodes.size(); ++k) {
    const Node& n = line.nodes[k];
    switch (n.kind) {
      case Node::Kind::constant:
        values[k] = n.constant;
        break;
      case Node::Kind::load:
        values[k] = load(n);
        break;
      case Node::Kind::unknown:
        values[k] = kNaN;
        break;
      case Node::Kind::op:
        values[k] = apply(n.op, values[n.a], values[n.b], values[n.c]);
        break;
      case Node::Kind::table:
        values[k] = n.table->value(values[n.a], n.c);
        break;
    }
  }
}

}  // namespace mbc::kernel
