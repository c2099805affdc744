// Expression graphs to kernel blocks.
#pragma once
#include <functional>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/kernel.h"

namespace mbc::formulate {

struct Place {
  kernel::Space space{};
  bool indexed = false;
  std::uint32_t index = 0;  // or the table column
};

struct Store {
  Place place;
  graph::NodeId value;
  bool accumulate = false;  // place += value
};

// Instructions for the values of `stores`, in order; `place_of` says where a leaf is loaded from.
kernel::Block emit_block(const graph::Graph& g, std::string name, const std::vector<Store>& stores,
                         const std::function<Place(const graph::Node&)>& place_of);

}  // namespace mbc::formulate
