// SPDX-License-Identifier: Apache-2.0
// The values of a system on one graph: every instance of its templates written out, contributions collected by what
// they belong to.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/linear_plan.h"

namespace mbc::formulate {

class UnrolledValues {
 public:
  // Terms of sums, by entry of M (i >= j), speed, or of the whole system.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> mass;
  std::vector<std::vector<NodeId>> force, nonideal, momentum_offset;
  std::vector<NodeId> kinetic, potential, power, support, nonideal_power;
  // Single values, by coordinate, state, row, quasi-velocity or output.
  std::vector<NodeId> rate, state_rate, right_side, position, velocity, constraint_rate, rate_offset, output, weight;
  std::vector<NodeId> quasi_offset, quasi_bias;
  std::vector<SparseRow> rows, quasi;  // A, Y

  // Collects the values of all parts on `g`.
  UnrolledValues(Graph& g, const System& system);

  // Power of the constraint forces, (A^T lambda).u: -lambda c for position-level rows (A u = -c on the manifold),
  // lambda (A u) for the others; rows that do none are left out (System::row_work). The supports of followers are
  // constraints too; their power may hold the accelerations (as leaves). Of all, then of those that are reported
  // separately (System::works).
  [[nodiscard]] std::vector<NodeId> constraint_powers(Graph& g, const System& system,
                                                      const std::vector<NodeId>& multiplier) const;

 private:
  // Where a contribution goes: a value of its own, or the terms of a sum.
  struct Destination {
    NodeId* value = nullptr;
    std::vector<NodeId>* sum = nullptr;
  };
  Destination destination(const Contribution& c, const lower::Family& family, std::uint32_t k);
  void add_instance(Graph& g, const Part& part, std::uint32_t k);
};

}  // namespace mbc::formulate
