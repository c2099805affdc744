// SPDX-License-Identifier: Apache-2.0
// States on a singular position itself: a start there, a motion that ends there, and loads that would make it continue.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/constraints/determined_rows.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/user_place.h"
#include "runtime/singular/crossing.h"
#include "runtime/singular/offset_from_singularity.h"

namespace mbc::runtime {

namespace {

// Speed, relative to what loads give the model over its size, of a motion that comes to rest where no step leads
// across.
constexpr double kSlow = 1e-3;
constexpr double kCrossingResting = 1e-3;  // singular value of what is open at such a position
constexpr double kClearStart = 1e-3;       // smallest singular value of a start whose rank is beyond doubt
constexpr double kOpenLoad = 1e-3;         // part of the free acceleration along what is open that drives a model away

constexpr const char* kStartBeside = "start beside it, or give it a velocity along the motion that is meant";

}  // namespace

Diagnostic singular_position(const problem::Problem& info, std::size_t row, double t) {
  return about_row(info, row, Kind::singular_position, t, {quoted_name(info.rows[row].name)},
                   "`at_singular = continue` leads on where the motion has one way to go");
}

// Returns the first of equal rows, whatever their rounding.
std::size_t Crossing::row_about_to_be_lost() const {
  std::size_t row = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const RowComponent& part : equations_.truncated().parts) {
    if (!part.by_position || part.rank == 0 || part.smallest() > smallest) continue;
    smallest = part.smallest();
    const Eigen::VectorXd shares = part.U.col(part.rank - 1).cwiseAbs();
    Eigen::Index k = 0;
    while (shares[k] < (1 - 1e-6) * shares.maxCoeff()) ++k;
    row = static_cast<std::size_t>(part.rows[static_cast<std::size_t>(k)]);
  }
  return row;
}

Diagnostic Crossing::bifurcation(double t, std::string what, const char* help) const {
  return about_row(info_, row_about_to_be_lost(), Kind::bifurcation, t, {std::move(what)}, help);
}

// Compared with the speed that loads give it over its own size.
bool Crossing::slow(const std::vector<double>& y, double part_of_natural) const {
  const Assembled& here = equations_.assembled();
  const double speed =
      here.scaling.norm(Eigen::Map<const Eigen::VectorXd>(y.data() + layout_.speeds_at(), layout_.n_speeds));
  return speed <= part_of_natural * std::sqrt(here.scaling.norm(here.free_acceleration()) * rank_.extent(y.data()));
}

// At the decomposed state, on a position: a part of the free acceleration acts along what the rows leave open there.
bool Crossing::loaded() const {
  const Assembled& here = equations_.assembled();
  const Eigen::VectorXd a = here.scaling.to_scaled(here.free_acceleration());
  double open = 0;
  for (const RowComponent& part : equations_.truncated().parts)
    if (part.by_position && part.smallest() < kWeak) {
      const Eigen::Index held = part.rank - part.weak(kCrossingResting);
      open = std::max(open, (part.V.rightCols(part.V.cols() - held).transpose() * a(part.columns)).norm());
    }
  return open > kOpenLoad * a.norm();
}

// Something else moves: another component, a row that depends on time, a first-order state. The model cannot rest.
bool Crossing::driven(const std::vector<double>& rate) const {
  const Assembled& here = equations_.assembled();
  const double found =
      here.scaling.norm(Eigen::Map<const Eigen::VectorXd>(rate.data() + layout_.speeds_at(), layout_.n_speeds));
  return !(found <= kOpenLoad * here.scaling.norm(here.free_acceleration())) ||
         std::any_of(rate.begin() + layout_.states_at(), rate.begin() + layout_.work_at(),
                     [](double r) { return r != 0; });
}

bool Crossing::begins_at_rest() const { return slow(y_, kAtRest) && (loaded() || !driven(dy_)); }

// The whole model is at rest here, and stays where nothing drives it along what is open.
bool Crossing::rest(double t) {
  if (options_.stop_at_singular && !resting_) return stop_at(t);
  std::fill(y_.begin() + layout_.speeds_at(), y_.begin() + layout_.states_at(), 0.0);
  const bool known = std::exchange(resting_, true);
  if (!stays(t) || failed_ || known) return !failed_;
  state_.data().warnings.push_back(about_row(info_, row_about_to_be_lost(), Kind::rests_singular, t));
  return true;
}

bool Crossing::stays(double t) {
  ++state_.data().evaluations;
  if (rank_.rhs(t, y_.data(), dy_.data()) != 0) {
    failed_ = true;
    return !state_.undefined(t);
  }
  near_ = true;
  if (loaded() || driven(dy_)) {
    failed_ = true;
    state_.stop(bifurcation(
        t, "the model is at rest on a singular position, and a load acts along what the constraints leave open there",
        kStartBeside));
    return true;
  }
  std::fill(dy_.begin(), dy_.begin() + layout_.states_at(), 0.0);
  return true;
}

// The rate at a state on the position itself, which only a start can be: u' of the components concerned is the limit
// along the motion, by the mean of its values beside. Odd terms cancel; two distances leave an error of the fourth
// order.
bool Crossing::limit_at(double t) {
  if (options_.stop_at_singular) return stop_at(t);
  if (begins_at_rest()) return rest(t);
  const double e = offset_from_singularity(equations_, t, y_.data(), dy_.data());
  if (e == 0) return true;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(layout_.n_speeds);
  for (const auto& [place, share] : kMeanOfSides) {
    between_ = y_;
    for (std::uint32_t i = 0; i < layout_.n_coordinates; ++i) between_[i] += place * e * dy_[i];
    normalise(info_, between_.data());
    const double at = t + place * e;
    if (!rank_.project(at, between_.data(), options_.tolerance) ||
        rank_.rhs(at, between_.data(), scratch_.data()) != 0 || rank_.clearance(bound()) < 1)
      return true;
    mean += share * Eigen::Map<const Eigen::VectorXd>(scratch_.data() + layout_.speeds_at(), layout_.n_speeds);
  }
  rank_.rhs(t, y_.data(), dy_.data());
  for (const RowComponent& part : equations_.truncated().parts)
    if (part.by_position && part.smallest() < bound())
      for (const Eigen::Index j : part.columns) dy_[layout_.speeds_at() + static_cast<std::size_t>(j)] = mean[j];
  return true;
}

bool Crossing::begin(double t) {
  const RankReport& start = state_.data().start;
  watch();
  rank_at_start_ = start.rank;
  hold_determined(equations_, info_, t, y_.data());
  if (!rank_.watches() || equations_.mode() == SolveMode::literal) return true;
  const bool clear = start.rank == state_.rows_on() && start.smallest_kept > kClearStart;
  const GenericRank::Start found = rank_.decide(t, y_.data(), clear ? nullptr : &start);
  watch();
  if (found == GenericRank::Start::moves) {
    std::optional<Diagnostic> d = vanishing_rows_.at_rest(t, y_.data(), start, kMomentLater * options_.step);
    return !d || state_.stop(std::move(*d));
  }
  if (rank_.rhs(t, y_.data(), dy_.data()) != 0) return true;
  if (found == GenericRank::Start::driven_off) {
    failed_ = true;
    return state_.stop(bifurcation(
        t, "no speed leads off a singular position that a part of the model is on, but what acts on it does",
        kStartBeside));
  }
  return !begins_at_rest() || rest(t);
}

// Returns whether the motion comes to rest at the decomposed state, from which no step leads on.
bool Crossing::comes_to_rest(const std::vector<double>& y, const std::vector<double>& dy) const {
  return slow(y, kSlow) && !loaded() && !driven(dy);
}

// A step that is long enough leads across without a state beside the position.
bool Crossing::leads_across(double t, const std::vector<double>& y, bool accepted) {
  constexpr double kAll = 1e300;
  if (!rank_.watches() || rank_.rhs(t, y.data(), scratch_.data()) != 0) return false;
  const std::vector<RowComponent>& here = equations_.truncated().parts;
  bool across = false;
  for (std::size_t k = 0; k < before_.size(); ++k)
    across = across || (here[k].by_position && !sign_changes(before_[k], here[k], kAll).empty());
  if (accepted) before_ = here;
  return across;
}

// `at_singular = stop`, at the decomposed state. False.
bool Crossing::stop_at(double t) {
  failed_ = true;
  state_.data().reached = t;
  return state_.stop(singular_position(info_, row_about_to_be_lost(), t));
}

}  // namespace mbc::runtime
