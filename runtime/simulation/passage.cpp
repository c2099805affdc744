// SPDX-License-Identifier: Apache-2.0
// Attempts of steps, what becomes of them, and what is recorded where none may end.
#include "runtime/simulation/passage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/epsilon.h"
#include "base/numbers.h"
#include "base/stop_flag.h"
#include "runtime/constraints/offset_from_singularity.h"
#include "runtime/equations/user_place.h"
#include "runtime/record/run_failure.h"

namespace mbc::runtime {

namespace {

constexpr double kBound = 1e-5;          // singular value below which nothing is evaluated
constexpr double kBoundOfWork = 1e-4;    // the same for ends of pieces where rows that move do work, if it can be had
constexpr double kBoundOfEnds = 2e-5;    // and of all other ends, which the next piece begins from
constexpr double kBoundOfTurn = 1e-9;    // the same where the rows are known to miss the singular position
constexpr double kPassageBeside = 1e-4;  // d/S, relative to what is usual, below which a state is beside one
constexpr double kScreen = 1e-6;         // and below which the elimination is not used
constexpr double kStepsAway = 8;         // a state is near when it is fewer steps away
constexpr double kApart = 0.1;           // singular value from which a state is not near in any case
constexpr double kError = 1e-9;          // of a piece, relative to the coordinates and the speeds, mass-weighted
// By which the energy may miss the work in a piece, relative to the kinetic one
constexpr double kPassageEnergy = 1e-7;
constexpr double kClearStart = 1e-3;  // smallest singular value of a start whose rank is beyond doubt
constexpr double kNoise = 64;  // times eps/s^3: noise of accelerations at a distance s, which driven rows count as work
constexpr double kMostNoise = 1e-5;     // of the kinetic energy: and at most
constexpr double kPassageMissed = 256;  // rounding of the residuals at the position, times eps and the extent
constexpr double kTurnOver = 0.2;       // of the turn that offset_from_singularity stands for
constexpr double kSmallestError = 1e-13;
constexpr double kSmallest = 1e-9;  // step, relative to the one asked for
constexpr int kMostPieces = 20000;
// What is tried where a piece comes too close: parts of its length, then so many steps more than it.
constexpr std::array<double, 2> kNearer{0.72, 0.38};
constexpr std::array<double, 11> kBeyond{0.07, 0.19, 0.31, 0.53, 0.97, 1.7, 2.9, 4.7, 7.9, 13, 21};

// Rows that move have done some between two states.
bool rows_work(const kernel::SystemLayout& layout, const std::vector<double>& from, const std::vector<double>& to) {
  const std::size_t of_constraints = layout.work_at() + 1;
  return from[of_constraints] != to[of_constraints];
}

}  // namespace

Passage::Passage(RunParts& run)
    : run_(run),
      rank_(run.usual_rank),
      drift_(rank_),
      method_(run.integrated.y().size()),
      bound_(kBound),
      scratch_(run.integrated.y().size()) {}

void Passage::rows_chosen_again(double t) {
  rank_.count(t, run_.integrated.y().data(), true, true);
  watch();
}

// Certification and lanes stop at states with a smaller pivot.
void Passage::watch() {
  std::vector<double> limits = rank_.limits();
  limits.resize(run_.info.rows.size());
  run_.vanishing_rows.raise(limits);
  run_.certification.watch(limits);
}

bool Passage::begin(double t) {
  watch();
  if (!rank_.watches() || run_.equations.mode() == SolveMode::literal) return true;
  const RankReport& start = run_.data.start;
  const bool clear = start.rank == run_.rows_on() && start.smallest_kept > kClearStart;
  rank_.count(t, run_.integrated.y().data(), clear);
  watch();
  if (!rank_.rests() && !rank_.driven_off()) {
    std::optional<Diagnostic> d =
        run_.vanishing_rows.at_rest(t, run_.integrated.y().data(), start, kMomentLater * run_.options.step);
    return !d || run_.end(RunStatus::stopped, std::move(*d));
  }
  return rank_.rhs(t, run_.integrated.y().data(), run_.integrated.dy().data()) != 0 || rests_at_start(t);
}

// Whether the position is reached, or was left, within a few steps: pivots are squares of distances.
bool Passage::moves_fast(double t, double h, double least) {
  constexpr double kPart = 0.05;
  const std::vector<double>&y = run_.integrated.y(), &dy = run_.integrated.dy();
  between_ = y;
  for (std::size_t i = 0; i < between_.size(); ++i) between_[i] += kPart * h * dy[i];
  if (run_.equations.rhs(t + kPart * h, between_.data(), scratch_.data()) != 0) return true;
  const double change = std::sqrt(std::max(rank_.least_pivot(), 0.0)) - std::sqrt(std::max(least, 0.0));
  return std::sqrt(least) <= kStepsAway * std::fabs(change) / kPart;
}

bool Passage::away() {
  near_ = false;
  bound_ = kBound;
  gap_ = livelier_ = 0;
  return false;
}

bool Passage::looks_near(double t, double h) {
  if (resting_) return stays(t);
  if (!rank_.watches() || run_.equations.mode() == SolveMode::literal) return away();
  const double least = rank_.least_pivot();
  if (least >= 1e-2) return away();
  near_ = !(least >= kPassageBeside) || moves_fast(t, h, least);
  ++run_.data.evaluations;
  std::vector<double>&y = run_.integrated.y(), &dy = run_.integrated.dy();
  // a row that depends on others for good is no position: the certification sees to it
  const bool counted = near_ && rank_.rhs(t, y.data(), dy.data()) == 0;
  chosen_poorly_ = counted && rank_.clearance(kApart) >= 1;
  if (counted && !chosen_poorly_) {
    if (rank_.clearance(bound_) >= 1) return true;
    from_position_ = true;
    return limit_at(t);
  }
  away();
  run_.equations.rhs(t, y.data(), dy.data());
  return false;
}

// Of the elimination while its pivots are large, else of the usual rank, away from the position itself.
std::int32_t Passage::evaluate(double t, const double* y, double* dy) {
  ++run_.data.evaluations;
  if (!run_.layout.quasi && run_.equations.rhs(t, y, dy) == 0 && rank_.least_pivot() >= kScreen) return 0;
  const std::int32_t failed = rank_.rhs(t, y, dy);
  if (failed != 0) return failed;
  too_close_ = too_close_ || rank_.clearance(bound_) < 1;
  nearest_ = std::min(nearest_, rank_.clearance(1));
  return 0;
}

bool Passage::at_point(Point& point) {
  point.dy.resize(point.y.size());
  point.scaling = {};
  ++run_.data.evaluations;
  if (rank_.rhs(point.t, point.y.data(), point.dy.data()) != 0) return false;
  point.scaling = run_.equations.assembled().scaling;
  point.parts = run_.equations.counted().parts;
  point.lambda = Eigen::Map<const Eigen::VectorXd>(run_.equations.lambda(), run_.layout.n_rows);
  run_.equations.outputs(point.t, point.y.data(), point.dy.data());
  const std::size_t work = run_.layout.work_at();
  point.kinetic = std::fabs(run_.equations.kinetic());
  point.energy = run_.equations.kinetic() + run_.equations.potential() - point.y[work] - point.y[work + 1];
  return true;
}

// One step from now_ to next_.
Passage::Outcome Passage::attempt(double h) {
  next_.y = now_.y;
  next_.t = now_.t + h;
  too_close_ = false;
  nearest_ = std::numeric_limits<double>::infinity();
  const auto rhs = [this](double at, const double* y, double* dy) {
    const std::int32_t failed = evaluate(at, y, dy);
    return failed == 0 && too_close_ ? 1 : failed;
  };
  std::int32_t failed = method_.step(rhs, now_.t, h, now_.y, now_.dy);
  if (failed == 0 && measures_) failed = method_.estimate(rhs, now_.t);
  next_.y = method_.y_new();
  if (failed != 0) return too_close_ ? Outcome::stage_too_close : Outcome::undefined;
  for (const double v : next_.y)
    if (!std::isfinite(v)) return Outcome::undefined;
  if (measures_ && !accurate()) return Outcome::inaccurate;
  normalise(run_.info, next_.y.data());
  if (run_.stabiliser.corrects()) {
    const UsualRank::Correction made = rank_.project(next_.t, next_.y.data(), run_.options.tolerance);
    if (!made.converged) return Outcome::off;
    run_.data.largest_correction = std::max(run_.data.largest_correction, made.moved);
  }
  if (!at_point(next_)) return Outcome::undefined;
  if (rank_.clearance(bound_) < 1) return Outcome::end_too_close;
  const double wished = rows_work(run_.layout, now_.y, next_.y) ? kBoundOfWork : kBoundOfEnds;
  if (farther_.keeps && gap_ == 0 && rank_.clearance(wished) < 1) {
    farther_.refused = true;
    return Outcome::end_too_close;
  }
  return judge();
}

// What the rows hold is corrected after the step: the error of a step is that along the directions they leave free.
bool Passage::accurate() {
  const std::vector<double>& error = method_.error();
  const MassScaling& scaling = now_.scaling;
  if (!scaling.valid()) return false;
  const kernel::SystemLayout& l = run_.layout;
  const auto size_along_free = [&](const Eigen::VectorXd& e) {
    Eigen::VectorXd w = scaling.to_scaled(e);
    for (const CountedPart& part : now_.parts)
      if (part.by_position)
        w(part.columns) = (part.free_directions() * (part.free_directions().transpose() * w(part.columns))).eval();
    return w.norm();
  };
  Eigen::VectorXd of_positions = Eigen::VectorXd::Zero(l.n_speeds);
  for (std::uint32_t j = 0; j < l.n_speeds; ++j)
    if (const std::uint32_t at = run_.info.coordinate_of_speed[j]; at != problem::Problem::kNoCoordinate)
      of_positions[j] = error[at];
  const auto speeds = [&](const std::vector<double>& y) {
    return Eigen::Map<const Eigen::VectorXd>(y.data() + l.speeds_at(), l.n_speeds);
  };
  const double allowed = gap_ > 0 ? kError : std::max(kSmallestError, std::min(kError, run_.options.control.rtol));
  return size_along_free(of_positions) <= allowed * rank_.extent(now_.y.data()) &&
         size_along_free(speeds(error)) <= allowed * scaling.norm(speeds(now_.y));
}

// Whatever has happened: a piece does not make energy, or lose it.
bool Passage::keeps_energy() {
  livelier_ = std::max({livelier_, now_.kinetic, next_.kinetic});
  const double change = std::fabs(next_.energy - now_.energy);
  const double rounding = kPassageMissed * kEpsilon * std::fabs(now_.energy);
  return change <= kPassageEnergy * livelier_ + rounding + noise_of_work();
}

// Rows that move do work u M u' along the direction that is about to be lost. Its noise is that of u', eps/s^3, while
// the speeds themselves are known to eps/s^2: a state is right whose work is off by so much.
double Passage::noise_of_work() const {
  if (!rows_work(run_.layout, now_.y, next_.y)) return 0;
  double s = std::min(nearest_, rank_.clearance(1));
  for (const CountedPart& part : now_.parts)
    if (part.by_position && part.rank > 0) s = std::min(s, part.smallest());
  const double turn = (next_.t - now_.t) * std::sqrt(2 * livelier_) / rank_.extent(now_.y.data());
  return livelier_ * std::min(kMostNoise, kNoise * kEpsilon * turn / (s * s * s));
}

Passage::Outcome Passage::judge() {
  std::optional<double> crossed;
  for (std::size_t k = 0; k < now_.parts.size(); ++k) {
    const CountedPart &from = now_.parts[k], &to = next_.parts[k];
    if (!from.by_position) continue;
    for (const SignChange& change : sign_changes(from, to, kWeak)) {
      if (const Outcome why = passes(change, k); why != Outcome::good) return why;
      crossed = now_.t + change.fraction * (next_.t - now_.t);
    }
  }
  if (!now_.parts.empty() && !keeps_energy()) return Outcome::energy;
  const bool drifts = !run_.stabiliser.corrects() && drift_.decides(next_.t, next_.y.data(), next_.parts, kWeak);
  if (drifts) return Outcome::drifts;
  crossed_ = crossed;
  return Outcome::good;
}

// For the summary.
void Passage::note() {
  PositionsPassed& passed = run_.data.passed;
  for (const CountedPart& part : next_.parts)
    if (part.by_position && part.rank > 0 && part.smallest() < passed.smallest) {
      passed.smallest = part.smallest();
      passed.when = next_.t;
    }
  if (!crossed_) return;
  ++passed.count;
  if (passed.times.size() < PositionsPassed::kKept) passed.times.push_back(*crossed_);
  crossed_.reset();
}

// Where the singular value is 0 the rows have nothing to hold the direction with: are they met there all the same?
Passage::Outcome Passage::passes(const SignChange& change, std::size_t part) {
  interpolate(now_.t + change.fraction * (next_.t - now_.t));
  const CountedPart& from = now_.parts[part];
  Eigen::VectorXd e;
  const double t = now_.t + change.fraction * (next_.t - now_.t);
  if (!rank_.project_strong(t, between_.data(), part, from.weak(kWeak), e)) return Outcome::turns;
  if (e.size() != change.left.size()) return Outcome::good;  // rows of other levels: nothing to be met
  const double missed = std::fabs(change.left.dot(e));
  if (missed <= kPassageMissed * kEpsilon * rank_.extent(between_.data())) return Outcome::good;
  for (const Point* p : {&now_, &next_})
    if (!run_.stabiliser.corrects() && drift_.explains(missed, change, part, p->t, p->y.data())) return Outcome::drifts;
  gap_ = missed;
  bound_ = kBoundOfTurn;
  return Outcome::turns;
}

// Between now_ and next_: cubic in y (Hermite), its derivative, multipliers linear.
void Passage::interpolate(double t) {
  const double h = next_.t - now_.t, x = (t - now_.t) / h;
  between_.resize(now_.y.size());
  for (std::size_t i = 0; i < between_.size(); ++i) {
    const double step = next_.y[i] - now_.y[i], a = h * now_.dy[i] - step, b = step - h * next_.dy[i];
    between_[i] = now_.y[i] + x * step + x * (1 - x) * ((1 - x) * a + x * b);
    scratch_[i] = (step + (1 - 2 * x) * ((1 - x) * a + x * b) + x * (1 - x) * (b - a)) / h;
  }
  normalise(run_.info, between_.data());
}

// A piece of another length than one that came too close: nearer at first, once, then over the position. Its error is
// not looked at, since a step of this size was accurate just before.
bool Passage::avoid(double length, double h, bool nearer) {
  measures_ = false;
  // however small the steps are: over so much of a turn of the rows
  h = std::max(h, kTurnOver * offset_from_singularity(run_.equations, now_.t, now_.y.data(), now_.dy.data()));
  const auto there = [&](double piece) { return attempt(piece) == Outcome::good; };
  const auto beside = [&] {
    return (nearer && std::any_of(kNearer.begin(), kNearer.end(), [&](double part) { return there(part * length); })) ||
           std::any_of(kBeyond.begin(), kBeyond.end(), [&](double steps) { return there(length + steps * h); });
  };
  farther_ = {.keeps = true, .refused = false};
  bool good = beside();
  if (!good && farther_.refused) {
    farther_.keeps = false;
    good = there(length) || beside();
    farther_.keeps = true;
  }
  measures_ = true;
  return good;
}

// The state at `end`, where the motion is behind it already.
void Passage::show(double end) {
  interpolate(end);
  run_.integrated.y() = between_;
  run_.integrated.dy() = scratch_;
  const double x = (end - now_.t) / (next_.t - now_.t);
  run_.equations.set_lambda((1 - x) * now_.lambda + x * next_.lambda);
}

Passage::Went Passage::go_to(double end, double h) {
  double size = h;
  bool approached = false;
  for (pieces_ = 0; pieces_ < kMostPieces && now_.t < end; ++pieces_) {
    if (is_set(run_.options.stop)) {
      run_.integrated.y() = began_;
      run_.data.status = RunStatus::interrupted;
      return Went::ended;
    }
    const bool whole = now_.t + 1.0001 * size >= end;
    const double length = whole ? end - now_.t : size;
    const Outcome why = attempt(length);
    if (why == Outcome::good) {
      if (crossed_ && run_.options.stop_at_singular) return stop_before(now_.t);
      if (whole) next_.t = end;
      note();
      size = std::min(2 * size, h);
      approached = false;
    } else if (why == Outcome::end_too_close || why == Outcome::stage_too_close) {
      const bool known = gap_ > 0;
      if (!avoid(length, std::min(size, h), !approached)) {
        if (known || gap_ == 0) return fail(why, length);
        size = 0.5 * length;  // no position to be avoided: a turn to be followed
        continue;
      }
      if (run_.options.stop_at_singular) return stop_before(now_.t);
      note();
      approached = next_.t - now_.t < length;
      if (next_.t > end) {
        ahead_ = true;
        show(end);
        return Went::there;
      }
    } else if (why == Outcome::drifts) {
      return fail(why, length);
    } else {
      size = 0.5 * length;
      if (size < kSmallest * h) return fail(why, size);
      continue;
    }
    std::swap(now_, next_);
  }
  return now_.t >= end ? Went::there : fail(Outcome::turns, size);
}

Passage::Went Passage::step(double t, double end, double h) {
  if (resting_) return Went::there;
  if (ahead_ && next_.t > end) {
    asked_for_ = end;
    show(end);
    return Went::there;
  }
  if (std::exchange(ahead_, false)) {
    std::swap(now_, next_);
    at_point(now_);  // inputs may be others than before
  } else {
    now_.t = t;
    now_.y = run_.integrated.y();
    if (!at_point(now_) || rank_.clearance(bound_) < 1) {  // a start on the position: its rate is the limit
      now_.parts.clear();
      now_.dy = run_.integrated.dy();
    }
  }
  asked_for_ = end;
  began_ = run_.integrated.y();
  drift_.forget();
  const Went went = go_to(end, h);
  if (went != Went::there || resting_) return went;
  run_.method.forget_history();
  if (!ahead_) run_.integrated.y() = now_.y;
  run_.integrated.forget_quasi_velocities();
  return went;
}

// `at_singular = stop`: at the last state on this side of it.
Passage::Went Passage::stop_before(double t) {
  run_.integrated.y() = now_.y;
  rank_.rhs(t, now_.y.data(), scratch_.data());
  stop_at(t);
  return Went::ended;
}

// Whether farther along the motion the rows are as dependent as here is what UsualRank::give_up sees after this.
bool Passage::lost_for_good(double h) {
  between_ = now_.y;
  const double far = kBeyond.back() * h;
  for (std::uint32_t i = 0; i < run_.layout.n_coordinates; ++i) between_[i] += far * now_.dy[i];
  normalise(run_.info, between_.data());
  return rank_.rhs(now_.t + far, between_.data(), scratch_.data()) == 0;
}

Passage::Went Passage::fail(Outcome why, double h) {
  const bool too_close = why == Outcome::end_too_close || why == Outcome::stage_too_close;
  run_.integrated.y() = now_.y;
  if (too_close && comes_to_rest()) return rest(now_.t) ? Went::there : Went::ended;
  if (too_close && lost_for_good(h) && rank_.give_up(bound_)) {
    run_.integrated.y() = began_;
    watch();
    away();
    return Went::left;
  }
  run_.data.reached = now_.t;
  if (why == Outcome::undefined) {
    run_.end(RunStatus::stopped, why_undefined(run_.equations, run_.info, next_.t, next_.y.data()));
    return Went::ended;
  }
  Diagnostic d;
  d.kind = Kind::bifurcation;
  d.time = now_.t;
  point_at_row(d, run_.info, row_about_to_be_lost());
  const std::string step = text::short_number(h, 2);
  if (drift_.found() > 0)
    d.args = {"the rows miss a singular position by " + text::short_number(drift_.found(), 2) +
              ", by which they have drifted off their values: which way the motion takes cannot be told"};
  else if (gap_ > 0)
    d.args = {"the rows miss a singular position by " + text::short_number(gap_, 2) + ", and steps of " + step +
              " s do not tell to which side the motion turns off"};
  else if (why == Outcome::energy)
    d.args = {"beside a singular position a step of " + step + " s would change the energy"};
  else
    d.args = {"the motion stays so close to a singular position that steps of " + step + " s cannot lead across it"};
  const bool driven = static_cast<std::uint32_t>(run_.data.start.rank) == run_.layout.n_speeds;
  d.help = !run_.stabiliser.corrects()
               ? "use `stabilise = project`: what drifts off the constraints cannot be led across"
           : driven ? "where what is driven can go no farther speeds grow without bound: end the run before; or look"
                      " whether lengths that are meant to agree do so to all digits"
                    : "look whether lengths that are meant to agree do so to all digits";
  run_.end(RunStatus::stopped, std::move(d));
  return Went::ended;
}

void Passage::Point::transfer(Archive& archive) {
  archive(t, y, dy, energy, kinetic);
  std::vector<double> values(lambda.begin(), lambda.end());
  archive(values);
  lambda = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  if (!archive.reading()) return;
  parts.clear();
  scaling = {};
}

void Passage::transfer(Archive& archive) {
  archive(near_, resting_, failed_, from_position_, bound_, gap_, livelier_, ahead_, asked_for_, now_, next_, rank_);
  const std::size_t n = run_.integrated.y().size();
  const auto sound = [&](const Point& p) {
    const bool none = p.y.empty() && p.dy.empty() && !ahead_;
    return none || (p.y.size() == n && p.dy.size() == n && p.lambda.size() == run_.layout.n_rows);
  };
  archive.expect(sound(now_) && (!ahead_ || (sound(next_) && next_.t > now_.t)) && bound_ > 0);
}

}  // namespace mbc::runtime
