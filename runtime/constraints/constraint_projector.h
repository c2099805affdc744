// SPDX-License-Identifier: Apache-2.0
// ConstraintProjector projects a state onto its constraints: `stabilise = project(tol)`.
//
// The fast method is Newton's method in the mass metric with the elimination of the kernel, one evaluation per
// iteration: A w = -e with the smallest |w|_M, q <- q + W w, then the same for the speeds with the velocity-level
// residuals (C. Lubich, Impact Comput. Sci. Eng. 3 (1991) 213-234, for the projection after a step). Convergence is
// quadratic, so that one iteration removes the drift of a step (1e-8). Near singular positions, and if Newton's method
// fails, the rank-revealing projection of gauss_newton.h replaces it.
//
// States are y = [q; u; s], and displacements w have n_speeds entries. Residuals are scaled: |e|/|G| with G = A L^-T is
// the mass-weighted distance to the nearest state that satisfies the row. Tolerances are relative to the size of the
// model, which is 1 until it is measured. Pairs hold the position level and the velocity level.
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
  bool robust = false;         // The rank-revealing projection was used.
  bool near_singular = false;  // It was used because rows were nearly dependent.
  double speed = 0;            // mass-weighted norm of the speeds (only if `robust`)
  double before[2] = {0, 0};   // largest scaled residual |e|/|G| at position and velocity level
  double after[2] = {0, 0};
  double moved[2] = {0, 0};     // mass-weighted size of the correction
  int worst_row = -1;           // the row that missed the tolerance last; -1 if none did
  ProjectionReport details[2];  // filled if `robust`
};

// Returns by row 1 for each row that positions (or speeds) must satisfy, and 0 for the others.
std::vector<double> rows_of_level(const problem::Problem& info, bool position);

// Normalises quaternions. The exact flow keeps their norm; a step of rk4 loses (|omega| h/2)^6/144 of it.
void normalise(const problem::Problem& info, double* y);

class ConstraintProjector {
 public:
  // The arguments must outlive the object.
  ConstraintProjector(Equations& equations, const problem::Problem& info);

  // Measures the size of the model at an initial state of a motion that lasts `span` (0 if unknown). Only the first
  // call has an effect.
  void measure(double t, const double* y, double span = 0) {
    if (!std::exchange(measured_, true)) size_ = measured_size(equations_, info_, t, y, span);
  }
  [[nodiscard]] const ModelSize& size() const { return size_; }
  // Returns the size of the state or of the model, whichever is larger.
  [[nodiscard]] double extent(bool position, const double* y) const {
    return size_.at(position, info_, equations_.layout(), y);
  }
  // Extents holds the same value for the part of the model that each row belongs to, which is the scale for values of
  // the row. It is valid until the next call for the level.
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

  // Corrects y in place. `tolerance` bounds the scaled residuals relative to the size of the model. If `robust` is set,
  // the rank-revealing projection is used directly. If the report says that the projection did not converge, y is the
  // best state found.
  CorrectionReport project(double t, double* y, double tolerance, bool robust);

  // Projects a state near a singular position at which the pivots exceed `near` times S_kk. The elimination corrects
  // positions even there, until the residuals are met; the next iteration recovers what it loses. The rank-revealing
  // projection corrects the speeds.
  CorrectionReport project_beside(double t, double* y, double tolerance, double near);

  void transfer(Archive& archive) { archive(size_); }

  // Returns the work that the reactions do over the rounding of the positions: the sum of |lambda_k| |e_k|, where e_k
  // is a residual of rounding. By the principle of virtual work a model at rest changes its potential energy by that
  // much, however flat the angle at which its rows hold it. The multipliers are those of the last evaluation, which
  // must be at y.
  [[nodiscard]] double work_of_rounding(const double* y) const;

  // Moves a state by w in the space of the speeds: q <- q + W w, or u <- u + w.
  void displace(bool position, double t, double* y, const double* w);

  // Returns the largest scaled residual over the rows of a level, relative to the size of the part of the model that
  // the row belongs to. *row is its row. The result is not finite if a residual is not.
  double worst(bool position, double t, const double* y, int* row = nullptr);
  // Returns the same for positions at the start. Particles far from the origin are judged by their distances from each
  // other.
  double worst_at_start(double t, const double* y);

 private:
  // The elimination is not used if d/S of a row is below `near`. One step reaches round-off if the residual is below
  // `quadratic`.
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
  // Returns |e|/|G| of a row.
  [[nodiscard]] double scaled_residual(bool position, std::uint32_t row) const;
  // Returns the largest value of the level. *left_out is the largest one of the rows outside of the mask.
  double scaled_residual(bool position, int* row, double* left_out = nullptr) const;
  [[nodiscard]] bool of_level(std::uint32_t row, bool position) const { return of_level_[position ? 0 : 1][row] != 0; }
  Equations& equations_;
  const problem::Problem& info_;
  bool measured_ = false;
  ModelSize size_;
  mutable std::vector<double> extents_[2];
  std::vector<double> rows_, of_level_[2];  // the requested rows; the rows of the position and the velocity level
  std::vector<char> of_contact_;
  std::vector<double> total_;
  std::vector<double> start_;         // the start of a second attempt, if there is one
  std::vector<double> moved_, rate_;  // buffers for displacing quaternions
  std::vector<double> correction_;
};

}  // namespace mbc::runtime
