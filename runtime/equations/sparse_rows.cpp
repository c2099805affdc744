// SPDX-License-Identifier: Apache-2.0
// Solves linear systems on the kernel's sparse plan and examines the blocks of M.
#include "runtime/equations/sparse_rows.h"

#include <Eigen/Core>
#include <algorithm>

#include "kernel/limits.h"
#include "kernel/routines.h"
#include "kernel/support/mbc_support.h"
#include "runtime/rows/mass_scaling.h"

namespace mbc::runtime {

namespace {

// Systems up to these sizes are examined as full matrices.
constexpr std::uint32_t kDenseRows = 400;
constexpr std::uint32_t kDenseSpeeds = 1200;
constexpr std::uint32_t kMostSpeeds = 8000;  // of a full matrix
constexpr std::uint64_t kMostEntries = std::uint64_t{kernel::kMaxDenseRows} * kMostSpeeds;

const kernel::RoutineCall* sparse_call(const kernel::Kernel& kernel) {
  const kernel::Function* rhs = kernel.function("rhs");
  for (const kernel::RoutineCall& call : rhs->calls)
    if (call.symbol == "mbc_sparse_solve") return &call;
  return nullptr;
}

// Returns the end of the places in work that blocks of the function use. The assembled values occupy a small part of
// work.
std::uint32_t work_end(const kernel::Function& f) {
  std::uint32_t end = 0;
  for (const kernel::Block& block : f.blocks)
    for (const kernel::Inst& inst : block.code) {
      const bool access = inst.kind == kernel::Inst::Kind::load || inst.kind == kernel::Inst::Kind::store;
      if (!access || inst.space != kernel::Space::work) continue;
      for (std::uint32_t k = 0; k < (inst.indexed ? block.count : 1); ++k)
        for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
          end = std::max(end, place_of(block, inst, k, lane) + 1);
    }
  return end;
}

}  // namespace

// Rows at the border are not counted, because they are mostly zero.
bool is_large(const kernel::SystemLayout& layout) {
  const std::uint32_t rows = layout.n_rows - layout.border_rows;
  return layout.sparse && (rows > kDenseRows || layout.n_speeds > kDenseSpeeds || is_beyond_dense(layout));
}

bool is_beyond_dense(const kernel::SystemLayout& layout) {
  const std::uint32_t rows = layout.n_rows - layout.border_rows;
  return layout.sparse && (rows > kernel::kMaxDenseRows || layout.n_speeds > kMostSpeeds ||
                           std::uint64_t{layout.n_rows} * layout.n_speeds > kMostEntries);
}

std::vector<double> SparseRows::assemble_errors(double t, const double* y) {
  std::vector<double> work_error(work_end(runner_.function(KernelRunner::k_assemble)), 0.0);
  std::vector<double> deriv_error(runner_.kernel().n_state, 0.0);
  runner_.call_with_error(KernelRunner::k_assemble, t, y, work_error, deriv_error);
  return work_error;
}

bool SparseRows::solve(const std::vector<double>& rows, const std::vector<double>& force,
                       const std::vector<double>& right_side, SparseSolution& out) {
  const kernel::RoutineCall& call = *sparse_call(runner_.kernel());
  const std::span<double> work = runner_.work_to_write();
  std::copy(force.begin(), force.end(), work.begin() + layout_.f);
  std::copy(right_side.begin(), right_side.end(), work.begin() + layout_.b);
  if (call_routine(call, rows.data(), work.data()) != 0) return false;
  const double* acceleration = work.data() + call.plan[MBC_PLAN_UDOT];
  const double* multiplier = work.data() + call.plan[MBC_PLAN_LAMBDA];
  out.acceleration.assign(acceleration, acceleration + layout_.n_speeds);
  out.multiplier.assign(multiplier, multiplier + layout_.n_rows);
  return true;
}

std::vector<std::uint32_t> SparseRows::without_inertia(double t, const double* y) {
  runner_.assemble(t, y);
  const double* M = runner_.mass_values();
  const std::vector<std::uint32_t>& plan = sparse_call(runner_.kernel())->plan;
  if (plan[MBC_PLAN_MASS_KIND] == 0) {
    for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
      if (M[i] <= 0) return {i};
    return {};
  }
  const std::uint32_t* table = plan.data() + plan[MBC_SPARSE_BLOCKS_AT];
  for (std::uint32_t k = 0; k < plan[MBC_SPARSE_BLOCKS]; ++k) {
    const std::uint32_t* block = plan.data() + table[2 * k];
    const std::uint32_t size = block[0], *entry = block + 1 + size;
    Eigen::MatrixXd full(size, size);
    for (std::uint32_t i = 0; i < size; ++i)
      for (std::uint32_t j = 0; j <= i; ++j, ++entry)
        full(i, j) = full(j, i) = *entry == MBC_SPARSE_NONE ? 0.0 : M[*entry];
    // A block that is not finite is reported elsewhere.
    if (full.allFinite() && !positive_definite(full)) return {block + 1, block + 1 + size};
  }
  return {};
}

}  // namespace mbc::runtime
