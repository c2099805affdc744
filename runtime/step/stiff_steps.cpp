// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/stiff_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/epsilon.h"
#include "base/same_bits.h"
#include "runtime/record/run_failure.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

// kLoosest is the tolerance that one step may use up as a whole, and kFinest the smallest tolerance of a step.
constexpr double kLoosest = 1e-2;
constexpr double kFinest = 1e-12;
constexpr double kRateDifference = 1e-5;   // of the sizes of the model: step of difference quotients
constexpr double kNearlyDependent = 1e-5;  // distance of rows at the start
// Rounding along a direction that nearly dependent rows hold together, in units of eps/s
constexpr double kStiffStepsRounded = 64;

// Returns the part of the tolerance for one step. With steps of order 5 the error of the motion is the 5/6-th power of
// their error. For the motion to follow the tolerance, a step is held to the 6/5-th power of it.
double share_of(double rtol) { return std::max(std::pow(rtol / kLoosest, 0.2), std::min(kFinest / rtol, 1.0)); }

}  // namespace

StiffSteps::StiffSteps(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                       Integration& integration, Stepping& stepping, Limits limits)
    : options_(options),
      state_(state),
      constraints_(constraints),
      integration_(integration),
      stepping_(stepping),
      limits_(std::move(limits)),
      jacobian_(options_.partials(), state_.equations()),
      radius_(jacobian_.matrix().cols()),
      method_(integration_.method().use<Bdf>(problem())),
      share_(share_of(limits_.tolerance)),
      failed_state_(state_.y().size()),
      projected_(failed_state_.size()),
      follows_(state_.equations().inputs().size()) {
  const problem::Events& events = state_.info().events;
  for (const problem::Friction& f : events.frictions)
    for (const std::uint32_t k : f.direction) follows_[events.discrete.input_of(k)] = f.count > 1 ? 1 : 0;
  integration_.coarsen(lowest_rebound());
}

// Returns the tolerance, enlarged for coordinates below atol/rtol.
double StiffSteps::lowest_rebound() const {
  double most = 0;
  for (std::uint32_t k = 0; k < state_.layout().n_coordinates; ++k) most = std::max(most, std::fabs(state_.y()[k]));
  const bool absolute = !options_.control.by_sizes && most > 0;
  return std::max(kLowestRebound, limits_.tolerance * (absolute ? limits_.size(0, most) / most : 1));
}

Bdf::Problem StiffSteps::problem() {
  Bdf::Problem p;
  p.n = state_.y().size();
  p.rate = [this](double t, const double* y, double* dy) { return rate(t, y, dy); };
  p.jacobian = [this](double t, double gamma, const double* y, double* out) { return jacobian(t, gamma, y, out); };
  p.allowed = [this](const double* y, double* out) { allowed(y, out); };
  if (constraints_.stabiliser().corrects() || !state_.info().quaternions.empty())
    p.project = [this](double t, const double* y, double* correction) { return project(t, y, correction); };
  p.max_step = limits_.max_step;
  p.initial_step = options_.control.initial_step;
  return p;
}

bool StiffSteps::rate(double t, const double* y, double* dy) {
  if (stepping_.fast_rhs(t, y, dy) == 0) return true;
  failed_time_ = t;
  std::copy_n(y, failed_state_.size(), failed_state_.begin());
  return false;
}

bool StiffSteps::jacobian(double t, double gamma, const double* y, double* out) {
  differs_ = nearly_dependent();
  if (differs_) return by_differences(t, y, out);
  ++state_.data().evaluations;
  if (!jacobian_.evaluate(t, y)) {
    // The rate of sqrt(max(h, 0)) is defined at h = 0, and its derivative is not.
    differs_ = !constraints_.stabiliser().corrects();
    if (differs_) return by_differences(t, y, out);
    failed_time_ = t;
    std::copy_n(y, failed_state_.size(), failed_state_.begin());
    return false;
  }
  if (constraints_.stabiliser().corrects()) jacobian_.weigh(gamma);
  const std::size_t n = failed_state_.size(), size = jacobian_.size();
  const double* columns = jacobian_.matrix().data();
  for (std::size_t j = 0; j < size; ++j) std::copy_n(columns + j * size, size, out + j * n);
  return true;
}

// Computes the Jacobian by differences of the rates. The elimination for derivatives squares the distance of nearly
// dependent rows and loses all digits; the rates do not.
bool StiffSteps::by_differences(double t, const double* y, double* out) {
  const std::size_t n = failed_state_.size(), size = jacobian_.size();
  std::vector<double> here(n), there(n), moved(y, y + n);
  if (!rate(t, y, here.data())) return false;
  const auto at = static_cast<Eigen::Index>(size);
  differences_.resize(at, at);
  for (std::size_t j = 0; j < size; ++j) {
    const double step = kRateDifference * std::max(std::fabs(y[j]), limits_.size(static_cast<std::uint32_t>(j), y[j]));
    moved[j] = y[j] + step;
    if (!rate(t, moved.data(), there.data())) return false;
    moved[j] = y[j];
    for (std::size_t i = 0; i < size; ++i) out[j * n + i] = (there[i] - here[i]) / step;
    std::copy_n(out + j * n, size, differences_.data() + j * size);
  }
  return true;
}

bool StiffSteps::nearly_dependent() const {
  const RankReport& start = state_.data().start;
  return start.rank > 0 && start.smallest_kept < kNearlyDependent;
}

// Fills the allowed errors, a part of the tolerance. Of the work integrals ten times as much is allowed, and at least
// kStiffWork. If rows are nearly dependent from the start, at a distance s, no state is known better than to eps/s.
void StiffSteps::allowed(const double* y, double* out) const {
  for (std::uint32_t i = 0; i < state_.layout().work_at(); ++i)
    out[i] = std::max(share_ * limits_.tolerance * limits_.size(i, y[i]), limits_.rounded(i));
  if (nearly_dependent()) {
    const ModelSize& model = constraints_.projector().size();
    const double known = kStiffStepsRounded * kEpsilon / state_.data().start.smallest_kept;
    for (std::uint32_t j = 0; j < state_.layout().n_speeds; ++j) {
      if (!(model.root_inertia[j] > 0)) continue;
      const std::uint32_t i = state_.info().coordinate_of_speed[j], u = state_.layout().speeds_at() + j;
      if (i != problem::Problem::kNoCoordinate)
        out[i] = std::max(out[i], known * model.position / model.root_inertia[j]);
      out[u] = std::max(out[u], known * model.speed / model.root_inertia[j]);
    }
  }
  const double work = std::max(10 * share_ * limits_.tolerance, kStiffWork);
  for (std::uint32_t i = state_.layout().work_at(); i < state_.layout().n_y(); ++i)
    out[i] = work * limits_.size(i, y[i]);
}

bool StiffSteps::is_rounded() const {
  for (std::uint32_t i = 0; i < state_.layout().work_at(); ++i)
    if (limits_.rounded(i) > share_ * limits_.tolerance * limits_.size(i, state_.y()[i])) return true;
  return false;
}

bool StiffSteps::project(double t, const double* y, double* correction) {
  std::copy_n(y, projected_.size(), projected_.begin());
  normalise(state_.info(), projected_.data());
  if (constraints_.stabiliser().corrects()) {
    uncorrected_ = projected_;
    corrected_at_ = t;
    off_ = 0;
    // With nearly dependent rows the elimination has no digits left for soft directions.
    if (!nearly_dependent()) project_softly(t, projected_.data());
    stabilised_ = constraints_.after_step(t, projected_.data());
    if (stabilised_.diagnostic || !stabilised_.conflicting.empty()) return false;
  }
  for (std::size_t i = 0; i < projected_.size(); ++i) correction[i] = projected_[i] - y[i];
  return std::all_of(correction, correction + projected_.size(), [](double c) { return std::isfinite(c); });
}

// Makes one Newton step onto the constraints, of positions and then of speeds, that does not work against stiff forces.
// The smallest correction by mass would stretch springs that the step has just brought to rest.
void StiffSteps::project_softly(double t, double* y) {
  for (const bool position : {true, false}) {
    state_.equations().residuals(t, y);
    const double* e = position ? state_.equations().position_residual() : state_.equations().velocity_residual();
    off_ = std::max(off_, off(position));
    constraints_.projector().displace(position, t, y, jacobian_.displacement(e).data());
  }
}

// Returns the largest present residual, |e|/|G|, relative to the size of the model.
double StiffSteps::off(bool position) const {
  const double* e = position ? state_.equations().position_residual() : state_.equations().velocity_residual();
  double most = 0;
  for (std::size_t k = 0; k < state_.info().rows.size(); ++k) {
    const double size = std::sqrt(state_.equations().pivot_scale()[k]);
    if (size > 0) most = std::max(most, std::fabs(e[k]) / size);
  }
  return most / constraints_.projector().size().of(position);
}

// Returns whether the history of the method is still valid, because nothing has changed since its last step.
bool StiffSteps::goes_on(double t) const {
  return method_.has_history() && t == method_.time() && state_.y() == method_.y_new() &&
         param_changes_ == state_.equations().param_changes() && same_inputs();
}

// Compares the inputs with those of the last step. Sizes of loads are left out, because each evaluation finds them. So
// are the directions of slips in a plane (ContactInstant::follow), because no rate depends on them while there is a
// slip. Unknown values of tests and sweeps are not numbers.
bool StiffSteps::same_inputs() const {
  const auto inputs = state_.equations().inputs();
  if (inputs.size() != inputs_.size()) return false;
  for (std::uint32_t i = 0; i < inputs.size(); ++i)
    if (!same_bits(inputs.subspan(i, 1), {&inputs_[i], 1}) && !state_.equations().reaction_dependent().is_size(i) &&
        follows_[i] == 0)
      return false;
  return true;
}

double StiffSteps::fastest() {
  const std::uint64_t jacobians = method_.counts().jacobians;
  if (looked_at_ != jacobians) fastest_ = radius_.of(differs_ ? differences_ : jacobian_.matrix());
  looked_at_ = jacobians;
  return fastest_;
}

bool StiffSteps::step(double t, double end) {
  shrunk_ = undefined_ = false;
  if (!goes_on(t)) {
    method_.restart(t, state_.y(), end);
    param_changes_ = state_.equations().param_changes();
    inputs_.assign(state_.equations().inputs().begin(), state_.equations().inputs().end());
  }
  const std::uint64_t rejected = method_.counts().rejected;
  const Bdf::Outcome outcome = method_.step(end);
  state_.data().rejected += method_.counts().rejected - rejected;
  if (outcome != Bdf::Outcome::done) return fail(t, outcome);
  state_.data().largest_correction = std::max(state_.data().largest_correction, stabilised_.moved);
  return true;
}

bool StiffSteps::fail(double t, Bdf::Outcome why) {
  method_.forget();
  if (why == Bdf::Outcome::off) return stepping_.accepts(t, projected_.data(), stabilised_);
  undefined_ = why == Bdf::Outcome::undefined;
  shrunk_ = !undefined_;
  return false;
}

void StiffSteps::stop_undefined() {
  state_.stop(why_stage_undefined(state_.equations(), state_.info(), state_.integrated(), failed_time_, failed_state_));
}

}  // namespace mbc::runtime
