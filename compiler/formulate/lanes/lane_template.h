// SPDX-License-Identifier: Apache-2.0
// Templates that run for one instance, or for one instance of each lane at once.
//
// A leaf of a template's graph is a column: in each instance a place. Places of the lanes of an instance that follow
// each other are read and written as one vector, others one by one; a place that is the same everywhere is read once.
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

// Places of an instance, one list a lane (kLanes lists, or one): [lane][column].
using PlacesByLane = std::vector<std::vector<std::uint32_t>>;

class LaneTemplate {
 public:
  explicit LaneTemplate(std::string name) : name_(std::move(name)) {}

  Graph graph;

  // The next column. Columns of a graph that came with leaves are made in the order of its slots.
  std::uint32_t column(Space space) {
    spaces_.push_back(space);
    return static_cast<std::uint32_t>(spaces_.size() - 1);
  }
  NodeId leaf(std::uint32_t column) { return graph.leaf(LeafKind::slot_constant, column); }
  NodeId load(Space space) { return leaf(column(space)); }
  // `value` goes to a column; what it replaces may be part of it.
  void store(std::uint32_t column, NodeId value, bool accumulate = false) {
    stores_.push_back({{spaces_[column], true, column}, value, accumulate});
  }
  [[nodiscard]] std::size_t columns() const { return spaces_.size(); }

  // Places of an instance: [column][lane], of kLanes or of one. Instances of one run follow each other.
  void add(std::span<const std::uint32_t> places, std::uint32_t run = 0) {
    Instances& list = places.size() == columns() ? single_ : across_;
    list.places.insert(list.places.end(), places.begin(), places.end());
    list.runs.push_back(run);
  }
  void add(const PlacesByLane& places, std::uint32_t run = 0);

  // The blocks of all instances. `in_order`: as they were added; else those that are read alike come together.
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

// Templates by what makes instances alike.
template <class Key>
class LaneTemplates {
 public:
  // The template of a key; `write` writes it when the first instance comes.
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
