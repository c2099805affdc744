// SPDX-License-Identifier: Apache-2.0
// Translates expression graphs to kernel blocks.
#pragma once
#include <functional>
#include <vector>

#include "compiler/formulate/blocks/names.h"

namespace mbc::formulate {

struct Place {
  Space space{};
  bool indexed = false;
  std::uint32_t index = 0;  // index of the place, or the table column
  bool spread = false;      // in blocks of lanes: a column for each lane
};

struct Store {
  Place place;
  NodeId value;
  bool accumulate = false;  // place += value
};

// Returns the instructions for the values of `stores`, in order; `place_of` returns the place from which a leaf is
// loaded.
Block emit_block(const Graph& g, std::string name, const std::vector<Store>& stores,
                 const std::function<Place(const Node&)>& place_of);

// Add further blocks to a function, as loops if they repeat.
void push_block(kernel::Function& f, Block block);
void push_call(kernel::Function& f, kernel::RoutineCall call);
// Adds work[at + k] = values[k].
void add_constants(kernel::Function& f, std::uint32_t at, const std::vector<double>& values);
// Adds place[0 .. count) = 0 as a loop.
void add_clear(kernel::Function& f, Space space, std::uint32_t at, std::uint32_t count);
void add_copy(kernel::Function& f, Space from, Space to,
              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);
// Adds a copy of `count` consecutive numbers.
void add_copy(kernel::Function& f, Place from, Place to, std::uint32_t count);
// Adds work[to ..] = -work[from ..].
void add_negated(kernel::Function& f, std::uint32_t from, std::uint32_t to, std::uint32_t count);

}  // namespace mbc::formulate
