#include "runtime/routines.h"

#include "runtime/support/mbc_support.h"

namespace mbc::runtime {
namespace {

constexpr Routine kRoutines[] = {{"mbc_dense_solve", mbc_dense_solve, mbc_dense_solve_check},
                                 {"mbc_augmented_solve", mbc_augmented_solve, mbc_augmented_solve_check},
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

}  // namespace

std::span<const Routine> routines() { return kRoutines; }

const Routine* find_routine(std::string_view symbol) {
  for (const Routine& routine : kRoutines)
    if (routine.symbol == symbol) return &routine;
  return nullptr;
}

RoutineRanges routine_ranges(const kernel::RoutineCall& call) {
  const std::vector<std::uint32_t>& plan = call.plan;
  if (call.symbol == "mbc_add_rows") return add_rows_ranges(plan);
  const std::uint32_t n = plan[MBC_PLAN_N];
  const std::uint32_t m = plan[MBC_PLAN_M];
  const std::uint32_t mass_size = plan[MBC_PLAN_MASS_KIND] != 0 ? n * n : n;
  return {{{plan[MBC_PLAN_MASS], mass_size},
           {plan[MBC_PLAN_FORCE], n},
           {plan[MBC_PLAN_A], plan[MBC_PLAN_ROW_PTR + m]},
           {plan[MBC_PLAN_B], m}},
          {{plan[MBC_PLAN_UDOT], n},
           {plan[MBC_PLAN_LAMBDA], m},
           {plan[MBC_PLAN_PIVOT], m},
           {plan[MBC_PLAN_PIVOT_SCALE], m}}};
}

std::int32_t call_routine(const kernel::RoutineCall& call, const double* mask, double* work) {
  const Routine* routine = find_routine(call.symbol);
  return routine != nullptr ? routine->call(call.plan.data(), mask, work) : -1;
}

}  // namespace mbc::runtime
