// SPDX-License-Identifier: Apache-2.0
// Unrolled kernels: all instances are on one graph, so that they share subexpressions, and the elimination consists of
// expressions. For formulations that are not solved by S lambda = r, the functions are written out and the solves are
// calls between them (unrolled_calls.h).
#pragma once
#include <vector>

#include "compiler/formulate/builder/kernel_builder.h"
#include "compiler/formulate/solve/linear_plan.h"
#include "compiler/formulate/unrolled/fast_rhs.h"
#include "compiler/formulate/unrolled/unrolled_values.h"

namespace mbc::formulate {

// Adds stores of values[k] to space[at + k].
void put(std::vector<Store>& stores, Space space, std::uint32_t at, const std::vector<NodeId>& values);

class UnrolledKernel {
 public:
  // The builder outlives the object.
  explicit UnrolledKernel(KernelBuilder& builder);

  // Adds all functions to the builder's kernel.
  void build();

 private:
  [[nodiscard]] LinearSystem assembled();
  LinearSolution solve_rows();
  void add_rhs(const LinearSolution& solution);
  void add_fast_rhs(Graph& g, const std::vector<Store>& rhs);
  // Adds a function of the values of `stores` that is valid for states where these rows are independent and none is
  // near the others.
  bool add_fast_function(const char* name, Graph& g, std::vector<Store> stores, const std::vector<NodeId>& pivot,
                         const std::vector<NodeId>& scale, const StandingRows& rows);
  void add_assemble();
  void add_residuals();
  void add_corrections(const LinearSolution& solution);
  void add_outputs();

  KernelBuilder& b_;
  const System& system_;
  const SystemLayout& layout_;
  Graph g_;
  UnrolledValues values_;
  LinearSystem linear_;
  std::vector<NodeId> ideal_;  // multipliers without prescribed forces, if there are such forces
};

}  // namespace mbc::formulate
