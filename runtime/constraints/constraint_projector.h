// SPDX-License-Identifier: Apache-2.0
// Projection of a state onto its constraints: `stabilise = project(tol)`.
//
// The fast way is Newton's method in the mass metric with the kernel's own elimination, one evaluation an iteration:
// A w = -e with |w|_M smallest, q <- q + W w, then the same for the speeds with the velocity-level residuals (C.
// Lubich, Impact Comput. Sci. Eng. 3 (1991) 213-234, for the projection after a step). Convergence is quadratic, so the
// drift of a step (1e-8) is gone after one iteration. Near singular positions, and where Newton's method fails, the
// rank-revealing projection of gauss_newton.h takes over.
//
// States are y = [q; u; s], displacements w have n_speeds entries. Residuals are scaled, |e|/|G| with G = A L^-T: the
// mass-weighted distance to the nearest state that meets the row. Tolerances are relative to the size of the model,
// which is 1 until it is measured. Pairs hold position and velocity level.
#pragma once
#include <utility>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/constraints/gauss_newton.h"
#include "runtime/constraints/model_size.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct CorrectionReport {
  bool converged = true;
  bool robust = false;         // the rank-revealing projection was used
  bool near_singular = false;  // because rows were nearly dependent
  double speed = 0;            // mass-weighted norm of the speeds (robust only)
  double before[2] = {0, 0};   // largest scaled residual |e|/|G|, position and velocity level
  double after[2] = {0, 0};
  double moved[2] = {0, 0};     // mass-weighted size of the correction
  int worst_row = -1;           // the one that missed the tolerance last; -1: none did
  ProjectionReport details[2];  // when robust
};

// By row: 1 for those that positions, or speeds, have to meet, else 0.
std::vector<double> rows_of_level(const problem::Problem& info, bool position);

// Brings quaternions back to norm 1. The exact flow keeps it; a step of rk4 loses (|omega| h/2)^6/144 of it.
void normalise(const problem::Problem& info, double* y);

class ConstraintProjector {
 public:
  // Both outlive the object.
  ConstraintProjector(Equations& equations, const problem::Problem& info);

  // At an initial state of a motion that long (0: unknown). The first one counts.
  void measure(double t, const double* y, double span = 0) {
    if (!std::exchange(measured_, true)) size_ = measured_size(equations_, info_, t, y, span);
  }
  [[nodiscard]] const ModelSize& size() const { return size_; }
  // Of the state, or of the model where that is larger.
  [[nodiscard]] double extent(bool position, const double* y) const {
    return size_.at(position, info_, equations_.layout(), y);
  }
  // The same of the part of the model that a row belongs to: what is seen in the row is compared with it. Until the
  // next call for the level.
  class Extents {
   public:
    Extents(const std::vector<double>& parts, const std::vector<std::uint32_t>& of_row)
        : parts_(parts), of_row_(of_row) {}
    double operator[](std::size_t row) const { return parts_[of_row_[row]]; }

   private:
    const std::vector<double>& parts_;
    const std::vector<std::uint32_t>& of_row_;
  };
  [[nodiscard]] Extents extents(bool position, const double* y) const {
    std::vector<double>& parts = extents_[position ? 0 : 1];
    size_.at(position, info_, equations_.layout(), y, parts);
    return {parts, size_.part_of_row};
  }

  // Corrects y in place. tolerance: of the scaled residuals, relative to the size of the model; robust: by the
  // rank-revealing projection at once. y is the best state that was found when the report says that it did not
  // converge.
  CorrectionReport project(double t, double* y, double tolerance, bool robust);

  // The same beside a singular position, where pivots are above `near` of S_kk. Positions are corrected by the
  // elimination even there, until the residuals are met: what it loses the next iteration brings back. Speeds are
  // corrected by the rank-revealing projection.
  CorrectionReport project_beside(double t, double* y, double tolerance, double near);

  void transfer(Archive& archive) { archive(size_); }

  // The work that the reactions do over the rounding of the positions: the sum of |lambda_k| |e_k|, e_k a residual of
  // rounding. By the principle of virtual work a model at rest changes its potential energy by so much, however flat
  // the angle at which its rows hold it. Multipliers are those of the last evaluation, which was at y.
  [[nodiscard]] double work_of_rounding(const double* y) const;

  // Moves a state by w in the space of the speeds: q <- q + W w, or u <- u + w.
  void displace(bool position, double t, double* y, const double* w);

  // Largest scaled residual over the rows of a level at a state, relative to the size of the part of the model that the
  // row belongs to; *row: which. Not finite where a residual is not.
  double worst(bool position, double t, const double* y, int* row = nullptr);
  // The same of positions at the start, where particles far from the origin are judged by how close they are.
  double worst_at_start(double t, const double* y);

 private:
  // d/S of a row below which the elimination is not used; residual below which one step is known to reach round-off.
  struct Trust {
    double near, quadratic;
  };
  bool newton(bool position, double t, double* y, double tolerance, Trust trust, CorrectionReport& report);
  void rank_revealing(bool position, double t, double* y, double tolerance, CorrectionReport& report);
  struct Level;
  ConstraintFunctions functions_of(Level& level);
  void take(const ProjectionReport& made, const Level& level, const double* y, CorrectionReport& report) const;
  [[nodiscard]] bool moved_little(bool position) const;
  [[nodiscard]] bool nearly_dependent(double near) const;
  Eigen::VectorXd rate_noise(double t, const double* y, const Assembled& here, const std::vector<int>& rows);
  // |e|/|G| of a row.
  [[nodiscard]] double scaled_residual(bool position, std::uint32_t row) const;
  // The largest of the level; *left_out that of the rows outside the mask.
  double scaled_residual(bool position, int* row, double* left_out = nullptr) const;
  [[nodiscard]] bool of_level(std::uint32_t row, bool position) const { return of_level_[position ? 0 : 1][row] != 0; }
  Equations& equations_;
  const problem::Problem& info_;
  bool measured_ = false;
  ModelSize size_;
  mutable std::vector<double> extents_[2];
  std::vector<double> rows_, of_level_[2];  // rows asked for; of the position and the velocity level
  std::vector<char> of_contact_;
  std::vector<double> total_;
  std::vector<double> start_;         // for a second attempt, where there is one
  std::vector<double> moved_, rate_;  // where quaternions are displaced
  std::vector<double> correction_;
};

}  // namespace mbc::runtime
