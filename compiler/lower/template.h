// SPDX-License-Identifier: Apache-2.0
// Templates and instance rows: one small expression graph per shape of statement, and for every part a row saying which
// coordinates, speeds, parameters and constants it uses. Equal shapes merge whether the parts came from a loop or were
// written one by one; everything after this (differentiation, simplification, code) is done once per template.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ad/motion.h"
#include "compiler/lower/names.h"
#include "compiler/sema/model.h"

namespace mbc::lower {

struct Slot {
  LeafKind kind{};
};

// Leaves of `graph`: (kind, slot number); time has no slot. Roots: those of the statement, then the rates q' of the
// coordinate slots and s' of the state slots, as far as differentiation along the motion needs them (rate_root[slot]
// says where).
struct Template {
  Graph graph;
  std::vector<Slot> slots;
  std::vector<NodeId> roots;
  std::vector<std::uint32_t> rate_root;  // by slot; ~0 for other kinds
  std::vector<ad::Turning> turning;      // of the bodies with speeds of their own whose axes the roots hold

  [[nodiscard]] ad::Motion motion() const {
    const auto rate = [this](std::uint32_t slot) { return roots.at(rate_root[slot]); };
    return {rate, rate, turning};
  }
  // Where only slopes by the speeds are asked for, and the roots hold states whose rates are not among them.
  [[nodiscard]] ad::Motion motion_with_held_states() const { return {motion().rate, {}, turning}; }
};

struct Family {
  Template shape;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> rows;  // count x slots: global indices; for slot_constant an index into `constants`
  std::vector<double> constants;
  std::vector<std::uint32_t> items;  // which particle, force, equation or output of the model each instance is
  // Of instances written in other places than the first one, in families of few: where each part of the template
  // stands.
  std::vector<std::vector<std::pair<Span, Span>>> places;

  [[nodiscard]] Span place(std::uint32_t instance, Span of_template) const {
    if (instance < places.size())
      for (const auto& [from, to] : places[instance])
        if (from == of_template) return to;
    return of_template;
  }
  [[nodiscard]] std::uint32_t index(std::uint32_t instance, std::uint32_t slot) const {
    return rows[instance * shape.slots.size() + slot];
  }
  // A further slot of another kind with the global indices of an existing one (the acceleration of a speed); its
  // number.
  std::uint32_t add_slot(LeafKind kind, std::uint32_t like);
  // One with the number of the instance's own item (the multiplier of a row).
  std::uint32_t add_item_slot(LeafKind kind);
  // The slot has the same global index in every instance (a parameter).
  std::uint32_t add_shared_slot(LeafKind kind, std::uint32_t global);

 private:
  std::uint32_t append_slot(LeafKind kind, const std::function<std::uint32_t(std::uint32_t instance)>& index_of);
};

// Sorts items of one kind into families.
class FamilyBuilder {
 public:
  // state_depth: how often the roots will be differentiated, that is how deep the rates of their states are needed.
  explicit FamilyBuilder(const sema::Model& model, std::uint32_t state_depth = 0);
  // `roots` in the model's graph describe item number `item`.
  void add(std::uint32_t item, const std::vector<NodeId>& roots);
  // Families in order of first appearance. Literals equal in all instances are folded into the template, others become
  // slot constants.
  std::vector<Family> finish();

 private:
  struct Item {
    std::vector<std::uint32_t> leaves;  // global index of each slot
    std::vector<double> constants;      // liftable literals in order of appearance
    std::vector<NodeId> roots;          // in the model's graph
    std::uint32_t item = 0;
  };
  struct Group {
    std::vector<Slot> slots;
    std::vector<std::uint32_t> rate_root;
    std::vector<Item> items;
  };
  Family build(const Group& group) const;
  std::uint32_t visit(NodeId root, Item& item, Group& group, std::string& key);
  std::vector<NodeId> in_order(const std::vector<NodeId>& roots) const;
  void find_places(Family& family, const Group& group) const;
  void find_turning(Template& t, const std::unordered_map<std::uint32_t, NodeId>& image,
                    const std::unordered_map<std::uint64_t, std::uint32_t>& slot_of) const;

  const sema::Model& model_;
  std::uint32_t state_depth_;
  std::unordered_map<std::uint32_t, std::uint32_t> body_of_;  // by an entry of its rotation
  std::unordered_map<std::string, std::size_t> by_shape_;
  std::vector<Group> groups_;
  // numbering of the nodes of the item at hand: stamp says whether local_ is of this item
  std::vector<std::uint32_t> stamp_, local_;
  std::uint32_t epoch_ = 0, next_local_ = 0;
};

}  // namespace mbc::lower
