// SPDX-License-Identifier: Apache-2.0
#include "kernel/routines.h"

#include "kernel/limits.h"
#include "kernel/support/mbc_support.h"

namespace mbc::kernel {

// The support library includes no header of the kernel, so that both define the tolerance.
static_assert(kPivotTolerance == MBC_PIVOT_TOLERANCE);

namespace {

constexpr Routine kRoutines[] = {{"mbc_dense_solve", mbc_dense_solve, mbc_dense_solve_check},
                                 {"mbc_sparse_solve", mbc_sparse_solve, mbc_sparse_solve_check},
                                 {"mbc_augmented_solve", mbc_augmented_solve, mbc_augmented_solve_check},
                                 {"mbc_quasi_solve", mbc_quasi_solve, mbc_quasi_solve_check},
                                 {"mbc_add_rows", mbc_add_rows, mbc_add_rows_check}};

RoutineRanges add_rows_ranges(const std::vector<std::uint32_t>& plan) {
  const std::uint32_t n = plan[MBC_ADD_N], m = plan[MBC_ADD_M];
  const WorkRange mass{plan[MBC_ADD_MASS], n * n}, weight{plan[MBC_ADD_WEIGHT], m};
  RoutineRanges ranges{{mass, weight, {plan[MBC_ADD_A], plan[MBC_ADD_ROW_PTR + m]}, {plan[MBC_ADD_B], m}},
                       {mass, weight}};
  if (plan[MBC_ADD_FORCE] != MBC_ADD_NONE)
    for (auto* list : {&ranges.in, &ranges.out}) list->push_back({plan[MBC_ADD_FORCE], n});
  return ranges;
}

// Only the blocks after EXPAND read u, so that it is no input; y, G and choice are data of the runtime and finite.
RoutineRanges quasi_ranges(const std::vector<std::uint32_t>& plan) {
  const std::uint32_t n = plan[MBC_QUASI_N], m = plan[MBC_QUASI_M], user = plan[MBC_QUASI_USER];
  const std::uint32_t* row_ptr = plan.data() + MBC_QUASI_ROW_PTR;
  const std::uint32_t mode = plan[MBC_QUASI_MODE];
  RoutineRanges ranges{{{plan[MBC_QUASI_A], row_ptr[m]},
                        {plan[MBC_QUASI_Y_ROWS], row_ptr[m + user] - row_ptr[m]},
                        {plan[MBC_QUASI_MASS], plan[MBC_QUASI_MASS_KIND] != 0 ? n * n : n}},
                       {}};
  const auto in = [&](int word, std::uint32_t size) { ranges.in.push_back({plan[word], size}); };
  const auto out = [&](int word, std::uint32_t size) { ranges.out.push_back({plan[word], size}); };
  if ((mode & MBC_QUASI_EXPAND) != 0) {
    in(MBC_QUASI_C, m);
    in(MBC_QUASI_Z, user);
    if (plan[MBC_QUASI_MOMENTA] > 0) in(MBC_QUASI_OFFSET, n);
    out(MBC_QUASI_U, n);
  }
  if ((mode & (MBC_QUASI_ACCELERATE | MBC_QUASI_MAGGI)) != 0) {
    in(MBC_QUASI_FORCE, n);
    in(MBC_QUASI_B, m);
    in(MBC_QUASI_BIAS, user);
    out(MBC_QUASI_UDOT, n);
    if ((mode & MBC_QUASI_ACCELERATE) != 0) out(MBC_QUASI_YDOT, n);
    for (int word : {MBC_QUASI_LAMBDA, MBC_QUASI_PIVOT, MBC_QUASI_PIVOT_SCALE}) out(word, m);
  }
  return ranges;
}

}  // namespace

std::span<const Routine> routines() { return kRoutines; }

const Routine* find_routine(std::string_view symbol) {
  for (const Routine& routine : kRoutines)
    if (routine.symbol == symbol) return &routine;
  return nullptr;
}

RoutineRanges routine_ranges(const RoutineCall& call) {
  const std::vector<std::uint32_t>& plan = call.plan;
  if (call.symbol == "mbc_add_rows") return add_rows_ranges(plan);
  if (call.symbol == "mbc_quasi_solve") return quasi_ranges(plan);
  const std::uint32_t n = plan[MBC_PLAN_N];
  const std::uint32_t m = plan[MBC_PLAN_M];
  const bool sparse = call.symbol == "mbc_sparse_solve";
  const std::uint32_t row_ptr = sparse ? std::uint32_t{MBC_SPARSE_ROW_PTR} : std::uint32_t{MBC_PLAN_ROW_PTR};
  const std::uint32_t mass_size = sparse ? plan[MBC_SPARSE_MASS_SIZE] : plan[MBC_PLAN_MASS_KIND] != 0 ? n * n : n;
  return {{{plan[MBC_PLAN_MASS], mass_size},
           {plan[MBC_PLAN_FORCE], n},
           {plan[MBC_PLAN_A], plan[row_ptr + m]},
           {plan[MBC_PLAN_B], m}},
          {{plan[MBC_PLAN_UDOT], n},
           {plan[MBC_PLAN_LAMBDA], m},
           {plan[MBC_PLAN_PIVOT], m},
           {plan[MBC_PLAN_PIVOT_SCALE], m}}};
}

std::int32_t call_routine(const RoutineCall& call, const double* mask, double* work) {
  const Routine* routine = find_routine(call.symbol);
  return routine != nullptr ? routine->call(call.plan.data(), mask, work) : -1;
}

}  // namespace mbc::kernel
