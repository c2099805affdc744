// SPDX-License-Identifier: Apache-2.0
// Some results of a kernel function as one list of operations, without blocks, instances and stores. Bounds of these
// results are computed from it (enclosure.h).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/kernel.h"

namespace mbc::kernel {

struct StraightLine {
  struct Node {
    // `unknown`: a value that another function, or a support routine, has written
    enum class Kind : std::uint8_t { constant, load, unknown, op, table } kind{};
    Op op{};
    Space space{};                      // of a load: time, state, params or inputs
    std::uint32_t a = 0, b = 0, c = 0;  // operands, which come before; of a load the place; of a table the order in c
    double constant = 0;
    const DataTable* table = nullptr;  // of the kernel
  };
  std::vector<Node> nodes;
  std::vector<std::uint32_t> results;  // nodes, in the order of the places
};

// Returns the operations for the values that the function leaves in work at these places.
StraightLine straight_line(const Function& function, std::span<const std::uint32_t> places);

// Computes the values of all nodes. What another function has written is not a number.
void evaluate(const StraightLine& line, double t, const double* state, const double* params, const double* inputs,
              std::vector<double>& values);

}  // namespace mbc::kernel
