// SPDX-License-Identifier: Apache-2.0
// The steps of a kernel that call the linear routines of the support library: places in work, plans, copies. They use
// the dense routines, or mbc_sparse_solve if there is a plan for it.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/builder/options.h"
#include "compiler/formulate/solve/sparse_plan.h"

namespace mbc::formulate {

class DenseSteps {
 public:
  using Field = std::function<std::uint32_t(const char* name, std::uint32_t size)>;

  // `field` allocates in work. The layout outlives the object. `light`: some speeds have hardly any inertia.
  DenseSteps(const SystemLayout& layout, bool light, const Field& field, std::optional<SparsePlan> plan = {});

  // Computes accelerations at work[u' ..] and multipliers, from M, f, A, b (and the weights) in work.
  void accelerations(kernel::Function& f) const;
  // Copies the accelerations to deriv.
  void store(kernel::Function& f) const;
  // Computes the correction w with A w = right side at b; f in work is 0.
  void correction(kernel::Function& f) const;

  // Writes M in the form of the routines: mass_kind() is 0 for its diagonal, 1 for a full matrix. M includes the added
  // rows if `with_rows`, and f does if `with_force`.
  std::uint32_t expand_mass(kernel::Function& f, bool with_rows, bool with_force) const;
  [[nodiscard]] std::uint32_t mass_kind() const { return diagonal_ ? 0 : 1; }
  [[nodiscard]] std::uint32_t mass_at() const { return dense_mass_; }
  [[nodiscard]] std::uint32_t scratch_at() const { return scratch_; }  // free between calls
  [[nodiscard]] std::uint32_t scratch_end() const { return scratch_end_; }
  [[nodiscard]] std::uint32_t acceleration_at() const { return acceleration_; }

 private:
  void solve(kernel::Function& f, const char* routine, std::uint32_t mass_kind, std::uint32_t result,
             std::uint32_t multipliers) const;

  const SystemLayout& layout_;
  std::optional<SparsePlan> plan_;
  bool alone_;  // the augmented system has M without rows: it may be singular, but has to be well scaled
  bool diagonal_;
  std::uint32_t dense_mass_ = 0, acceleration_ = 0, unused_ = 0, scratch_ = 0, scratch_end_ = 0;
};

// Returns the plan for a looped kernel if it is cheaper than the dense solve (or requested in any case). contact_rows
// are mostly zero; with `apart` they always are, and then the plan is used if it exists.
std::optional<SparsePlan> choose_plan(const SystemLayout& layout, LinearSolve wanted,
                                      const std::vector<std::uint32_t>& contact_rows = {}, bool apart = false);

// Returns why a system is too large to be solved with this plan, or without one; empty if it is not. `work`: doubles of
// everything else.
std::string why_too_large(const SystemLayout& layout, const std::optional<SparsePlan>& plan, std::uint64_t work);

}  // namespace mbc::formulate
