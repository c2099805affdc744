// SPDX-License-Identifier: Apache-2.0
// The work of formulate(): layout and places of everything (formulate.cpp), straight-line code (straight.cpp) or loops
// (looped.cpp) into one kernel. Internal to this folder.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/formulate/emit_block.h"
#include "compiler/formulate/formulate.h"
#include "compiler/formulate/inertia_rows.h"
#include "compiler/formulate/lanes/partition.h"
#include "compiler/formulate/looped/dense_steps.h"
#include "compiler/formulate/looped/quasi_steps.h"
#include "compiler/formulate/solve/linear_plan.h"
#include "compiler/formulate/solve/pattern.h"
#include "compiler/formulate/unrolled/fast_rhs.h"

namespace mbc::formulate {

using graph::LeafKind;
using graph::Node;
using kernel::Space;
using lower::Contribution;
using lower::Part;
using lower::System;
using lower::Target;

class Formulation {
 public:
  Formulation(const System& system, const FormulateOptions& options);
  Formulated take() { return std::move(out_); }
  [[nodiscard]] bool lanes_failed() const { return lanes_ && !out_.layout.laned && out_.too_large.empty(); }

 private:
  // ---- layout and places
  std::uint32_t field(const char* name, std::uint32_t size);
  void lay_out();
  void lay_out_quasi();
  // D of the rows added to M, where the model does not say it: to be chosen (-1), or not added (0).
  [[nodiscard]] std::vector<double> plain_weights() const;
  [[nodiscard]] std::uint64_t unrolled_size() const;
  [[nodiscard]] std::uint32_t a_place(std::uint32_t row, std::uint32_t column) const;
  [[nodiscard]] std::uint32_t y_place(std::uint32_t row, std::uint32_t column) const;
  [[nodiscard]] std::uint32_t m_place(std::uint32_t i, std::uint32_t j) const;
  // The place a contribution of an instance goes to.
  [[nodiscard]] Place target_place(const Part& part, const Contribution& c, std::uint32_t instance) const;
  // Places of leaves of the kernel-wide graph.
  [[nodiscard]] Place leaf_place(const Node& n) const;
  kernel::Block block_of(const char* name, const std::vector<Store>& stores, const Graph& g) const;
  void add_function(const char* name, const std::vector<Store>& stores, const Graph& g);

  // ---- straight-line: every instance written out on one graph, so that all of them share subexpressions
  struct Totals {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> mass;
    std::vector<std::vector<NodeId>> force, nonideal, momentum_offset;
    std::vector<NodeId> rate, state_rate, right_side, position, velocity, constraint_rate, rate_offset, output, weight;
    std::vector<SparseRow> rows, quasi;
    std::vector<NodeId> quasi_offset, quasi_bias;
    std::vector<NodeId> kinetic, potential, power, support, nonideal_power;
  };
  void straight();
  void collect(Graph& g, Totals& t) const;
  void collect_instance(Graph& g, const Part& part, std::uint32_t k, Totals& t) const;
  [[nodiscard]] std::vector<NodeId> constraint_powers(Graph& g, const Totals& t,
                                                      const std::vector<NodeId>& multiplier) const;
  LinearSolution solve_rows(Graph& g, const LinearSystem& solved, const Totals& t, std::vector<NodeId>& ideal) const;
  void straight_rhs(Graph& g, const Totals& t, const LinearSolution& solution, const std::vector<NodeId>& ideal);
  void straight_stage(Graph& g, const std::vector<Store>& rhs);
  // Functions of the values of `stores` for states where rows stand and none is near the others; nothing else.
  bool add_lean_function(const char* name, Graph& g, std::vector<Store> stores, const std::vector<NodeId>& pivot,
                         const std::vector<NodeId>& scale, const StandingRows& rows);
  void straight_assemble(Graph& g, const Totals& t, const LinearSystem& linear);
  void straight_corrections(Graph& g, const Totals& t, const LinearSolution& solution);
  [[nodiscard]] std::vector<Store> nonideal_stores(Graph& g, const Totals& t, const LinearSystem& linear) const;
  [[nodiscard]] std::vector<Store> rate_stores(Graph& g, const Totals& t, const LinearSystem& linear) const;
  void straight_by_calls(Graph& g, const Totals& t, const LinearSystem& linear);
  void straight_quasi(Graph& g, const Totals& t, const LinearSystem& linear, const QuasiSteps& quasi,
                      const DenseSteps& dense);
  // Accelerations and multipliers from what is assembled, into deriv; `nonideal` adds the prescribed forces to f.
  template <class AddForces>
  void add_solution(kernel::Function& f, const DenseSteps& dense, const QuasiSteps* quasi, AddForces&& nonideal) const;

  // ---- loops: one block a family, values added into arrays, routines between
  void looped();
  // A block that runs once per instance of the part, for the contributions whose target is wanted.
  template <class Wanted>
  void add_part(kernel::Function& f, const Part& part, Wanted&& wanted);
  template <class Wanted>
  void add_parts(kernel::Function& f, Wanted&& wanted);
  std::uint32_t constants_of(const Part& part);
  void add_constants(kernel::Function& f);
  void add_constraint_power(kernel::Function& f);
  void add_row_power(kernel::Function& f, const Part& part);
  void looped_assemble(kernel::Function& f);
  void looped_rhs(const DenseSteps& dense, const QuasiSteps* quasi);
  void looped_quasi(const DenseSteps& dense, const QuasiSteps& quasi);
  void clear_quasi(kernel::Function& f);
  void looped_corrections(const DenseSteps& dense);
  void find_lanes();
  void laned_stage(std::uint32_t scratch);

  const System& system_;
  const FormulateOptions& options_;
  Pattern pattern_;
  std::vector<bool> inertia_rows_;
  Formulated out_;
  std::uint32_t work_ = 0, acceleration_ = 0;
  bool speeds_in_work_ = false;  // leaves of speeds and accelerations mean those that `expand` and the solve left
  std::map<const Part*, std::uint32_t> constants_;
  std::optional<InertiaBlocks> blocks_;  // of a system that has lanes, without extra rows
  std::optional<LanePartition> lanes_;
};

template <class AddForces>
void Formulation::add_solution(kernel::Function& f, const DenseSteps& dense, const QuasiSteps* quasi,
                               AddForces&& nonideal) const {
  const SystemLayout& l = out_.layout;
  bool factored = speeds_in_work_;  // `expand` came before
  const auto solve = [&] {
    if (quasi)
      quasi->accelerations(f, factored);
    else
      dense.accelerations(f);
    factored = true;
  };
  solve();
  if (l.ideal) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t r = 0; r < l.n_rows; ++r) pairs.emplace_back(l.lambda + r, *l.ideal + r);
    add_copy(f, Space::work, Space::work, pairs);
    nonideal(f);
    solve();
  }
  if (quasi)
    quasi->store(f, speeds_in_work_);
  else
    dense.store(f);
}

}  // namespace mbc::formulate
