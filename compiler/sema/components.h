// SPDX-License-Identifier: Apache-2.0
// The components of a position, velocity or acceleration, as many as the space has. They need no allocation of their
// own, since a model may have a million.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "compiler/sema/names.h"

namespace mbc::sema {

class Components {
 public:
  Components() = default;
  Components(const std::vector<NodeId>& nodes) {  // NOLINT: written as a vector; at most three
    for (const NodeId node : nodes) push_back(node);
  }
  void push_back(NodeId node) { nodes_.at(count_++) = node; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const NodeId* begin() const { return nodes_.data(); }
  [[nodiscard]] const NodeId* end() const { return nodes_.data() + count_; }
  [[nodiscard]] const NodeId* data() const { return nodes_.data(); }
  NodeId operator[](std::size_t k) const { return nodes_[k]; }
  operator std::vector<NodeId>() const { return {begin(), end()}; }  // NOLINT: read as a vector

 private:
  std::array<NodeId, 3> nodes_;
  std::uint32_t count_ = 0;
};

}  // namespace mbc::sema
