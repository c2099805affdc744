// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/looped/dense_steps.h"

#include <unistd.h>

#include <algorithm>

#include "compiler/formulate/blocks/emit_block.h"
#include "kernel/support/mbc_support.h"

namespace mbc::formulate {

namespace {
// An operation of the sparse solve takes about as long as this many of the dense one.
constexpr std::uint64_t kSparsePrice = 2;
// Limits of the systems that the runtime treats as full matrices (Equations::large).
constexpr std::uint32_t kManyRows = 400, kManySpeeds = 1200;
// Contact rows are eliminated after the others if there are more rows than this; for fewer it does not matter.
constexpr std::uint32_t kFewRows = 60;

std::uint64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
}
}  // namespace

std::optional<SparsePlan> choose_plan(const SystemLayout& l, LinearSolve wanted,
                                      const std::vector<std::uint32_t>& contact_rows, bool apart) {
  // These formulations, and M with added rows, are solved as full matrices.
  if (wanted == LinearSolve::dense || l.augmented || l.quasi || !l.inertia_rows.empty()) return {};
  std::vector<char> off(contact_rows.empty() ? 0 : l.n_rows);
  for (const std::uint32_t row : contact_rows) off[row] = 1;
  if (!apart && l.n_rows < kFewRows) off.clear();
  const SparsePattern pattern{l.n_speeds, l.row_ptr, l.column, l.mass, off, !off.empty() && !apart};
  std::optional<SparsePlan> plan = plan_sparse(pattern);
  const bool taken = plan && (wanted == LinearSolve::sparse || (apart && !off.empty()) || l.n_rows > kManyRows ||
                              l.n_speeds > kManySpeeds || kSparsePrice * plan->operations < dense_operations(pattern));
  return taken ? std::move(plan) : std::nullopt;
}

std::string why_too_large(const SystemLayout& l, const std::optional<SparsePlan>& plan, std::uint64_t work) {
  const std::uint64_t n = l.n_speeds, m = l.n_rows;
  if (!plan && m > kMaxDenseRows) {
    const char* reason = l.quasi || l.augmented    ? "this formulation solves"
                         : !l.inertia_rows.empty() ? "a mass matrix that is singular without rows is solved with"
                                                   : "they are coupled so closely that they are solved as";
    return std::string(reason) + " a full matrix, of at most " + std::to_string(kMaxDenseRows) + " rows";
  }
  const bool full = !l.diagonal_mass() || !l.inertia_rows.empty();
  // Several copies of a kernel's plans exist: one in each of its three functions, and one during compilation.
  const std::uint64_t bytes = plan ? 8 * (work + plan->scratch) + 24 * plan->words.size()
                                   : 8 * (work + m * (m + n) + (full || l.quasi || l.augmented ? 4 * n * n : 0));
  const std::uint64_t there = memory_bytes();
  if (bytes < 8 * std::uint64_t{0x7fffffff} && (there == 0 || bytes < there)) return {};
  return "the equations need about " + std::to_string(bytes >> 30) + " GiB of memory, and there are " +
         std::to_string(there >> 30);
}

DenseSteps::DenseSteps(const SystemLayout& l, bool light, const Field& field, std::optional<SparsePlan> plan)
    : layout_(l), plan_(std::move(plan)), alone_(l.augmented && !light) {
  diagonal_ = l.diagonal_mass() && l.inertia_rows.empty() && l.mass.size() == l.n_speeds;
  if (plan_) {
    dense_mass_ = l.M;
    acceleration_ = field("u'", l.n_speeds);
    unused_ = field("mu", l.n_rows);
    scratch_ = field("scratch", plan_->scratch);
    scratch_end_ = scratch_ + plan_->scratch;
    return;
  }
  dense_mass_ = diagonal_ ? l.M : field("M.dense", l.n_speeds * l.n_speeds);
  acceleration_ = field("u'", l.n_speeds);
  unused_ = field("mu", l.n_rows);
  std::uint32_t scratch = mbc_dense_solve_scratch(l.n_speeds, l.n_rows, diagonal_ ? 0 : 1);
  if (l.augmented) scratch = std::max(scratch, mbc_augmented_solve_scratch(l.n_speeds, l.n_rows));
  scratch_ = field("scratch", scratch);
  scratch_end_ = scratch_ + scratch;
}

std::uint32_t DenseSteps::expand_mass(kernel::Function& f, bool with_rows, bool with_force) const {
  if (diagonal_ || plan_) return 0;
  const SystemLayout& l = layout_;
  add_clear(f, Space::work, dense_mass_, l.n_speeds * l.n_speeds);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (std::uint32_t k = 0; k < l.mass.size(); ++k)
    entries.emplace_back(l.M + k, dense_mass_ + l.mass[k].first * l.n_speeds + l.mass[k].second);
  add_copy(f, Space::work, Space::work, entries);
  if (!with_rows || l.inertia_rows.empty()) return 1;
  kernel::RoutineCall call{"mbc_add_rows", std::vector<std::uint32_t>(MBC_ADD_ROW_PTR)};
  call.plan[MBC_ADD_N] = l.n_speeds;
  call.plan[MBC_ADD_M] = l.n_rows;
  call.plan[MBC_ADD_MASS] = dense_mass_;
  call.plan[MBC_ADD_FORCE] = with_force ? l.f : MBC_ADD_NONE;
  call.plan[MBC_ADD_A] = l.A;
  call.plan[MBC_ADD_B] = l.b;
  call.plan[MBC_ADD_WEIGHT] = l.weight;
  call.plan.append(l.row_ptr);
  call.plan.append(l.column);
  push_call(f, std::move(call));
  return 1;
}

void DenseSteps::solve(kernel::Function& f, const char* routine, std::uint32_t mass_kind, std::uint32_t result,
                       std::uint32_t multipliers) const {
  const SystemLayout& l = layout_;
  kernel::RoutineCall call{routine, std::vector<std::uint32_t>(MBC_PLAN_ROW_PTR)};
  if (plan_) call = {"mbc_sparse_solve", plan_->words};
  call.plan[MBC_PLAN_N] = l.n_speeds;
  call.plan[MBC_PLAN_M] = l.n_rows;
  if (!plan_) call.plan[MBC_PLAN_MASS_KIND] = mass_kind;
  call.plan[MBC_PLAN_MASS] = dense_mass_;
  call.plan[MBC_PLAN_FORCE] = l.f;
  call.plan[MBC_PLAN_A] = l.A;
  call.plan[MBC_PLAN_B] = l.b;
  call.plan[MBC_PLAN_UDOT] = result;
  call.plan[MBC_PLAN_LAMBDA] = multipliers;
  call.plan[MBC_PLAN_PIVOT] = l.pivot;
  call.plan[MBC_PLAN_PIVOT_SCALE] = l.pivot_scale;
  call.plan[MBC_PLAN_SCRATCH] = scratch_;
  if (!plan_) {
    call.plan.append(l.row_ptr);
    call.plan.append(l.column);
  }
  push_call(f, std::move(call));
}

void DenseSteps::accelerations(kernel::Function& f) const {
  const SystemLayout& l = layout_;
  const std::uint32_t kind = expand_mass(f, !alone_, true);
  solve(f, l.augmented ? "mbc_augmented_solve" : "mbc_dense_solve", kind, acceleration_, l.lambda);
}

void DenseSteps::store(kernel::Function& f) const {
  add_copy(f, {Space::work, false, acceleration_}, {Space::deriv, false, layout_.speeds_at()}, layout_.n_speeds);
}

void DenseSteps::correction(kernel::Function& f) const {
  solve(f, "mbc_dense_solve", expand_mass(f, true, false), layout_.correction, unused_);
}

}  // namespace mbc::formulate
