#include "runtime/routines.h"

#include "runtime/support/mbc_support.h"

namespace mbc::runtime {
namespace {

constexpr Routine kRoutines[] = {{"mbc_dense_solve", mbc_dense_solve, mbc_dense_solve_check}};

}  // namespace

std::span<const Routine> routines() { return kRoutines; }

const Routine* find_routine(std::string_view symbol) {
  for (const Routine& routine : kRoutines)
    if (routine.symbol == symbol) return &routine;
  return nullptr;
}

RoutineRanges routine_ranges(const kernel::RoutineCall& call) {
  const std::vector<std::uint32_t>& plan = call.plan;
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
