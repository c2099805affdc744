// SPDX-License-Identifier: Apache-2.0
// Templates that run for one instance, or for one instance of each lane at once.
//
// A leaf of a template's graph is a column: it stands for one place in each instance. If the places of the lanes of an
// instance are consecutive, they are read and written as one vector, otherwise one by one. A place that is the same
// everywhere is read once.
#pragma once
#include <bit>
#include <compare>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/formulate/blocks/emit_block.h"
#include "compiler/formulate/lanes/partition.h"

namespace mbc::formulate {

// Places of an instance, one list for each lane (kLanes lists, or one): [lane][column].
using PlacesByLane = std::vector<std::vector<std::uint32_t>>;

class LaneTemplate {
 public:
  explicit LaneTemplate(std::string name) : name_(std::move(name)) {}

  Graph graph;

  // Adds a column. The columns of a graph that has leaves already are added in the order of its slots.
  std::uint32_t column(Space space) {
    spaces_.push_back(space);
    return static_cast<std::uint32_t>(spaces_.size() - 1);
  }
  NodeId leaf(std::uint32_t column) { return graph.leaf(LeafKind::slot_constant, column); }
  NodeId load(Space space) { return leaf(column(space)); }
  // Stores `value` in a column; `value` may depend on the old value of the column.
  void store(std::uint32_t column, NodeId value, bool accumulate = false) {
    stores_.push_back({{spaces_[column], true, column}, value, accumulate});
  }
  [[nodiscard]] std::size_t columns() const { return spaces_.size(); }

  // Adds the places of an instance: [column][lane], for kLanes lanes or for one. Instances of one run are consecutive.
  void add(std::span<const std::uint32_t> places, std::uint32_t run = 0) {
    Instances& list = places.size() == columns() ? single_ : across_;
    list.places.insert(list.places.end(), places.begin(), places.end());
    list.runs.push_back(run);
  }
  void add(const PlacesByLane& places, std::uint32_t run = 0);

  // Emits the blocks of all instances. `in_order`: in the order they were added; otherwise instances with the same
  // access are grouped.
  void emit(kernel::Function& f, bool in_order = false) const;

 private:
  struct Instances {
    std::vector<std::uint32_t> places, runs;
  };
  void emit(kernel::Function& f, const Instances& instances, std::uint32_t lanes, bool in_order) const;

  std::string name_;
  std::vector<Space> spaces_;
  std::vector<Store> stores_;
  Instances across_, single_;
};

// A number as part of a key, compared by its bits: 0 and -0 are two numbers.
struct Literal {
  double value = 0;

  friend bool operator==(Literal a, Literal b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(Literal a, Literal b) {
    return std::bit_cast<std::uint64_t>(a.value) <=> std::bit_cast<std::uint64_t>(b.value);
  }
};

// Templates by the key of their instances.
template <class Key>
class LaneTemplates {
 public:
  // Returns the template of a key; `write` writes it for the first instance.
  template <class Write>
  LaneTemplate& of(const Key& key, const char* name, Write&& write) {
    std::unique_ptr<LaneTemplate>& made = made_[key];
    if (!made) {
      made = std::make_unique<LaneTemplate>(name);
      write(*made);
    }
    return *made;
  }
  [[nodiscard]] std::size_t size() const { return made_.size(); }
  void emit(kernel::Function& f) const {
    for (const auto& [key, made] : made_) made->emit(f);
  }

 private:
  std::map<Key, std::unique_ptr<LaneTemplate>> made_;
};

}  // namespace mbc::formulate
