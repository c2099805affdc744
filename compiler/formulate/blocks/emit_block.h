// SPDX-License-Identifier: Apache-2.0
// Expression graphs to kernel blocks.
#pragma once
#include <functional>
#include <vector>

#include "compiler/formulate/blocks/names.h"

namespace mbc::formulate {

struct Place {
  Space space{};
  bool indexed = false;
  std::uint32_t index = 0;  // or the table column
  bool spread = false;      // in blocks of lanes: a column for each lane
};

struct Store {
  Place place;
  NodeId value;
  bool accumulate = false;  // place += value
};

// Instructions for the values of `stores`, in order; `place_of` says where a leaf is loaded from.
Block emit_block(const Graph& g, std::string name, const std::vector<Store>& stores,
                 const std::function<Place(const Node&)>& place_of);

// Further blocks of a function, as loops where they repeat:
void push_block(kernel::Function& f, Block block);
void push_call(kernel::Function& f, kernel::RoutineCall call);
// work[at + k] = values[k]
void add_constants(kernel::Function& f, std::uint32_t at, const std::vector<double>& values);
// place[0 .. count) = 0, as a loop
void add_clear(kernel::Function& f, Space space, std::uint32_t at, std::uint32_t count);
void add_copy(kernel::Function& f, Space from, Space to,
              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);
// This form copies `count` numbers that follow each other.
void add_copy(kernel::Function& f, Place from, Place to, std::uint32_t count);
// work[to ..] = -work[from ..]
void add_negated(kernel::Function& f, std::uint32_t from, std::uint32_t to, std::uint32_t count);

}  // namespace mbc::formulate
