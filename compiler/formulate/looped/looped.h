// SPDX-License-Identifier: Apache-2.0
// Kernels of loops: one block for each family adds values into arrays, with calls of the support library between the
// loops. Long and thin systems have functions in lanes as well.
#pragma once
#include <optional>

#include "compiler/formulate/builder/kernel_builder.h"
#include "compiler/formulate/lanes/partition.h"
#include "compiler/formulate/looped/dense_steps.h"
#include "compiler/formulate/looped/loops.h"
#include "compiler/formulate/looped/quasi_steps.h"

namespace mbc::formulate {

// The division of a system into lanes.
struct LaneChoice {
  InertiaBlocks blocks;  // ignores the extra rows of the partition
  LanePartition partition;
};
// Returns nothing if lanes do not help, or if the formulation does not solve S lambda = r alone.
std::optional<LaneChoice> choose_lanes(const KernelBuilder& builder);

class LoopedKernel {
 public:
  // The builder outlives the object.
  explicit LoopedKernel(KernelBuilder& builder) : b_(builder), layout_(builder.layout()), loops_(builder) {}

  // Adds all functions to the builder's kernel, or sets there why the system is too large. Functions in lanes exist if
  // the layout says `laned`.
  void build(const std::optional<LaneChoice>& lanes);

 private:
  // Returns whether a part belongs to rows that most functions leave out (options.h, contacts_apart).
  [[nodiscard]] bool is_apart(const Part& part) const;
  // Adds the parts of all rows; contact rows that are left out elsewhere are included only with `contacts`.
  template <class Wanted>
  void add_parts(kernel::Function& f, bool contacts, Wanted&& wanted);
  kernel::Function assemble(const char* name, bool contacts = false);
  void add_residuals(const char* name, bool contacts);
  void add_outputs(const char* name, bool with_outputs);  // or only the energies
  void add_rhs(const DenseSteps& dense, const QuasiSteps* quasi);
  void clear_quasi(kernel::Function& f) const;
  void add_quasi_functions(const DenseSteps& dense, const QuasiSteps& quasi);
  void add_corrections(const DenseSteps& dense);
  void add_fast_functions(const LaneChoice& lanes, std::uint32_t scratch);
  void add_observers();
  void add_contact_functions();
  void add_solution(kernel::Function& f, const DenseSteps& dense, const QuasiSteps* quasi);

  KernelBuilder& b_;
  const SystemLayout& layout_;
  LoopWriter loops_;
  std::vector<char> apart_;  // by row: 1 if most functions leave it out; empty: none is left out
};

}  // namespace mbc::formulate
