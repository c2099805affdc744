// SPDX-License-Identifier: Apache-2.0
// Templates and instance rows: one small expression graph per shape of statement, and for every part a row of the
// coordinates, speeds, parameters and constants that it uses. Equal shapes merge whether the parts came from a loop or
// were written one by one. All later passes (differentiation, simplification, code) run once per template.
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

// A leaf of `graph` is (kind, slot number); time has no slot. The roots are those of the statement, then the rates q'
// of the coordinate slots and s' of the state slots that differentiation along the motion needs (at rate_root[slot]).
struct Template {
  Graph graph;
  std::vector<Slot> slots;
  std::vector<NodeId> roots;
  std::vector<std::uint32_t> rate_root;  // by slot; ~0 for other kinds
  std::vector<ad::Turning> turning;      // of the bodies with speeds of their own whose axes appear in the roots

  [[nodiscard]] ad::Motion motion() const {
    const auto rate = [this](std::uint32_t slot) { return roots.at(rate_root[slot]); };
    return {rate, rate, turning};
  }
  // The motion for slopes by the speeds only: states are constant, since the roots may hold states without their rates.
  [[nodiscard]] ad::Motion motion_with_held_states() const { return {motion().rate, {}, turning}; }
};

struct Family {
  Template shape;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> rows;  // count x slots: global indices; for slot_constant an index into `constants`
  std::vector<double> constants;
  std::vector<std::uint32_t> items;  // index of each instance's particle, force, equation or output in the model
  // The places in the text of instances that are written elsewhere than the first one: pairs of a place in the template
  // and the instance's own. Large families have none.
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
  // Adds a slot of another kind with the global indices of an existing one (the acceleration of a speed). Returns its
  // number.
  std::uint32_t add_slot(LeafKind kind, std::uint32_t like);
  // Adds a slot with the number of the instance's own item (the multiplier of a row).
  std::uint32_t add_item_slot(LeafKind kind);
  // Adds a slot with the same global index in every instance (a parameter).
  std::uint32_t add_shared_slot(LeafKind kind, std::uint32_t global);

 private:
  std::uint32_t append_slot(LeafKind kind, const std::function<std::uint32_t(std::uint32_t instance)>& index_of);
};

// Sorts items of one kind into families.
class FamilyBuilder {
 public:
  // state_depth: the number of differentiations to come, which is the depth to which rates of states are needed.
  explicit FamilyBuilder(const sema::Model& model, std::uint32_t state_depth = 0);
  // Adds item number `item` with its roots in the model's graph.
  void add(std::uint32_t item, const std::vector<NodeId>& roots);
  // Returns the families in order of first appearance. Literals equal in all instances are folded into the template,
  // others become slot constants.
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
  // numbering of the nodes of the current item: local_ is valid if the stamp is that of the item
  std::vector<std::uint32_t> stamp_, local_;
  std::uint32_t epoch_ = 0, next_local_ = 0;
};

}  // namespace mbc::lower
