// SPDX-License-Identifier: Apache-2.0
// Projects states by Newton's method in the mass metric or by the rank-revealing projection.
#include "runtime/constraints/constraint_projector.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/epsilon.h"
#include "kernel/limits.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {
constexpr int kMaxIterations = 12;
constexpr double kRoundingsOfRow = 64;  // residual of a row, times eps and the size of the model, that is rounding

}  // namespace

std::vector<double> rows_of_level(const problem::Problem& info, bool position) {
  std::vector<double> out;
  for (const problem::Row& row : info.rows)
    out.push_back((position ? row.level == problem::Level::position : row.level != problem::Level::acceleration) ? 1.0
                                                                                                                 : 0.0);
  return out;
}

ConstraintProjector::ConstraintProjector(Equations& equations, const problem::Problem& info)
    : equations_(equations),
      info_(info),
      size_(equations.layout(), info),
      rows_(info.rows.size()),
      of_level_{rows_of_level(info, true), rows_of_level(info, false)},
      of_contact_(info.events.rows_of_contact(info.rows.size())),
      total_(equations.layout().n_speeds),
      start_(equations.beyond_dense() ? 0 : equations.layout().n_y()),
      moved_(info.quaternions.empty() ? 0 : equations.layout().n_y()),
      rate_(moved_.size()),
      correction_(equations.layout().n_speeds) {}

double ConstraintProjector::scaled_residual(bool position, std::uint32_t row) const {
  const double e = std::fabs(equations_.residual(position)[row]);
  const double size = std::sqrt(equations_.pivot_scale()[row]);
  return size > 0 ? e / size : e;
}

double ConstraintProjector::scaled_residual(bool position, int* row, double* left_out) const {
  const std::vector<double>& of = of_level_[position ? 0 : 1];
  double worst = 0;
  for (std::uint32_t k = 0; k < of.size(); ++k) {
    if (of[k] == 0) continue;
    const double scaled = scaled_residual(position, k);
    if (left_out && equations_.mask[k] == 0) *left_out = std::max(*left_out, scaled);
    if (!(scaled <= worst)) {
      worst = scaled;
      if (row) *row = static_cast<int>(k);
    }
  }
  return worst;
}

double ConstraintProjector::worst(bool position, double t, const double* y, int* row) {
  const std::vector<double>& of = of_level_[position ? 0 : 1];
  equations_.correct(position, t, y, of);
  double worst = 0;
  for (std::uint32_t k = 0; k < of.size(); ++k) {
    if (of[k] == 0) continue;
    const double relative = scaled_residual(position, k) / size_.of(position, k);
    if (relative <= worst) continue;
    worst = relative;
    if (row) *row = static_cast<int>(k);
    if (!std::isfinite(worst)) break;
  }
  return worst;
}

double ConstraintProjector::worst_at_start(double t, const double* y) {
  const double worst = this->worst(true, t, y);
  if (!std::isfinite(worst)) return worst;
  double closest = worst;
  for (std::uint32_t k = 0; k < of_level_[0].size(); ++k) {
    if (of_level_[0][k] == 0) continue;
    const double closeness = size_.part_closeness[size_.part_of_row[k]];
    closest = std::max(closest, scaled_residual(true, k) / (size_.of(true, k) * closeness));
  }
  return closest;
}

double ConstraintProjector::work_of_rounding(const double* y) const {
  const Extents extent = extents(true, y);
  double work = 0;
  for (std::size_t k = 0; k < info_.rows.size(); ++k)
    work += std::fabs(equations_.lambda()[k]) * std::sqrt(equations_.pivot_scale()[k]) * extent[k];
  return kRoundingsOfRow * kEpsilon * work;
}

// Computes q <- q + W w. This is an addition if q' = u. Otherwise W w = q'(u = w) - q'(u = 0), and quaternions are
// normalised afterwards.
void ConstraintProjector::displace(bool position, double t, double* y, const double* w) {
  const kernel::SystemLayout& l = equations_.layout();
  if (!position) {
    for (std::uint32_t j = 0; j < l.n_speeds; ++j) y[l.speeds_at() + j] += w[j];
    return;
  }
  if (info_.quaternions.empty()) {
    for (std::uint32_t j = 0; j < l.n_speeds; ++j) y[info_.coordinate_of_speed[j]] += w[j];
    return;
  }
  std::copy(y, y + l.n_y(), moved_.begin());
  std::copy(w, w + l.n_speeds, moved_.begin() + l.speeds_at());
  equations_.rates(t, moved_.data(), rate_.data());
  for (std::uint32_t i = 0; i < l.n_coordinates; ++i) y[i] += rate_[i];
  std::fill(moved_.begin() + l.speeds_at(), moved_.begin() + l.states_at(), 0.0);
  equations_.rates(t, moved_.data(), rate_.data());
  for (std::uint32_t i = 0; i < l.n_coordinates; ++i) y[i] -= rate_[i];
  normalise(info_, y);
}

void normalise(const problem::Problem& info, double* y) {
  for (std::uint32_t first : info.quaternions) {
    double norm2 = 0;
    for (std::uint32_t k = 0; k < 4; ++k) norm2 += y[first + k] * y[first + k];
    const double scale = 1 / std::sqrt(norm2);
    for (std::uint32_t k = 0; k < 4; ++k) y[first + k] *= scale;
  }
}

bool ConstraintProjector::newton(bool position, double t, double* y, double tolerance, Trust trust,
                                 CorrectionReport& report) {
  const int level = position ? 0 : 1;
  tolerance *= size_.of(position);
  const std::uint32_t n = equations_.layout().n_speeds;
  for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k] = of_level_[level][k] * equations_.mask[k];
  std::fill(total_.begin(), total_.end(), 0.0);
  double last = 0;
  bool done = false;
  for (int iteration = 0; iteration < kMaxIterations && !done; ++iteration) {
    equations_.correct(position, t, y, rows_);
    int row = -1;
    double left_out = 0;
    const double worst = scaled_residual(position, &row, &left_out);
    if (!std::isfinite(worst)) return false;
    if (iteration == 0) report.before[level] = worst;
    report.after[level] = worst;
    if (worst > tolerance) report.worst_row = row;
    // The test uses the state before the correction. A state to which Newton's method strays says nothing.
    if (iteration == 0 && !equations_.beyond_dense() && nearly_dependent(trust.near)) {
      report.near_singular = true;
      return false;
    }
    if (worst == 0) break;
    if (iteration > 0 && worst <= tolerance) break;
    if (iteration > 2 && worst > 0.5 * last) {
      if (worst > 1e3 * kEpsilon * extent(position, y)) return false;
      break;  // The residual is round-off of large coordinates, and more iterations cannot reduce it.
    }
    std::copy_n(equations_.correction(), n, correction_.begin());
    displace(position, t, y, correction_.data());
    for (std::uint32_t j = 0; j < n; ++j) total_[j] += correction_[j];
    // Redundant rows require another evaluation because they may contradict.
    done = worst < trust.quadratic && left_out <= tolerance && moved_little(position);
    if (done) report.after[level] = worst * worst / size_.of(position);
    if (iteration + 1 == kMaxIterations && !done) return false;
    last = worst;
  }
  double norm2 = 0;
  for (std::uint32_t j = 0; j < n; ++j) norm2 += total_[j] * total_[j];
  report.moved[level] = std::sqrt(norm2);
  return true;
}

// Returns whether the residual after a step is the square of its length. The length is compared instead of the
// residual, because near a singular position a small residual can mean a long way. A still longer step is also
// accepted: its direction is about to be lost, and another step leads nowhere.
bool ConstraintProjector::moved_little(bool position) const {
  double square = 0;
  for (std::size_t j = 0; j < correction_.size(); ++j) {
    const double way = size_.root_inertia[j] * correction_[j];
    square += way * way;
  }
  const double way = std::sqrt(square) / size_.of(position);
  return way <= kQuadraticWay || way > kLostWay;
}

bool ConstraintProjector::nearly_dependent(double near) const {
  // Rows with vanishing pivots were skipped. In large systems Newton's method must meet these rows without them.
  const double vanished = equations_.large() ? kernel::kPivotTolerance : -1;
  for (std::uint32_t k = 0; k < rows_.size(); ++k) {
    const double pivot = equations_.pivot()[k], scale = equations_.pivot_scale()[k];
    if (rows_[k] != 0 && pivot < near * scale && pivot > vanished * scale) return true;
  }
  return false;
}

// Estimates the error of the velocity-level residuals that comes from rounding of the positions. Along a direction that
// the position-level rows determine only with a singular value s, positions are known to eps/s, and the rows turn
// accordingly. Near a singular position, velocities that agree with the motion to 1e-13 therefore differ from those of
// the rounded rows by eps/s^2. A projection onto these rows would put the difference into the motion, and the next
// acceleration, which is divided by s again, would have an error of O(1).
Eigen::VectorXd ConstraintProjector::rate_noise(double t, const double* y, const Assembled& here,
                                                const std::vector<int>& rows) {
  Eigen::VectorXd noise = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows.size()));
  std::vector<Eigen::Index> fixing;
  for (int k = 0; k < static_cast<int>(info_.rows.size()); ++k)
    if (of_level(static_cast<std::uint32_t>(k), true) && here.acts(k, of_contact_)) fixing.push_back(k);
  const kernel::SystemLayout& l = equations_.layout();
  if (fixing.size() < 2) return noise;
  const auto u = Eigen::Map<const Eigen::VectorXd>(y + l.speeds_at(), l.n_speeds);
  const Eigen::MatrixXd G = here.scaling.scale_rows(here.rows_of(here.A, fixing)).rowwise().normalized();
  if (!G.allFinite()) return noise;
  const RightSingular svd = thin_right_singular(G);
  const double extent = this->extent(true, y);
  std::vector<double> aside(y, y + l.n_y());
  for (Eigen::Index k = 0; k < svd.values.size(); ++k) {
    const double s = svd.values[k];
    if (s > kWeaklyHeld || s < kCancelled) continue;
    const Eigen::VectorXd direction = here.scaling.from_scaled(svd.V.col(k));
    const double unsure = std::min(kEpsilon * extent / s, 1e-4 * extent), length = std::max(unsure, 1e-7 * extent);
    std::copy(y, y + l.n_y(), aside.begin());
    const Eigen::VectorXd w = length * direction;
    displace(true, t, aside.data(), w.data());
    Assembled there;
    if (equations_.assemble(t, aside.data(), there, false) != 0) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(rows[i]);
      noise[static_cast<Eigen::Index>(i)] +=
          kNoiseFactor * unsure / length * std::fabs((there.A.row(row) - here.A.row(row)).dot(u));
    }
  }
  return noise;
}

// A Level presents the rows of one level as functions of x, which is q or u. `trial` holds the rest of the state.
struct ConstraintProjector::Level {
  bool position;
  double t;
  std::uint32_t at, size;  // place and size of x in the state
  std::vector<int> rows;
  std::vector<double> trial, there;
  Assembled here;         // its arrays are reused
  Eigen::VectorXd noise;  // noise of the residuals; empty if it is unknown
};

ConstraintFunctions ConstraintProjector::functions_of(Level& level) {
  ConstraintFunctions functions;
  functions.evaluate = [this, &level](const Eigen::VectorXd& x, ConstraintValues& out) {
    for (std::uint32_t i = 0; i < level.size; ++i) level.trial[level.at + i] = x[i];
    if (equations_.assemble(level.t, level.trial.data(), level.here, false) != 0) return false;
    equations_.residuals(level.t, level.trial.data());
    const double* e = equations_.residual(level.position);
    const auto m = static_cast<Eigen::Index>(level.rows.size());
    out.e.resize(m);
    for (Eigen::Index k = 0; k < m; ++k) out.e[k] = e[level.rows[static_cast<std::size_t>(k)]];
    out.J = level.here.rows_of(level.here.A, level.rows);
    if (!level.position) out.e_noise = level.noise;
    return out.e.allFinite();
  };
  functions.displace = [this, &level](const Eigen::VectorXd& x, const Eigen::VectorXd& w, Eigen::VectorXd& out) {
    level.there = level.trial;
    for (std::uint32_t i = 0; i < level.size; ++i) level.there[level.at + i] = x[i];
    displace(level.position, level.t, level.there.data(), w.data());
    out = Eigen::Map<const Eigen::VectorXd>(level.there.data() + level.at, level.size);
  };
  return functions;
}

void ConstraintProjector::rank_revealing(bool position, double t, double* y, double tolerance,
                                         CorrectionReport& report) {
  const kernel::SystemLayout& l = equations_.layout();
  const std::vector<double>& of = of_level_[position ? 0 : 1];
  if (!contains(of, 1.0)) return;
  Assembled assembled;
  if (equations_.assemble(t, y, assembled, false) != 0) {
    report.converged = false;
    return;
  }
  equations_.residuals(t, y);
  const double* e = equations_.residual(position);
  std::vector<int> rows;
  for (int k = 0; k < static_cast<int>(of.size()); ++k)
    if (of[static_cast<std::size_t>(k)] != 0 && (assembled.acts(k, of_contact_) || e[k] != 0)) rows.push_back(k);
  if (rows.empty()) return;
  Level level{.position = position,
              .t = t,
              .at = position ? 0 : l.speeds_at(),
              .size = position ? l.n_coordinates : l.n_speeds,
              .rows = rows,
              .trial = std::vector<double>(y, y + l.n_y()),
              .there = {},
              .here = {},
              .noise = position ? Eigen::VectorXd() : rate_noise(t, y, assembled, rows)};
  if (!position)
    report.speed = assembled.scaling.norm(Eigen::Map<const Eigen::VectorXd>(y + l.speeds_at(), l.n_speeds));
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(y + level.at, level.size);
  ProjectionOptions options;
  options.tolerance = tolerance * size_.of(position);
  const ProjectionReport made = runtime::project(functions_of(level), assembled.scaling, x, options);
  for (std::uint32_t i = 0; i < level.size; ++i) y[level.at + i] = x[i];
  take(made, level, y, report);
}

// Copies the result of the rank-revealing projection of a level to the report, with row numbers of the system.
void ConstraintProjector::take(const ProjectionReport& made, const Level& level, const double* y,
                               CorrectionReport& report) const {
  const int k = level.position ? 0 : 1;
  report.robust = true;
  report.before[k] = made.worst_before;
  report.after[k] = made.worst;
  report.moved[k] = made.correction;
  report.details[k] = made;
  for (int& row : report.details[k].conflicting) row = level.rows[static_cast<std::size_t>(row)];
  if (made.worst_row >= 0) report.worst_row = level.rows[static_cast<std::size_t>(made.worst_row)];
  // At a loss of rank a residual in the lost direction cannot be reduced to round-off, but it must stay small.
  if (!made.converged() && !(made.worst <= kInitialTolerance * extent(level.position, y))) report.converged = false;
}

CorrectionReport ConstraintProjector::project(double t, double* y, double tolerance, bool robust) {
  CorrectionReport report;
  if (info_.rows.empty()) return report;
  std::copy(y, y + start_.size(), start_.begin());
  // For large systems only Newton's method is tried.
  bool good = !robust || equations_.large();
  for (const bool position : {true, false})
    if (good)
      good = newton(position, t, y, tolerance,
                    {kernel::kSureCorrection, kernel::kQuadraticResidual * size_.of(position)}, report);
  if (good) return report;
  if (equations_.beyond_dense()) {
    report.converged = false;
    return report;
  }
  std::copy(start_.begin(), start_.end(), y);
  const bool near = report.near_singular;
  report = {};
  report.near_singular = near;
  for (const bool position : {true, false})
    if (report.converged) rank_revealing(position, t, y, tolerance, report);
  return report;
}

CorrectionReport ConstraintProjector::project_beside(double t, double* y, double tolerance, double near) {
  CorrectionReport report;
  std::copy(y, y + start_.size(), start_.begin());
  if (equations_.beyond_dense() || !newton(true, t, y, tolerance, {near, 0}, report)) {
    std::copy(start_.begin(), start_.end(), y);
    return project(t, y, tolerance, true);
  }
  rank_revealing(false, t, y, tolerance, report);
  return report;
}

}  // namespace mbc::runtime
