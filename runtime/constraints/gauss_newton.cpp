// SPDX-License-Identifier: Apache-2.0
// Implements the iteration. Steps use the independent rows and leave out doubtful rows if that is sufficient.
#include "runtime/constraints/gauss_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/rows/conflict.h"
#include "runtime/rows/row_basis.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {
namespace {

// A Point is a state with all values that the iteration needs.
struct Point {
  Eigen::VectorXd x;
  ConstraintValues values;
  Eigen::MatrixXd G;
  Eigen::VectorXd norms;  // norms of the rows of G
  bool usable = false;
};

struct Step {
  Eigen::VectorXd w;
  std::vector<int> rows;  // the rows that the step satisfies
  Eigen::MatrixXd L;      // RowBasis::L of these rows, scaled to norm 1
};

class GaussNewton {
 public:
  GaussNewton(const ConstraintFunctions& constraints, const MassScaling& mass, const ProjectionOptions& options)
      : constraints_(constraints), mass_(mass), options_(options) {}

  ProjectionReport run(Eigen::VectorXd& x) {
    Point here = look_at(x);
    if (!here.usable) return refused(here);
    first_norms_ = here.norms;
    total_ = Eigen::VectorXd::Zero(here.G.cols());
    report_.worst_before = worst(here);
    iterate(here);
    x = here.x;
    finish(here);
    return report_;
  }

 private:
  Point look_at(const Eigen::VectorXd& x) const {
    Point point;
    point.x = x;
    point.usable = x.allFinite() && constraints_.evaluate(x, point.values);
    if (!point.usable) return point;
    point.G = mass_.scale_rows(point.values.J);
    point.usable = point.values.e.allFinite() && point.G.allFinite();
    point.norms = point.G.rowwise().norm();
    return point;
  }

  void iterate(Point& here) {
    while (report_.iterations < options_.max_iterations) {
      const double before = worst(here);
      const Step full = full_step(here);
      report_.rank = static_cast<int>(full.rows.size());
      if (before == 0 || full.rows.empty()) return;
      Point there;
      double length = 1;
      const Step taken = choose(here, full, there, length);
      if (!there.usable) return;
      if (before <= options_.tolerance && worst(there) > kGain * before) return;
      total_ += length * taken.w;
      here = std::move(there);
      ++report_.iterations;
    }
  }

  // Solves y = Q z with L z = -e on the independent rows.
  Step full_step(const Point& here) const {
    const ScaledRows rows = scale_rows(here.G, here.values.row_noise, {}, options_.rank);
    return solve(here, rows, basis_in_order(rows, options_.rank.tolerance));
  }

  // Solves on the rows whose independence exceeds their change in the step, in the order of their independence.
  Step safe_step(const Point& here, const Eigen::VectorXd& turned) const {
    Eigen::VectorXd noise = turned * (kRowTurned / options_.rank.zero_factor);
    if (here.values.row_noise.size() != 0) noise = noise.cwiseMax(here.values.row_noise);
    const ScaledRows rows = scale_rows(here.G, noise, {}, options_.rank);
    return solve(here, rows, basis_pivoted(rows, static_cast<int>(rows.zero.size()), options_.rank.tolerance));
  }

  Step solve(const Point& here, const ScaledRows& rows, const RowBasis& basis) const {
    const Eigen::VectorXd z = here.values.e_noise.size() == 0 ? solve_in_basis(basis, rows, -here.values.e)
                                                              : solve_above_noise(here, rows, basis);
    return {mass_.from_scaled(basis.basis() * z), basis.selected, basis.L};
  }

  // Makes the same substitution and propagates the noise of the residuals. A remainder that is only noise causes no
  // displacement, however large the quotient by its small distance would be.
  static Eigen::VectorXd solve_above_noise(const Point& here, const ScaledRows& rows, const RowBasis& basis) {
    Eigen::VectorXd z(basis.rank), noise(basis.rank);
    for (int k = 0; k < basis.rank; ++k) {
      const int row = basis.selected[k];
      double rest = rows.scaled(-here.values.e(row), row), unsure = rows.scaled(here.values.e_noise(row), row);
      for (int j = 0; j < k; ++j) {
        rest -= basis.L(k, j) * z(j);
        unsure += std::abs(basis.L(k, j)) * noise(j);
      }
      z(k) = std::abs(rest) <= unsure ? 0 : rest / basis.L(k, k);
      noise(k) = unsure / basis.L(k, k);
    }
    return z;
  }

  // Returns the step without doubtful rows if it is good enough, and otherwise the full step, shortened if necessary.
  // If nothing reduces the residual, `there` stays unusable.
  Step choose(const Point& here, const Step& full, Point& there, double& length) const {
    there = displaced(here, full.w);
    const double before = merit(here, here, full.rows);
    const double after = there.usable ? merit(here, there, full.rows) : std::numeric_limits<double>::infinity();
    if (there.usable) {
      const Eigen::VectorXd turned = (there.G - here.G).rowwise().norm();
      Step safe = doubtful(here, full, turned) ? safe_step(here, turned) : full;
      if (safe.rows.size() < full.rows.size()) {
        Point other = displaced(here, safe.w);
        const double rest = other.usable ? merit(here, other, full.rows) : before;
        if (rest <= std::max(options_.tolerance, kEnough * before) || rest <= 2 * after) {
          there = std::move(other);
          return safe;
        }
      }
    }
    if (!(after < before)) shorten(here, full, before, there, length);
    return full;
  }

  void shorten(const Point& here, const Step& full, double before, Point& there, double& length) const {
    for (int k = 0; k < options_.max_halvings; ++k) {
      length *= 0.5;
      there = displaced(here, length * full.w);
      if (there.usable && merit(here, there, full.rows) < before) return;
    }
    there.usable = false;
  }

  Point displaced(const Point& here, const Eigen::VectorXd& w) const {
    if (!constraints_.displace) return look_at(here.x + w);
    Eigen::VectorXd x = here.x;
    constraints_.displace(here.x, w, x);
    return look_at(x);
  }

  // Row k of L^-1, times L_kk, holds the coefficients that combine the rows to the remainder of row k, whose norm is
  // L_kk. A change of the rows enters the remainder with the same coefficients. The step is doubtful if this change may
  // be a large part of the remainder.
  static bool doubtful(const Point& here, const Step& step, const Eigen::VectorXd& turned) {
    const Eigen::Index rank = step.L.rows();
    Eigen::VectorXd change(rank);
    for (Eigen::Index k = 0; k < rank; ++k) change(k) = turned(step.rows[k]) / here.norms(step.rows[k]);
    if (rank == 0 || change.maxCoeff() == 0) return false;
    const Eigen::MatrixXd inverse = step.L.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(rank, rank));
    return (inverse.cwiseAbs() * change).maxCoeff() * kRowTurned >= 1;
  }

  // Returns the norm of the residuals of some rows at `point`. The rows at `base` scale them, so that points can be
  // compared.
  static double merit(const Point& base, const Point& point, const std::vector<int>& rows) {
    double sum = 0;
    for (int i : rows) sum += std::pow(point.values.e(i) / base.norms(i), 2);
    return std::sqrt(sum);
  }

  // A row whose gradient vanishes is scaled by the norm that it had at the start, or not at all. Noise counts as zero.
  [[nodiscard]] double scaled_residual(const Point& point, int i) const {
    const ConstraintValues& v = point.values;
    const double size = std::abs(v.e(i)), noise = v.row_noise.size() == 0 ? 0.0 : v.row_noise(i);
    if (v.e_noise.size() != 0 && size <= v.e_noise(i)) return 0;
    if (point.norms(i) > options_.rank.zero_factor * noise) return size / point.norms(i);
    return first_norms_(i) > options_.rank.zero_factor * noise ? size / first_norms_(i) : size;
  }

  [[nodiscard]] double worst(const Point& point) const {
    double largest = 0;
    for (int i = 0; i < point.values.e.size(); ++i) largest = std::max(largest, scaled_residual(point, i));
    return largest;
  }

  ProjectionReport refused(const Point& here) {
    report_.status = ProjectionStatus::not_evaluable;
    report_.non_finite = find_non_finite(here.values.J, here.values.e);
    return report_;
  }

  void finish(const Point& here) {
    const int m = static_cast<int>(here.values.e.size());
    report_.residual = here.values.e;
    report_.scaled_residual.resize(m);
    for (int i = 0; i < m; ++i) {
      const double size = report_.scaled_residual(i) = scaled_residual(here, i);
      if (report_.worst_row < 0 || size > report_.worst) report_.worst_row = i;
      report_.worst = std::max(report_.worst, size);
    }
    report_.correction = total_.size() == 0 ? 0.0 : mass_.norm(total_);
    report_.status = ProjectionStatus::converged;
    if (report_.worst > options_.tolerance) explain_failure(here);
  }

  void explain_failure(const Point& here) {
    const Eigen::VectorXd allowance = options_.tolerance * here.norms;
    const RankInput input{here.G, here.values.row_noise, {}, -here.values.e, here.values.e_noise, allowance};
    const RankReport rank = certify(input, options_.rank);
    report_.rank = rank.rank;
    report_.conflicting = minimal_conflicting_set(input, rank, options_.rank);
    report_.status = report_.conflicting.empty() ? ProjectionStatus::not_converged : ProjectionStatus::inconsistent;
  }

  const ConstraintFunctions& constraints_;
  const MassScaling& mass_;
  const ProjectionOptions& options_;
  ProjectionReport report_;
  Eigen::VectorXd first_norms_, total_;
};

}  // namespace

ProjectionReport project(const ConstraintFunctions& constraints, const MassScaling& mass, Eigen::VectorXd& x,
                         const ProjectionOptions& options) {
  return GaussNewton(constraints, mass, options).run(x);
}

}  // namespace mbc::runtime
