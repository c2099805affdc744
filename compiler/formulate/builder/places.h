// SPDX-License-Identifier: Apache-2.0
// The places of a system's values in the arrays of its kernel.
#pragma once
#include "compiler/formulate/blocks/emit_block.h"
#include "compiler/formulate/blocks/names.h"

namespace mbc::formulate {

class KernelPlaces {
 public:
  // The layout outlives the object; it is read when a place is requested.
  explicit KernelPlaces(const SystemLayout& layout) : layout_(layout) {}

  // Return offsets into work of entries of A, of the user's quasi-velocities Y, and of M.
  [[nodiscard]] std::uint32_t of_A(std::uint32_t row, std::uint32_t column) const;
  [[nodiscard]] std::uint32_t of_Y(std::uint32_t row, std::uint32_t column) const;
  [[nodiscard]] std::uint32_t of_M(std::uint32_t i, std::uint32_t j) const;
  // Returns the place that a contribution of an instance is added to or stored at.
  [[nodiscard]] Place of_target(const Part& part, const Contribution& c, std::uint32_t instance) const;
  // Returns the place of a leaf of the kernel-wide graph.
  [[nodiscard]] Place of_leaf(const Node& n) const;

  // Sets the place in work of the accelerations of a solve.
  void set_accelerations(std::uint32_t at) { acceleration_ = at; }
  // Returns whether leaves of speeds and accelerations refer to the results of `expand` and the solve in work, while
  // the state has independent speeds.
  [[nodiscard]] bool speeds_in_work() const { return speeds_in_work_; }
  void read_speeds_from_work(bool yes) { speeds_in_work_ = yes; }

 private:
  const SystemLayout& layout_;
  std::uint32_t acceleration_ = 0;
  bool speeds_in_work_ = false;
};

}  // namespace mbc::formulate
