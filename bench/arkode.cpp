// SPDX-License-Identifier: Apache-2.0
#include "bench/arkode.h"

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mbc::bench {
namespace {

constexpr double kUncounted = 1e300;  // The absolute tolerance is so large that an entry with it does not count.
constexpr long kMostSteps = 10'000'000;

int rate(realtype t, N_Vector y, N_Vector dy, void* given) {
  const auto& f = *static_cast<const RhsFunction*>(given);
  return f.call(f.context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
}

void expect(int flag, const char* what) {
  if (flag < 0) throw std::runtime_error(std::string("ARKODE: ") + what + " answers " + std::to_string(flag));
}

// This struct owns the objects that SUNDIALS requires to be freed.
struct Memory {
  SUNContext context = nullptr;
  N_Vector y = nullptr, allowed = nullptr;
  void* method = nullptr;

  explicit Memory(std::size_t n) {
    expect(-std::abs(SUNContext_Create(nullptr, &context)), "SUNContext_Create");
    y = N_VNew_Serial(static_cast<sunindextype>(n), context);
    allowed = N_VNew_Serial(static_cast<sunindextype>(n), context);
  }
  ~Memory() {
    if (method != nullptr) ERKStepFree(&method);
    N_VDestroy(allowed);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

}  // namespace

ArkodeRun run_arkode(const ArkodeProblem& problem, int order, double tolerance) {
  const std::size_t n = problem.start.size();
  Memory m(n);
  double* y = N_VGetArrayPointer(m.y);
  std::copy(problem.start.begin(), problem.start.end(), y);
  double* allowed = N_VGetArrayPointer(m.allowed);
  for (std::size_t i = 0; i < n; ++i) allowed[i] = i < problem.controlled ? tolerance : kUncounted;
  m.method = ERKStepCreate(rate, problem.begin, m.y, m.context);
  if (m.method == nullptr) throw std::runtime_error("ARKODE: ERKStepCreate gives nothing");
  RhsFunction rhs = problem.rhs;
  expect(ERKStepSetOrder(m.method, order), "ERKStepSetOrder");
  expect(ERKStepSVtolerances(m.method, tolerance, m.allowed), "ERKStepSVtolerances");
  expect(ERKStepSetUserData(m.method, &rhs), "ERKStepSetUserData");
  expect(ERKStepSetMaxNumSteps(m.method, kMostSteps), "ERKStepSetMaxNumSteps");
  expect(ERKStepSetStopTime(m.method, problem.end), "ERKStepSetStopTime");
  realtype reached = problem.begin;
  expect(ERKStepEvolve(m.method, problem.end, m.y, &reached, ARK_NORMAL), "ERKStepEvolve");
  long evaluations = 0;
  expect(ERKStepGetNumRhsEvals(m.method, &evaluations), "ERKStepGetNumRhsEvals");
  return {{y, y + n}, static_cast<std::uint64_t>(evaluations)};
}

}  // namespace mbc::bench
