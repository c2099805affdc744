// SPDX-License-Identifier: Apache-2.0
// Kernels of loops: one block a family, values added into arrays, routines of the support library between them. Long
// and thin systems have functions in lanes besides.
#pragma once
#include <optional>

#include "compiler/formulate/builder/kernel_builder.h"
#include "compiler/formulate/lanes/partition.h"
#include "compiler/formulate/looped/dense_steps.h"
#include "compiler/formulate/looped/loops.h"
#include "compiler/formulate/looped/quasi_steps.h"

namespace mbc::formulate {

// How a system is cut into lanes.
struct LaneChoice {
  InertiaBlocks blocks;  // without the extra rows of the partition
  LanePartition partition;
};
// Nothing where lanes are of no use, or the formulation does not solve S lambda = r alone.
std::optional<LaneChoice> choose_lanes(const KernelBuilder& builder);

class LoopedKernel {
 public:
  // The builder outlives the object.
  explicit LoopedKernel(KernelBuilder& builder) : b_(builder), layout_(builder.layout()), loops_(builder) {}

  // Adds all functions to the builder's kernel, or says there why the system is too large. Those in lanes are there
  // when the layout says `laned`.
  void build(const std::optional<LaneChoice>& lanes);

 private:
  // Whether a part belongs to rows that most functions leave out (options.h, contacts_apart).
  [[nodiscard]] bool is_apart(const Part& part) const;
  // Parts of all rows, but for those that stand apart unless `contacts`.
  template <class Wanted>
  void add_parts(kernel::Function& f, bool contacts, Wanted&& wanted);
  kernel::Function assemble(const char* name, bool contacts = false);
  void add_residuals(const char* name, bool contacts);
  void add_outputs(const char* name, bool with_outputs);  // or the energies alone
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
  std::vector<char> apart_;  // 1 by row of those that most functions leave out; empty: none does
};

}  // namespace mbc::formulate
