// SPDX-License-Identifier: Apache-2.0
// Gradients compared with their usual size, with those of the state before and with those of other speeds.
#include "runtime/singular/vanishing_rows.h"

#include <algorithm>
#include <cmath>

#include "runtime/constraints/initial_state.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {

constexpr double kPassed = 0.1;    // of the usual norm: a gradient that came nearer to zero than this went through it
constexpr double kStraight = 0.9;  // cosine of the turn since the state before, below which it did not go past
constexpr double kTurns = 0.1;     // sine by which other speeds turn it, where it depends on them
constexpr double kLimit = 1e-2;    // of the pivot at the start
constexpr double kNoSpeed = 1e-6;  // of the fastest so far: speeds about which a gradient may turn round
constexpr std::uint32_t kMostSlow = 2'000;  // states with such speeds, in less than
constexpr double kNoTime = 1e-4;            // of the time since the start
constexpr double kOpen = 0.05;  // |beta/J'|, from which on what follows is not determined; below is the curve of beta
constexpr double kSpeedBeside = 1e-4;  // of the speed: for beta
constexpr double kBreaks = 1e-3;       // of the terms of a row, which the motion without it may miss it by

constexpr const char* kDependsOnSpeeds =
    "it depends on the velocities there: 1 direction of the accelerations is not determined";

Eigen::VectorXd gradient(const Assembled& s, std::uint32_t row) {
  return s.scaling.scale_rows(s.A.row(row)).transpose();
}

Eigen::Map<const Eigen::VectorXd> as_vector(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

// How near the straight way from a to b comes to zero.
double nearest_to_zero(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const Eigen::VectorXd way = b - a;
  const double square = way.squaredNorm();
  const double x = square > 0 ? std::clamp(-a.dot(way) / square, 0.0, 1.0) : 0.0;
  return (a + x * way).norm();
}

Eigen::VectorXd mass_scaled_speeds(const Assembled& s, const kernel::SystemLayout& l, const double* y) {
  return s.scaling.to_scaled(Eigen::Map<const Eigen::VectorXd>(y + l.speeds_at(), l.n_speeds));
}

}  // namespace

VanishingRows::VanishingRows(Equations& equations, const problem::Problem& info) : equations_(equations), info_(info) {
  if (equations.beyond_dense()) return;
  for (std::uint32_t k = 0; k < info.rows.size(); ++k)
    if (info.rows[k].level != problem::Level::position) {
      Watched& w = watched_.emplace_back();
      w.row = k;
      w.accelerations = info.rows[k].level == problem::Level::acceleration;
    }
  if (!watched_.empty()) aside_.resize(equations.layout().n_y());
}

// Assembles M, f, A, b with one speed of the state of here_ changed by `speed`, mass-scaled.
bool VanishingRows::assemble_beside(double t, const double* y, std::uint32_t j, double speed) {
  const kernel::SystemLayout& l = equations_.layout();
  const double inertia = here_.M(j, j);
  aside_.assign(y, y + l.n_y());
  aside_[l.speeds_at() + j] += inertia > 0 ? speed / std::sqrt(inertia) : speed;
  return equations_.assemble(t, aside_.data(), there_, false) == 0;
}

bool VanishingRows::turns_with_speeds(double t, const double* y, const Watched& w, const Eigen::VectorXd& here,
                                      double speed) {
  for (std::uint32_t j = 0; j < equations_.layout().n_speeds; ++j) {
    if (!assemble_beside(t, y, j, speed)) continue;
    const Eigen::VectorXd there = gradient(there_, w.row);
    const double size = here.norm() * there.norm();
    const double across = size > 0 ? std::fabs(here.dot(there)) / size : here.norm() == there.norm() ? 1 : 0;
    if (across < 1 - 0.5 * kTurns * kTurns) return true;
  }
  return false;
}

// How much b of a row grows with the speed along a direction of length 1, both mass-scaled.
double VanishingRows::slope(double t, const double* y, std::uint32_t row, const Eigen::VectorXd& along) {
  const kernel::SystemLayout& l = equations_.layout();
  const double size = mass_scaled_speeds(here_, l, y).norm(), d = size > 0 ? kSpeedBeside * size : kSpeedBeside;
  const Eigen::VectorXd way = here_.scaling.from_scaled(along);
  double difference = 0;
  for (const double side : {d, -d}) {
    aside_.assign(y, y + l.n_y());
    for (std::uint32_t j = 0; j < l.n_speeds; ++j) aside_[l.speeds_at() + j] += side * way[j];
    if (equations_.assemble(t, aside_.data(), there_, false) != 0) return 0;
    difference += side > 0 ? there_.b[row] : -there_.b[row];
  }
  return difference / (2 * d);
}

// beta where the gradient is zero, on the straight way from the state before to this one: of rows of acceleration level
// motions do not agree before that or behind it, whatever its sign, of those of velocity level behind it.
bool VanishingRows::leaves_open(double t, const double* y, const Watched& w, const Eigen::VectorXd& before,
                                const Eigen::VectorXd& here) {
  const Eigen::VectorXd way = here - before;
  if (state_.empty() || !(way.norm() > 0) || !(t > time_)) return false;
  const Eigen::VectorXd along = way.normalized();
  const double rate = way.norm() / (t - time_), part = here.dot(along) / way.norm();
  const double now = slope(t, y, w.row, along), then = slope(time_, state_.data(), w.row, along);
  const double beta = now + part * (then - now);
  return (w.accelerations ? std::fabs(beta) : beta) > kOpen * rate;
}

// Returns the first of the zero rows that is not zero at other speeds. A model may have thousands of them, those of
// frictions that slide.
std::optional<std::uint32_t> VanishingRows::first_that_speeds_change(double t, const double* y,
                                                                     const std::vector<std::uint32_t>& zero) {
  if (zero.empty() || equations_.assemble(t, y, here_, false) != 0) return {};
  const double size = mass_scaled_speeds(here_, equations_.layout(), y).norm();
  auto first = zero.end();
  for (std::uint32_t j = 0; j < equations_.layout().n_speeds; ++j)
    if (assemble_beside(t, y, j, size > 0 ? size : 1))
      first = std::find_if(zero.begin(), first,
                           [this](std::uint32_t row) { return (there_.A.row(row).array() != 0).any(); });
  return first == zero.end() ? std::nullopt : std::optional(*first);
}

// Returns the first of the zero rows that is not zero a little later and that the motion without it breaks. A row of
// position level is tested by its residual, of which the motion covers half of A u' times the square of the time, and
// others by their acceleration.
std::optional<std::uint32_t> VanishingRows::first_broken(double t, const double* y, const std::vector<double>& rate,
                                                         const std::vector<std::uint32_t>& zero, double beside) {
  if (zero.empty()) return {};
  const kernel::SystemLayout& l = equations_.layout();
  std::vector<double> moves(l.n_y());
  aside_.assign(y, y + l.n_y());
  for (std::size_t i = 0; i < aside_.size(); ++i) aside_[i] += beside * rate[i];
  equations_.rates(t, aside_.data(), moves.data());
  for (std::uint32_t i = 0; i < l.n_coordinates; ++i) aside_[i] = y[i] + 0.5 * beside * (rate[i] + moves[i]);
  if (equations_.assemble(t + beside, aside_.data(), there_, false) != 0) return {};
  equations_.residuals(t + beside, aside_.data());
  const Eigen::Map<const Eigen::VectorXd> acceleration(rate.data() + l.speeds_at(), l.n_speeds);
  const auto found = std::find_if(zero.begin(), zero.end(), [&](std::uint32_t row) {
    const auto A = there_.A.row(row);
    const double reach = A.cwiseAbs().dot(acceleration.cwiseAbs());
    if (info_.rows[row].level == problem::Level::position)
      return reach > 0 && std::fabs(equations_.position_residual()[row]) > kBreaks * 0.5 * beside * beside * reach;
    return (A.array() != 0).any() &&
           std::fabs(A.dot(acceleration) - there_.b[row]) > kBreaks * (reach + std::fabs(there_.b[row]));
  });
  return found == zero.end() ? std::nullopt : std::optional(*found);
}

std::optional<Diagnostic> VanishingRows::at_start(double t, const double* y, const RankReport& start, double beside) {
  speeds_.clear();
  begin_ = t;
  std::vector<double> rate(aside_.size());
  if (watched_.empty() || equations_.rhs(t, y, rate.data()) != 0) return {};
  std::vector<std::uint32_t> zero;
  for (Watched& w : watched_) {
    w.seen = false;
    w.fastest = 0;
    w.slow = 0;
    w.usual = equations_.pivot_scale()[w.row];
    w.pivot = equations_.pivot()[w.row];
    if (w.row < start.rows.size() && start.rows[w.row].state == RowState::zero) zero.push_back(w.row);
  }
  if (const std::optional<std::uint32_t> row = first_that_speeds_change(t, y, zero))
    return failure(t, *row, kDependsOnSpeeds, "start at a position where a small motion changes it");
  if (const std::optional<std::uint32_t> row = first_broken(t, y, rate, zero, beside))
    return failure(t, *row, "a moment later it is not, and the motion that begins without it breaks it",
                   "divide what vanishes out of the constraint, or begin where it does not");
  return {};
}

std::optional<Diagnostic> VanishingRows::at_rest(double t, const double* y, const RankReport& start, double beside) {
  const kernel::SystemLayout& l = equations_.layout();
  std::vector<std::uint32_t> zero;
  for (std::uint32_t row = 0; row < start.rows.size(); ++row)
    if (info_.rows[row].level == problem::Level::position && start.rows[row].state == RowState::zero &&
        std::all_of(l.column.begin() + l.row_ptr[row], l.column.begin() + l.row_ptr[row + 1],
                    [&](std::uint32_t j) { return y[l.speeds_at() + j] == 0; }))
      zero.push_back(row);
  std::vector<double> rate(l.n_y());
  if (zero.empty() || equations_.rhs(t, y, rate.data()) != 0) return {};
  const std::optional<std::uint32_t> row = first_broken(t, y, rate, zero, beside);
  if (!row) return {};
  return failure(t, *row, "the motion that begins without it breaks it at once",
                 "write what it holds without the square: `p.x == 0` in place of `p.x^2 == 0`, `p.pos == q.pos` in "
                 "place of a sum of squares; or begin beside the position");
}

bool VanishingRows::turned(const Watched& w) const {
  const kernel::SystemLayout& l = equations_.layout();
  const double* here = equations_.work().data() + l.A + l.row_ptr[w.row];
  double product = 0, here_squared = 0, before_squared = 0;
  for (std::size_t k = 0; k < w.before.size(); ++k) {
    product += here[k] * w.before[k];
    here_squared += here[k] * here[k];
    before_squared += w.before[k] * w.before[k];
  }
  return !(product >= kStraight * std::sqrt(here_squared * before_squared));
}

void VanishingRows::remember(double t, const double* y) {
  const kernel::SystemLayout& l = equations_.layout();
  for (Watched& w : watched_)
    w.before.assign(equations_.work().data() + l.A + l.row_ptr[w.row],
                    equations_.work().data() + l.A + l.row_ptr[w.row + 1]);
  speeds_.assign(y + l.speeds_at(), y + l.states_at());
  time_ = t;
  state_.assign(y, y + l.n_y());
}

// Many states with as good as no speed, in as good as no time.
bool VanishingRows::hangs(Watched& w, double t, const double* y) const {
  const kernel::SystemLayout& l = equations_.layout();
  double speed = 0;
  for (std::uint32_t e = l.row_ptr[w.row]; e < l.row_ptr[w.row + 1]; ++e)
    speed = std::max(speed, std::fabs(y[l.speeds_at() + l.column[e]]));
  w.fastest = std::max(w.fastest, speed);
  if (!(speed <= kNoSpeed * w.fastest)) {
    w.slow = 0;
    return false;
  }
  if (w.slow++ == 0) w.slow_since = t;
  if (w.slow < kMostSlow) return false;
  if (t - w.slow_since < kNoTime * (t - begin_)) return true;
  w.slow = 0;
  return false;
}

bool VanishingRows::asks(double t, const double* y) {
  if (watched_.empty()) return false;
  bool any = false;
  for (Watched& w : watched_) {
    const double size = equations_.pivot_scale()[w.row];
    if (size > w.usual) w.usual = size;
    any = hangs(w, t, y) || any || w.seen || size < kSmall * w.usual || (!speeds_.empty() && turned(w));
  }
  if (!any) remember(t, y);
  return any;
}

std::optional<Diagnostic> VanishingRows::passed(double t, const double* y) {
  if (equations_.assemble(t, y, here_, false) != 0) return {};
  const kernel::SystemLayout& l = equations_.layout();
  std::optional<Diagnostic> found;
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(l.n_speeds);
  double speed = 0;
  if (!speeds_.empty())
    speed = here_.scaling.norm(Eigen::Map<const Eigen::VectorXd>(y + l.speeds_at(), l.n_speeds) - as_vector(speeds_));
  for (Watched& w : watched_) {
    const Eigen::VectorXd here = gradient(here_, w.row);
    if (!speeds_.empty() && !found) {
      row.setZero();
      for (std::size_t k = 0; k < w.before.size(); ++k) row[l.column[l.row_ptr[w.row] + k]] = w.before[k];
      const Eigen::VectorXd before = here_.scaling.scale_rows(row).transpose();
      const double turn = here.dot(before) / (here.norm() * before.norm());
      const double none = kNoSpeed * w.fastest * std::sqrt(here_.M.diagonal().maxCoeff());
      if (w.slow >= kMostSlow && turns_with_speeds(t, y, w, here, none)) {
        found = failure(t, w.row, "it turns round where these speeds go through zero, and has no direction there",
                        "end the run before, or write which way the motion goes on");
        found->kind = Kind::gradient_turns;
        found->args = {quoted_name(info_.rows[w.row].name)};
      } else if (!(turn >= kStraight) && nearest_to_zero(before, here) < kPassed * std::sqrt(w.usual)) {
        if (turns_with_speeds(t, y, w, here, speed))
          found = failure(t, w.row, kDependsOnSpeeds);
        else if (leaves_open(t, y, w, before, here))
          found = failure(t, w.row,
                          w.accelerations ? "the acceleration along it depends on the velocities there: what follows"
                                            " is not determined"
                                          : "behind it motions part that are one before: what follows is not"
                                            " determined");
      }
    }
    w.seen = here.squaredNorm() < kSmall * w.usual;
    if (w.slow >= kMostSlow) w.slow = 0;
  }
  equations_.rhs(t, y, aside_.data());
  remember(t, y);
  for (Watched& w : watched_)  // where the kernel's elimination was not used its work holds another state's
    for (std::size_t k = 0; k < w.before.size(); ++k) w.before[k] = here_.A(w.row, l.column[l.row_ptr[w.row] + k]);
  return found;
}

std::optional<Diagnostic> VanishingRows::stuck(double t, const double* y) {
  if (watched_.empty() || equations_.assemble(t, y, here_, false) != 0) return {};
  for (const Watched& w : watched_) {
    const Eigen::VectorXd here = gradient(here_, w.row);
    if (here.squaredNorm() >= kPassed * kPassed * w.usual) continue;
    if (turns_with_speeds(t, y, w, here, mass_scaled_speeds(here_, equations_.layout(), y).norm()))
      return failure(t, w.row, kDependsOnSpeeds);
  }
  return {};
}

Diagnostic VanishingRows::failure(double t, std::uint32_t row, const char* why, const char* help) const {
  Diagnostic d = about_row(info_, row, Kind::vanishing_gradient, t, {quoted_name(info_.rows[row].name), ""}, help);
  d.notes.emplace_back(why);
  return d;
}

void VanishingRows::raise(std::vector<double>& limits) const {
  for (const Watched& w : watched_) limits[w.row] = std::max(limits[w.row], kLimit * w.pivot);
}

void VanishingRows::transfer(Archive& archive) {
  const kernel::SystemLayout& l = equations_.layout();
  archive(speeds_, state_, time_, begin_);
  archive.expect(state_.empty() || state_.size() == l.n_y());
  for (Watched& w : watched_) {
    archive(w.usual, w.pivot, w.seen, w.before, w.fastest, w.slow, w.slow_since);
    archive.expect(speeds_.empty() ||
                   (w.before.size() == l.row_ptr[w.row + 1] - l.row_ptr[w.row] && speeds_.size() == l.n_speeds));
  }
}

}  // namespace mbc::runtime
