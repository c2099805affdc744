// SPDX-License-Identifier: Apache-2.0
// States on a singular position itself: a start there, a motion that ends there, and loads that would make it go on.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/constraints/offset_from_singularity.h"
#include "runtime/equations/user_place.h"
#include "runtime/simulation/data/run_failure.h"
#include "runtime/simulation/passage.h"

namespace mbc::runtime {

namespace {

constexpr double kSlow = 1e-3;  // and of a motion that comes to rest where steps do not lead across the position
constexpr double kPassageRestResting = 1e-3;  // singular value of what is open at such a position

// Part of the free acceleration along what is open that drives a model away.
constexpr double kOpenLoad = 1e-3;

// At the decomposed state, on a singular position: the free acceleration along what the rows leave open there, as a
// part of all of it.
double open_load(Equations& equations, double weak) {
  const Assembled& here = equations.assembled();
  const Eigen::VectorXd a = here.scaling.to_scaled(here.free_acceleration());
  double open = 0;
  for (const CountedPart& part : equations.counted().parts)
    if (part.by_position && part.smallest() < weak) {
      const Eigen::Index held = part.rank - part.weak(kPassageRestResting);
      open = std::max(open, (part.V.rightCols(part.V.cols() - held).transpose() * a(part.columns)).norm());
    }
  return a.norm() > 0 ? open / a.norm() : 0;
}

// Something else moves: another part of the model, a row that depends on time, a first-order state. The model cannot
// rest.
bool driven(Equations& equations, const std::vector<double>& rate) {
  const Assembled& here = equations.assembled();
  const kernel::SystemLayout& l = equations.layout();
  const double found = here.scaling.norm(Eigen::Map<const Eigen::VectorXd>(rate.data() + l.speeds_at(), l.n_speeds));
  if (!(found <= kOpenLoad * here.scaling.norm(here.free_acceleration()))) return true;
  return std::any_of(rate.begin() + l.states_at(), rate.begin() + l.work_at(), [](double r) { return r != 0; });
}

Diagnostic bifurcation(const problem::Problem& info, std::size_t row, double t, const char* what) {
  Diagnostic d;
  d.kind = Kind::bifurcation;
  d.time = t;
  point_at_row(d, info, row);
  d.args = {what};
  d.help = "start beside it, or give it a velocity along the motion that is meant";
  return d;
}

}  // namespace

// The row that the weakest direction holds most of.
std::size_t Passage::row_about_to_be_lost() const {
  std::size_t row = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const CountedPart& part : run_.equations.counted().parts) {
    if (!part.by_position || part.rank == 0 || part.smallest() > smallest) continue;
    smallest = part.smallest();
    const Eigen::VectorXd shares = part.U.col(part.rank - 1).cwiseAbs();
    Eigen::Index k = 0;  // of equal ones the first, whatever their rounding
    while (shares[k] < (1 - 1e-6) * shares.maxCoeff()) ++k;
    row = static_cast<std::size_t>(part.rows[static_cast<std::size_t>(k)]);
  }
  return row;
}

// Compared with the speed that loads give it over its own size.
bool Passage::slow(const std::vector<double>& y, double part_of_natural) const {
  const Assembled& here = run_.equations.assembled();
  const double speed =
      here.scaling.norm(Eigen::Map<const Eigen::VectorXd>(y.data() + run_.layout.speeds_at(), run_.layout.n_speeds));
  const double natural = std::sqrt(here.scaling.norm(here.free_acceleration()) * rank_.extent(y.data()));
  return speed <= part_of_natural * natural;
}

// The whole model is at rest here, and stays where nothing drives it along what is open.
bool Passage::rest(double t) {
  if (run_.options.stop_at_singular && !resting_) return stop_at(t);
  std::vector<double>& y = run_.integrated.y();
  std::fill(y.begin() + run_.layout.speeds_at(), y.begin() + run_.layout.states_at(), 0.0);
  const bool known = std::exchange(resting_, true);
  if (!stays(t) || failed_ || known) return !failed_;
  Diagnostic d;
  d.kind = Kind::rests_singular;
  d.time = t;
  point_at_row(d, run_.info, row_about_to_be_lost());
  run_.data.warnings.push_back(std::move(d));
  return true;
}

bool Passage::stays(double t) {
  std::vector<double>&y = run_.integrated.y(), &dy = run_.integrated.dy();
  ++run_.data.evaluations;
  if (rank_.rhs(t, y.data(), dy.data()) != 0) {
    failed_ = true;
    return !run_.undefined(t);
  }
  near_ = true;
  if (open_load(run_.equations, kWeak) > kOpenLoad || driven(run_.equations, dy)) {
    failed_ = true;
    const char* what =
        "the model is at rest on a singular position, and a load acts along what the constraints leave open there";
    return run_.end(RunStatus::stopped, bifurcation(run_.info, row_about_to_be_lost(), t, what)) || true;
  }
  for (std::uint32_t i = 0; i < run_.layout.states_at(); ++i) dy[i] = 0;
  return true;
}

// The rate at a state on the position itself, which only a start can be: u' of the parts concerned is the limit along
// the motion, by the mean of its values beside. Odd terms cancel; two distances leave an error of the fourth order.
bool Passage::limit_at(double t) {
  if (run_.options.stop_at_singular) return stop_at(t);
  const std::vector<double>& y = run_.integrated.y();
  if (slow(y, kAtRest) &&
      !(open_load(run_.equations, kWeak) <= kOpenLoad && driven(run_.equations, run_.integrated.dy())))
    return rest(t);
  std::vector<double>& dy = run_.integrated.dy();
  const kernel::SystemLayout& l = run_.layout;
  const double e = offset_from_singularity(run_.equations, t, y.data(), dy.data());
  if (e == 0) return true;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(l.n_speeds);
  for (const auto& [place, share] : {std::pair{1, 4.0 / 6}, {-1, 4.0 / 6}, {2, -1.0 / 6}, {-2, -1.0 / 6}}) {
    between_ = y;
    for (std::uint32_t i = 0; i < l.n_coordinates; ++i) between_[i] += place * e * dy[i];
    normalise(run_.info, between_.data());
    const double at = t + place * e;
    if (!rank_.project(at, between_.data(), run_.options.tolerance).converged ||
        rank_.rhs(at, between_.data(), scratch_.data()) != 0 || rank_.clearance(bound_) < 1)
      return true;
    mean += share * Eigen::Map<const Eigen::VectorXd>(scratch_.data() + l.speeds_at(), l.n_speeds);
  }
  rank_.rhs(t, y.data(), dy.data());
  for (const CountedPart& part : run_.equations.counted().parts)
    if (part.by_position && part.smallest() < bound_)
      for (const Eigen::Index j : part.columns) dy[l.speeds_at() + static_cast<std::size_t>(j)] = mean[j];
  return true;
}

// A start on a position that its speeds do not lead off: of the whole model, or of a part beside what moves. False: the
// run ends.
bool Passage::rests_at_start(double t) {
  if (rank_.driven_off()) {
    failed_ = true;
    const char* what =
        "no speed leads off a singular position that a part of the model is on, but what acts on it does";
    return run_.end(RunStatus::stopped, bifurcation(run_.info, row_about_to_be_lost(), t, what));
  }
  if (!slow(run_.integrated.y(), kAtRest) ||
      (open_load(run_.equations, kWeak) <= kOpenLoad && driven(run_.equations, run_.integrated.dy())))
    return true;
  return rest(t) && !failed_;
}

// now_, where no step leads on.
bool Passage::comes_to_rest() {
  return rank_.rhs(now_.t, now_.y.data(), scratch_.data()) == 0 && slow(now_.y, kSlow) &&
         open_load(run_.equations, kWeak) <= kOpenLoad && !driven(run_.equations, scratch_);
}

// A step that is long enough leads across without a state beside the position.
bool Passage::leads_across(double t, const std::vector<double>& y, bool accepted) {
  constexpr double kAll = 1e300;
  if (!rank_.watches() || rank_.rhs(t, y.data(), scratch_.data()) != 0) return false;
  const std::vector<CountedPart>& here = run_.equations.counted().parts;
  bool across = false;
  for (std::size_t k = 0; k < before_.size(); ++k)
    across = across || (here[k].by_position && !sign_changes(before_[k], here[k], kAll).empty());
  if (accepted) before_ = here;
  return across;
}

// `at_singular = stop`, at the decomposed state. False.
bool Passage::stop_at(double t) {
  failed_ = true;
  run_.data.reached = t;
  return run_.end(RunStatus::stopped, singular_position(run_.info, row_about_to_be_lost(), t));
}

}  // namespace mbc::runtime
