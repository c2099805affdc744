// SPDX-License-Identifier: Apache-2.0
// Wraps CVODE. No other file includes SUNDIALS.
#include "runtime/integrators/bdf.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/epsilon.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr int kStepsOfClock = 1000;  // steps to the end of a piece, whose time roundings add up
constexpr int kMostFailures = 25;    // per step: its size shrinks by 4 to 10 with each

struct Free {
  void operator()(SUNContext c) const { SUNContext_Free(&c); }
  void operator()(N_Vector v) const { N_VDestroy(v); }
  void operator()(SUNMatrix m) const { SUNMatDestroy(m); }
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
  void operator()(void* memory) const { CVodeFree(&memory); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Free>;

// Returns max |x_i w_i| instead of the mean, because the allowed error holds for every component.
realtype largest(N_Vector x, N_Vector w) {
  const realtype *a = NV_DATA_S(x), *b = NV_DATA_S(w);
  realtype most = 0;
  for (sunindextype i = 0; i < NV_LENGTH_S(x); ++i) {
    const realtype size = std::fabs(a[i] * b[i]);
    if (!(size <= most)) most = size;
    if (!std::isfinite(size)) return std::numeric_limits<realtype>::infinity();
  }
  return most;
}

void say_nothing(int, const char*, const char*, char*, void*) {}

}  // namespace

class Bdf::Solver {
 public:
  explicit Solver(Problem problem) : problem_(std::move(problem)), y_(problem_.n) {
    SUNContext context = nullptr;
    CHECK(SUNContext_Create(nullptr, &context) == 0, "SUNDIALS gives a context");
    context_.reset(context);
    const auto n = static_cast<sunindextype>(problem_.n);
    state_.reset(N_VMake_Serial(n, y_.data(), context));
    state_->ops->nvwrmsnorm = largest;  // vectors that are cloned from it have its operations
    between_.reset(N_VClone(state_.get()));
    errors_.reset(N_VClone(state_.get()));
    weights_.reset(N_VClone(state_.get()));
    matrix_.reset(SUNDenseMatrix(n, n, context));
    linear_.reset(SUNLinSol_Dense(state_.get(), matrix_.get(), context));
    memory_.reset(CVodeCreate(CV_BDF, context));
    CHECK(memory_ && linear_, "SUNDIALS has the memory it asks for");
  }

  Outcome restart(double t, const std::vector<double>& y, double end) {
    y_ = y;
    time_ = t;
    by_hand_ = false;
    keep_counts();
    // At late times CVODE counts from here. It moves the state by h, and the rounding of t + h would be an error.
    zero_ = kStepsOfClock * kEpsilon * std::fabs(t) > kClockRounding * (end - t) ? t : 0;
    inner_ = inner_before_ = t - zero_;
    if (!begun_)
      begin(inner_);
    else
      good(CVodeReInit(memory_.get(), inner_, state_.get()));
    begun_ = true;
    good(CVodeSetInitStep(memory_.get(), std::min(problem_.initial_step, end - t)));
    return Outcome::done;
  }

  Outcome step(double end) {
    if (end - time_ <= kNoStep * std::max(std::fabs(time_), std::fabs(end))) return instant(end);
    if (by_hand_) restart(time_, std::vector<double>(y_), end);
    const double inner_end = end - zero_;
    good(CVodeSetStopTime(memory_.get(), inner_end));
    // Without this limit steps would not end where t + h equals t. It is that of CVODE's clock.
    good(CVodeSetMinStep(memory_.get(), std::min(kSmallestStep * std::fabs(inner_), inner_end - inner_)));
    before_ = time_;
    // Steps that a late clock does not show are parts of one that it shows.
    do {
      realtype t = inner_before_ = inner_;
      const int status = CVode(memory_.get(), inner_end, state_.get(), &t, CV_ONE_STEP);
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
      if (status < 0) return failure(status);
      inner_ = t;
      time_ = t == inner_end ? end : zero_ + t;
    } while (time_ <= before_);
    return Outcome::done;
  }

  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] double length() const { return time_ - before_; }
  [[nodiscard]] const std::vector<double>& y() const { return y_; }

  void interpolate(double t, std::vector<double>& out) const {
    if (by_hand_) {
      out = y_;
      return;
    }
    good(CVodeGetDky(memory_.get(), std::clamp(t - zero_, inner_before_, inner_), 0, between_.get()));
    std::copy_n(NV_DATA_S(between_.get()), out.size(), out.begin());
  }

  [[nodiscard]] double error() const {
    if (by_hand_) return 0;
    if (CVodeGetEstLocalErrors(memory_.get(), errors_.get()) != CV_SUCCESS ||
        CVodeGetErrWeights(memory_.get(), weights_.get()) != CV_SUCCESS)
      return 0;
    return largest(errors_.get(), weights_.get());
  }

  void neglected(std::vector<double>& out) const {
    const bool known = !by_hand_ && CVodeGetEstLocalErrors(memory_.get(), errors_.get()) == CV_SUCCESS;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = known ? NV_DATA_S(errors_.get())[i] : 0;
  }

  [[nodiscard]] std::size_t worst() const {
    if (CVodeGetEstLocalErrors(memory_.get(), errors_.get()) != CV_SUCCESS ||
        CVodeGetErrWeights(memory_.get(), weights_.get()) != CV_SUCCESS)
      return 0;
    std::size_t at = 0;
    double most = 0;
    for (std::size_t i = 0; i < problem_.n; ++i) {
      const double share = std::fabs(NV_DATA_S(errors_.get())[i] * NV_DATA_S(weights_.get())[i]);
      if (share > most) at = i;
      most = std::max(most, share);
    }
    return at;
  }

  [[nodiscard]] double attempted() const {
    realtype h = 0;
    CVodeGetCurrentStep(memory_.get(), &h);
    return h;
  }

  [[nodiscard]] Counts counts() const {
    Counts all = counts_;
    if (!begun_) return all;
    long errors = 0, failures = 0, jacobians = 0, factored = 0;
    CVodeGetNumErrTestFails(memory_.get(), &errors);
    CVodeGetNumNonlinSolvConvFails(memory_.get(), &failures);
    CVodeGetNumJacEvals(memory_.get(), &jacobians);
    CVodeGetNumLinSolvSetups(memory_.get(), &factored);
    CVodeGetLastOrder(memory_.get(), &all.order);
    all.rejected += static_cast<std::uint64_t>(errors + failures);
    all.jacobians += static_cast<std::uint64_t>(jacobians);
    all.factored += static_cast<std::uint64_t>(factored);
    return all;
  }

 private:
  static void good(int status) { CHECK(status == CV_SUCCESS, "SUNDIALS accepts what it is given"); }

  // Moves the state by its rate over an interval that is too short for CVODE, between two events. CVODE begins again
  // after it.
  Outcome instant(double end) {
    if (!problem_.rate(time_, y_.data(), NV_DATA_S(between_.get()))) return Outcome::undefined;
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += (end - time_) * NV_DATA_S(between_.get())[i];
    before_ = std::exchange(time_, end);
    by_hand_ = true;
    return Outcome::done;
  }

  // The counters of CVODE start again at every restart.
  void keep_counts() { counts_ = counts(); }

  void begin(double t) {
    void* memory = memory_.get();
    good(CVodeSetErrHandlerFn(memory, say_nothing, nullptr));
    good(CVodeSetErrFile(memory, nullptr));
    good(CVodeInit(memory, rate, t, state_.get()));
    good(CVodeSetUserData(memory, this));
    good(CVodeWFtolerances(memory, weights));
    good(CVodeSetLinearSolver(memory, linear_.get(), matrix_.get()));
    good(CVodeSetJacFn(memory, jacobian));
    good(CVodeSetMaxNumSteps(memory, -1));
    good(CVodeSetMaxHnilWarns(memory, -1));
    good(CVodeSetMaxErrTestFails(memory, kMostFailures));
    good(CVodeSetMaxConvFails(memory, kMostFailures));
    good(CVodeSetStabLimDet(memory, SUNTRUE));
    good(CVodeSetNonlinConvCoef(memory, kNewtonPart));
    if (problem_.max_step > 0) good(CVodeSetMaxStep(memory, problem_.max_step));
    if (!problem_.project) return;
    good(CVodeSetProjFn(memory, project));
    good(CVodeSetProjErrEst(memory, SUNFALSE));
    good(CVodeSetMaxNumProjFails(memory, kMostFailures));
  }

  static Outcome failure(int status) {
    switch (status) {
      case CV_RHSFUNC_FAIL:
      case CV_FIRST_RHSFUNC_ERR:
      case CV_REPTD_RHSFUNC_ERR:
      case CV_UNREC_RHSFUNC_ERR:
      case CV_LSETUP_FAIL:
        return Outcome::undefined;
      case CV_PROJFUNC_FAIL:
      case CV_REPTD_PROJFUNC_ERR:
        return Outcome::off;
      case CV_CONV_FAILURE:
        return Outcome::no_solution;
      default:
        return Outcome::inaccurate;
    }
  }

  // Calls f. Its exception waits until CVODE has returned, because it must not cross the frames of CVODE. The result 1
  // asks for a shorter step.
  template <class F>
  static int guarded(void* of, F&& f) {
    auto& solver = *static_cast<Solver*>(of);
    try {
      return f(solver) ? 0 : 1;
    } catch (...) {
      solver.thrown_ = std::current_exception();
      return -1;
    }
  }

  static int rate(realtype t, N_Vector y, N_Vector dy, void* of) {
    return guarded(of, [&](Solver& s) { return s.problem_.rate(s.zero_ + t, NV_DATA_S(y), NV_DATA_S(dy)); });
  }
  static int jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix J, void* of, N_Vector, N_Vector, N_Vector) {
    return guarded(of, [&](Solver& s) {
      realtype gamma = 0;
      good(CVodeGetCurrentGamma(s.memory_.get(), &gamma));
      return s.problem_.jacobian(s.zero_ + t, gamma, NV_DATA_S(y), SM_DATA_D(J));
    });
  }
  static int project(realtype t, N_Vector y, N_Vector correction, realtype, N_Vector, void* of) {
    return guarded(of, [&](Solver& s) { return s.problem_.project(s.zero_ + t, NV_DATA_S(y), NV_DATA_S(correction)); });
  }
  static int weights(N_Vector y, N_Vector weights, void* of) {
    const int status = guarded(of, [&](Solver& s) {
      s.problem_.allowed(NV_DATA_S(y), NV_DATA_S(weights));
      return true;
    });
    // CVODE divides by the weights, so a weight of zero is replaced by a tiny one.
    for (sunindextype i = 0; i < NV_LENGTH_S(weights); ++i)
      NV_Ith_S(weights, i) = std::max(1 / NV_Ith_S(weights, i), 1e-100);
    return status;
  }

  Problem problem_;
  std::vector<double> y_;
  double time_ = 0, before_ = 0;
  double zero_ = 0, inner_ = 0, inner_before_ = 0;  // origin of CVODE's clock; the two times on that clock
  bool begun_ = false;
  bool by_hand_ = false;  // CVODE has not made the last step
  Counts counts_;
  std::exception_ptr thrown_;
  Owned<SUNContext> context_;  // it outlives the objects made in it
  Owned<N_Vector> state_, between_, errors_, weights_;
  Owned<SUNMatrix> matrix_;
  Owned<SUNLinearSolver> linear_;
  Owned<void*> memory_;
};

Bdf::Bdf(Problem problem) : solver_(std::make_unique<Solver>(std::move(problem))) {}
Bdf::~Bdf() = default;

Bdf::Outcome Bdf::restart(double t, const std::vector<double>& y, double end) {
  has_history_ = true;
  return solver_->restart(t, y, end);
}
Bdf::Outcome Bdf::step(double end) { return solver_->step(end); }
double Bdf::time() const { return solver_->time(); }
double Bdf::length() const { return solver_->length(); }
const std::vector<double>& Bdf::y_new() const { return solver_->y(); }
void Bdf::interpolate(StepPoint at, const std::vector<double>&, std::vector<double>& out) const {
  solver_->interpolate(at.t, out);
}
std::size_t Bdf::worst() const { return solver_->worst(); }
double Bdf::error() const { return solver_->error(); }
void Bdf::neglected(std::vector<double>& out) const { solver_->neglected(out); }
double Bdf::attempted() const { return solver_->attempted(); }
Bdf::Counts Bdf::counts() const { return solver_->counts(); }

}  // namespace mbc::runtime
