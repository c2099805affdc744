// SPDX-License-Identifier: Apache-2.0
// Attempts of pieces, what becomes of them, and what is recorded where none may end.
#include "runtime/singular/crossing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/epsilon.h"
#include "base/numbers.h"
#include "base/stop_flag.h"
#include "runtime/singular/offset_from_singularity.h"

namespace mbc::runtime {

namespace {

constexpr double kBound = 2e-5;           // singular value below which nothing is evaluated
constexpr double kBoundOfWork = 1e-4;     // the same where rows that move do work, with the noise of accelerations
constexpr double kBoundOfTurn = 1e-9;     // the same where the rows are known to miss the singular position
constexpr double kCrossingNear = 1e-4;    // d/S, relative to what is usual, below which a state is near one
constexpr double kScreen = 1e-6;          // and below which the elimination is not used
constexpr double kStepsAway = 8;          // a state is near when it is fewer steps away
constexpr double kApart = 0.1;            // singular value from which a state is not near in any case
constexpr double kCrossingError = 1e-9;   // of a piece, relative to the coordinates and the speeds, mass-weighted
constexpr double kCrossingEnergy = 1e-7;  // of the kinetic energy: what a piece may miss the work by
constexpr double kNoise = 64;             // times eps/s^3: noise of accelerations, which driven rows count as work
constexpr double kMostNoise = 1e-5;       // of the kinetic energy: and at most
constexpr double kCrossingMissed = 256;   // rounding of the residuals at the position, times eps and the extent
constexpr double kTurnOver = 0.2;         // of the turn that offset_from_singularity stands for
constexpr double kSmallestError = 1e-13;  // of a piece, relative: below it is rounding
constexpr double kSmallest = 1e-9;        // step, relative to the one asked for
constexpr double kOfDrift = 0.1;          // of a gap, or of s^2 of the extent: from there on drift decides
constexpr int kMostPieces = 20000;
// Pieces that are tried if one comes too close: parts of its length, then its length plus so many steps.
constexpr std::array<double, 2> kNearer{0.72, 0.38};
constexpr std::array<double, 11> kBeyond{0.07, 0.19, 0.31, 0.53, 0.97, 1.7, 2.9, 4.7, 7.9, 13, 21};

}  // namespace

Crossing::Crossing(const SimulateOptions& options, RunState& state, GenericRank& rank, VanishingRows& vanishing_rows,
                   Certification& certification, const Stabiliser& stabiliser, Method& of_run)
    : options_(options),
      state_(state),
      equations_(state.equations()),
      info_(state.info()),
      layout_(equations_.layout()),
      rank_(rank),
      vanishing_rows_(vanishing_rows),
      certification_(certification),
      stabiliser_(stabiliser),
      y_(state.y()),
      dy_(state.dy()),
      of_run_(of_run),
      method_(y_.size()),
      scratch_(y_.size()) {}

void Crossing::rows_chosen_again(double t) {
  rank_.decide(t, y_.data(), nullptr, true);
  watch();
}

// Certification and lanes stop at states with a smaller pivot.
void Crossing::watch() {
  std::vector<double> limits = rank_.limits();
  limits.resize(info_.rows.size());
  vanishing_rows_.raise(limits);
  certification_.watch(limits);
}

double Crossing::bound() const {
  if (gap_ > 0) return kBoundOfTurn;
  const bool works = !now_.dy.empty() && now_.dy[layout_.work_at() + 1] != 0;
  return works ? kBoundOfWork : kBound;
}

// Returns whether the position is reached, or was left, within a few steps. Pivots are squares of distances.
bool Crossing::moves_fast(double t, double h, double least) {
  constexpr double kPart = 0.05;
  between_ = y_;
  for (std::size_t i = 0; i < between_.size(); ++i) between_[i] += kPart * h * dy_[i];
  if (equations_.rhs(t + kPart * h, between_.data(), scratch_.data()) != 0) return true;
  const double change = std::sqrt(std::max(rank_.least_pivot(), 0.0)) - std::sqrt(std::max(least, 0.0));
  return std::sqrt(least) <= kStepsAway * std::fabs(change) / kPart;
}

bool Crossing::away() {
  near_ = false;
  gap_ = livelier_ = 0;
  return false;
}

bool Crossing::looks_near(double t, double h) {
  if (resting_) return stays(t);
  if (!rank_.watches() || equations_.mode() == SolveMode::literal) return away();
  const double least = rank_.least_pivot();
  if (least >= 1e-2) return away();
  near_ = !(least >= kCrossingNear) || moves_fast(t, h, least);
  ++state_.data().evaluations;
  // a row that depends on others for good is no position: the certification sees to it
  const bool decomposed = near_ && rank_.rhs(t, y_.data(), dy_.data()) == 0;
  chosen_poorly_ = decomposed && rank_.clearance(kApart) >= 1;
  if (decomposed && !chosen_poorly_) {
    if (rank_.clearance(bound()) >= 1) return true;
    from_position_ = true;
    return limit_at(t);
  }
  away();
  equations_.rhs(t, y_.data(), dy_.data());
  return false;
}

// Evaluates the rates by the elimination while its pivots are large, and otherwise by the generic rank. Notes whether
// the state is too close to the position for that.
std::int32_t Crossing::evaluate(double t, const double* y, double* dy) {
  ++state_.data().evaluations;
  if (!layout_.quasi && equations_.rhs(t, y, dy) == 0 && rank_.least_pivot() >= kScreen) return 0;
  const std::int32_t failed = rank_.rhs(t, y, dy);
  if (failed != 0) return failed;
  too_close_ = too_close_ || rank_.clearance(bound()) < 1;
  nearest_ = std::min(nearest_, rank_.clearance(1));
  return 0;
}

bool Crossing::at_point(Point& point) {
  point.dy.resize(point.y.size());
  point.scaling = {};
  ++state_.data().evaluations;
  if (rank_.rhs(point.t, point.y.data(), point.dy.data()) != 0) return false;
  point.scaling = equations_.assembled().scaling;
  point.parts = equations_.truncated().parts;
  point.lambda = Eigen::Map<const Eigen::VectorXd>(equations_.lambda(), layout_.n_rows);
  equations_.outputs(point.t, point.y.data(), point.dy.data());
  const std::size_t work = layout_.work_at();
  point.kinetic = std::fabs(equations_.kinetic());
  point.energy = equations_.kinetic() + equations_.potential() - point.y[work] - point.y[work + 1];
  return true;
}

// One piece from now_ to next_; measured: its error counts.
Crossing::Piece Crossing::attempt(double h, bool measured) {
  next_.y = now_.y;
  next_.t = now_.t + h;
  too_close_ = false;
  nearest_ = std::numeric_limits<double>::infinity();
  const auto rhs = [this](double at, const double* y, double* dy) {
    const std::int32_t failed = evaluate(at, y, dy);
    return failed == 0 && too_close_ ? 1 : failed;
  };
  std::int32_t failed = method_.step(rhs, now_.t, h, now_.y, now_.dy);
  if (failed == 0 && measured) failed = method_.estimate(rhs, now_.t);
  next_.y = method_.y_new();
  if (failed != 0) return too_close_ ? Piece::too_close : Piece::undefined;
  if (!std::all_of(next_.y.begin(), next_.y.end(), [](double v) { return std::isfinite(v); })) return Piece::undefined;
  if (measured && !accurate()) return Piece::inaccurate;
  normalise(info_, next_.y.data());
  if (stabiliser_.corrects()) {
    double moved = 0;
    if (!rank_.project(next_.t, next_.y.data(), options_.tolerance, &moved)) return Piece::off;
    state_.data().largest_correction = std::max(state_.data().largest_correction, moved);
  }
  if (!at_point(next_)) return Piece::undefined;
  return rank_.clearance(bound()) < 1 ? Piece::too_close : judge();
}

// Returns whether the error of the step is small enough along the directions that the rows leave free. The rest is
// corrected after the step.
bool Crossing::accurate() {
  const std::vector<double>& error = method_.error();
  const MassScaling& scaling = now_.scaling;
  if (!scaling.valid()) return false;
  const kernel::SystemLayout& l = layout_;
  const auto size_along_free = [&](const Eigen::VectorXd& e) {
    Eigen::VectorXd w = scaling.to_scaled(e);
    for (const RowComponent& part : now_.parts)
      if (part.by_position)
        w(part.columns) = (part.free_directions() * (part.free_directions().transpose() * w(part.columns))).eval();
    return w.norm();
  };
  Eigen::VectorXd of_positions = Eigen::VectorXd::Zero(l.n_speeds);
  for (std::uint32_t j = 0; j < l.n_speeds; ++j)
    if (const std::uint32_t at = info_.coordinate_of_speed[j]; at != problem::Problem::kNoCoordinate)
      of_positions[j] = error[at];
  const auto speeds = [&](const std::vector<double>& y) {
    return Eigen::Map<const Eigen::VectorXd>(y.data() + l.speeds_at(), l.n_speeds);
  };
  const double allowed = gap_ > 0 ? kCrossingError : std::clamp(options_.control.rtol, kSmallestError, kCrossingError);
  return size_along_free(of_positions) <= allowed * rank_.extent(now_.y.data()) &&
         size_along_free(speeds(error)) <= allowed * scaling.norm(speeds(now_.y));
}

// Whatever has happened: a piece does not make energy, or lose it.
bool Crossing::keeps_energy() {
  livelier_ = std::max({livelier_, now_.kinetic, next_.kinetic});
  const double change = std::fabs(next_.energy - now_.energy);
  const double rounding = kCrossingMissed * kEpsilon * std::fabs(now_.energy);
  return change <= kCrossingEnergy * livelier_ + rounding + noise_of_work();
}

// Rows that move do work u M u' along the direction that is about to be lost. Its noise is that of u', eps/s^3, while
// the speeds themselves are known to eps/s^2: a state is right whose work is off by so much.
double Crossing::noise_of_work() const {
  const std::size_t of_rows = layout_.work_at() + 1;
  if (now_.y[of_rows] == next_.y[of_rows]) return 0;
  double s = std::min(nearest_, rank_.clearance(1));
  for (const RowComponent& part : now_.parts)
    if (part.by_position && part.rank > 0) s = std::min(s, part.smallest());
  const double turn = (next_.t - now_.t) * std::sqrt(2 * livelier_) / rank_.extent(now_.y.data());
  return livelier_ * std::min(kMostNoise, kNoise * kEpsilon * turn / (s * s * s));
}

Crossing::Piece Crossing::judge() {
  std::optional<double> crossed;
  for (std::size_t k = 0; k < now_.parts.size(); ++k) {
    if (!now_.parts[k].by_position) continue;
    for (const SignChange& change : sign_changes(now_.parts[k], next_.parts[k], kWeak)) {
      if (const Piece why = passes(change, k); why != Piece::good) return why;
      crossed = now_.t + change.fraction * (next_.t - now_.t);
    }
  }
  if (!now_.parts.empty() && !keeps_energy()) return Piece::energy;
  for (std::size_t k = 0; k < next_.parts.size(); ++k) {
    const RowComponent& part = next_.parts[k];
    if (!part.by_position || part.weak(kWeak) == 0) continue;
    const double off = drift(part.U.col(part.rank - 1), k, next_), s = part.smallest();
    if (off <= kOfDrift * s * s * rank_.extent(next_.y.data())) continue;
    drift_ = off;
    return Piece::drifts;
  }
  crossed_ = crossed;
  return Piece::good;
}

// By how much rows that nothing corrects are off in that combination. Rows that are off by d hold there what x y = d is
// to x y = 0: within sqrt(d) of the position the motion turns off, as that of a linkage whose bars are too long by d.
double Crossing::drift(const Eigen::VectorXd& left, std::size_t part, const Point& at) {
  if (stabiliser_.corrects()) return 0;
  const Eigen::VectorXd e = rank_.off(at.t, at.y.data(), part);
  return e.size() == left.size() ? std::fabs(left.dot(e)) : 0;
}

// For the summary.
void Crossing::note() {
  PositionsPassed& passed = state_.data().passed;
  for (const RowComponent& part : next_.parts)
    if (part.by_position && part.rank > 0 && part.smallest() < passed.smallest) {
      passed.smallest = part.smallest();
      passed.when = next_.t;
    }
  if (!crossed_) return;
  ++passed.count;
  if (passed.times.size() < PositionsPassed::kKept) passed.times.push_back(*crossed_);
  crossed_.reset();
}

// Decides whether the motion passes a position. Where the singular value is 0 the rows do not hold the direction, so
// the motion passes only if they are met there all the same.
Crossing::Piece Crossing::passes(const SignChange& change, std::size_t part) {
  const double t = now_.t + change.fraction * (next_.t - now_.t);
  interpolate(t);
  if (!rank_.project_strong(t, between_.data(), options_.tolerance, part, now_.parts[part].weak(kWeak)))
    return Piece::turns;
  const Eigen::VectorXd e = rank_.off(t, between_.data(), part);
  if (e.size() != change.left.size()) return Piece::good;  // rows of other levels: nothing to be met
  const double missed = std::fabs(change.left.dot(e));
  if (missed <= kCrossingMissed * kEpsilon * rank_.extent(between_.data())) return Piece::good;
  // rows that are off as much on one side of the position, or the other, have drifted
  if (std::max(drift(change.left, part, now_), drift(change.left, part, next_)) > kOfDrift * missed) {
    drift_ = missed;
    return Piece::drifts;
  }
  gap_ = missed;
  return Piece::turns;
}

// Between now_ and next_: cubic in y (Hermite), its derivative, multipliers linear.
void Crossing::interpolate(double t) {
  const double h = next_.t - now_.t, x = (t - now_.t) / h;
  between_.resize(now_.y.size());
  for (std::size_t i = 0; i < between_.size(); ++i) {
    const double step = next_.y[i] - now_.y[i], a = h * now_.dy[i] - step, b = step - h * next_.dy[i];
    between_[i] = now_.y[i] + x * step + x * (1 - x) * ((1 - x) * a + x * b);
    scratch_[i] = (step + (1 - 2 * x) * ((1 - x) * a + x * b) + x * (1 - x) * (b - a)) / h;
  }
  normalise(info_, between_.data());
}

// A piece of another length than one that came too close: nearer at first, once, then over the position. Its error is
// not looked at, since a step of this size was accurate just before.
bool Crossing::avoid(double length, double h, bool nearer) {
  // however small the steps are: over so much of a turn of the rows
  h = std::max(h, kTurnOver * offset_from_singularity(equations_, now_.t, now_.y.data(), now_.dy.data()));
  const auto good = [&](double piece) { return attempt(piece, false) == Piece::good; };
  return (nearer && std::any_of(kNearer.begin(), kNearer.end(), [&](double part) { return good(part * length); })) ||
         std::any_of(kBeyond.begin(), kBeyond.end(), [&](double steps) { return good(length + steps * h); });
}

// The state at `end`, where the motion is behind it already.
void Crossing::show(double end) {
  interpolate(end);
  y_ = between_;
  dy_ = scratch_;
  const double x = (end - now_.t) / (next_.t - now_.t);
  equations_.set_lambda((1 - x) * now_.lambda + x * next_.lambda);
}

Crossing::Status Crossing::go_to(double end, double h) {
  double size = h;
  bool approached = false;
  for (pieces_ = 0; pieces_ < kMostPieces && now_.t < end; ++pieces_) {
    if (is_set(options_.stop)) {
      y_ = began_;
      state_.data().status = RunStatus::interrupted;
      return Status::ended;
    }
    const bool whole = now_.t + 1.0001 * size >= end;
    const double length = whole ? end - now_.t : size;
    const Piece why = attempt(length, true);
    if (why == Piece::good) {
      if (crossed_ && options_.stop_at_singular) return stop_before(now_.t);
      if (whole) next_.t = end;
      note();
      size = std::min(2 * size, h);
      approached = false;
    } else if (why == Piece::too_close) {
      const bool known = gap_ > 0;
      if (!avoid(length, std::min(size, h), !approached)) {
        if (known || gap_ == 0) return fail(why, length);
        size = 0.5 * length;  // no position to be avoided: a turn to be followed
        continue;
      }
      if (options_.stop_at_singular) return stop_before(now_.t);
      note();
      approached = next_.t - now_.t < length;
      if (next_.t > end) {
        ahead_ = true;
        show(end);
        return Status::reached;
      }
    } else {
      size = 0.5 * length;
      if (why == Piece::drifts || size < kSmallest * h) return fail(why, why == Piece::drifts ? length : size);
      continue;
    }
    std::swap(now_, next_);
  }
  return now_.t >= end ? Status::reached : fail(Piece::turns, size);
}

Crossing::Status Crossing::step(double t, double end, double h) {
  if (resting_) return Status::reached;
  if (ahead_ && next_.t > end) {
    asked_for_ = end;
    show(end);
    return Status::reached;
  }
  if (std::exchange(ahead_, false)) {
    std::swap(now_, next_);
    at_point(now_);  // inputs may be others than before
  } else {
    now_.t = t;
    now_.y = y_;
    if (!at_point(now_) || rank_.clearance(bound()) < 1) {  // a start on the position: its rate is the limit
      now_.parts.clear();
      now_.dy = dy_;
    }
  }
  asked_for_ = end;
  began_ = y_;
  drift_ = 0;
  const Status status = go_to(end, h);
  if (status != Status::reached || resting_) return status;
  if (!ahead_) y_ = now_.y;
  of_run_.forget_history();
  state_.integrated().forget_quasi_velocities();
  return status;
}

// `at_singular = stop`: at the last state on this side of it.
Crossing::Status Crossing::stop_before(double t) {
  y_ = now_.y;
  rank_.rhs(t, now_.y.data(), scratch_.data());
  stop_at(t);
  return Status::ended;
}

// Decomposes the rows farther along the motion. GenericRank::give_up then sees whether they are as dependent there as
// here. Returns false if the rates are undefined there.
bool Crossing::lost_for_good(double h) {
  between_ = now_.y;
  const double far = kBeyond.back() * h;
  for (std::uint32_t i = 0; i < layout_.n_coordinates; ++i) between_[i] += far * now_.dy[i];
  normalise(info_, between_.data());
  return rank_.rhs(now_.t + far, between_.data(), scratch_.data()) == 0;
}

Crossing::Status Crossing::fail(Piece why, double h) {
  y_ = now_.y;
  if (why == Piece::too_close && rank_.rhs(now_.t, now_.y.data(), scratch_.data()) == 0 &&
      comes_to_rest(now_.y, scratch_))
    return rest(now_.t) ? Status::reached : Status::ended;
  if (why == Piece::too_close && lost_for_good(h) && rank_.give_up(bound())) {
    y_ = began_;
    watch();
    away();
    return Status::left;
  }
  state_.data().reached = now_.t;
  if (why == Piece::undefined) {
    state_.undefined(next_.t, next_.y.data());
    return Status::ended;
  }
  const std::string step = text::short_number(h, 2);
  std::string what;
  if (drift_ > 0)
    what = "the rows miss a singular position by " + text::short_number(drift_, 2) +
           ", by which they have drifted off their values: which way the motion takes cannot be told";
  else if (gap_ > 0)
    what = "the rows miss a singular position by " + text::short_number(gap_, 2) + ", and steps of " + step +
           " s do not tell to which side the motion turns off";
  else if (why == Piece::energy)
    what = "beside a singular position a step of " + step + " s would change the energy";
  else
    what = "the motion stays so close to a singular position that steps of " + step + " s cannot lead across it";
  const bool driven = static_cast<std::uint32_t>(rank_at_start_) == layout_.n_speeds;
  state_.stop(bifurcation(
      now_.t, std::move(what),
      !stabiliser_.corrects() ? "use `stabilise = project`: what drifts off the constraints cannot be led across"
      : driven ? "where what is driven can go no farther speeds grow without bound: end the run before; or look"
                 " whether lengths that are meant to agree do so to all digits"
               : "look whether lengths that are meant to agree do so to all digits"));
  return Status::ended;
}

void Crossing::Point::transfer(Archive& archive) {
  archive(t, y, dy, energy, kinetic);
  std::vector<double> values(lambda.begin(), lambda.end());
  archive(values);
  lambda = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  if (!archive.reading()) return;
  parts.clear();
  scaling = {};
}

void Crossing::transfer(Archive& archive) {
  archive(near_, resting_, failed_, from_position_, gap_, livelier_, ahead_, asked_for_, now_, next_, rank_,
          rank_at_start_);
  const std::size_t n = y_.size();
  const auto sound = [&](const Point& p) {
    const bool none = p.y.empty() && p.dy.empty() && !ahead_;
    return none || (p.y.size() == n && p.dy.size() == n && p.lambda.size() == layout_.n_rows);
  };
  archive.expect(sound(now_) && (!ahead_ || (sound(next_) && next_.t > now_.t)));
}

}  // namespace mbc::runtime
