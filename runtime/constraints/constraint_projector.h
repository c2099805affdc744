// SPDX-License-Identifier: Apache-2.0
// Keeping a state on its constraints: `stabilise = project(tol)`.
//
// The fast way is Newton in the mass metric with the kernel's own elimination, one evaluation an iteration: w from
// A w = -e, |w|_M smallest, q <- q + w (then the same for speeds). Convergence is quadratic, so a step's drift (1e-8)
// is gone after one. Near singular positions, and when that fails, the rank-revealing projection of
// runtime/constraints/gauss_newton.h takes over.
#pragma once
#include <vector>

#include "runtime/constraints/gauss_newton.h"
#include "runtime/equations/equations.h"
#include "runtime/equations/model_info.h"

namespace mbc::runtime {

struct CorrectionReport {
  bool converged = true;
  bool robust = false;         // the rank-revealing projection was used
  bool near_singular = false;  // because rows were nearly dependent
  double speed = 0;            // mass-weighted norm of the speeds (robust only)
  double before[2] = {0, 0};   // largest scaled residual |e|/|G|, position and velocity level
  double after[2] = {0, 0};
  double moved[2] = {0, 0};  // mass-weighted size of the correction
  int worst_row = -1;
  ProjectionReport details[2];  // when robust
};

// Quaternions back to norm 1: the exact flow keeps it, a step loses (|omega| h/2)^6/144 of it.
void normalise(const ModelInfo& info, double* y);

class ConstraintProjector {
 public:
  ConstraintProjector(Equations& equations, const ModelInfo& info);

  // Corrects y in place at time t.
  CorrectionReport project(double t, double* y, double tolerance, bool robust);

  // The same beside a singular position, where pivots are above `near` of S_kk: positions by the elimination all the
  // same, until the residuals are met, since what it loses there the next iteration brings back; speeds by the
  // rank-revealing projection.
  CorrectionReport project_beside(double t, double* y, double tolerance, double near);

  // Moves a state by w in the space of the speeds: q <- q + W w, or u <- u + w.
  void displace(bool position, double t, double* y, const double* w);

  // Largest |e|/|G| over the rows of a level at a state; which row.
  double worst(bool position, double t, const double* y, int* row = nullptr);

 private:
  // d/S of a row below which the elimination is not used; residual below which one step is known to reach round-off.
  struct Trust {
    double near, quadratic;
  };
  bool newton(bool position, double t, double* y, double tolerance, Trust trust, CorrectionReport& report);
  void rank_revealing(bool position, double t, double* y, double tolerance, CorrectionReport& report);
  struct Level;
  ConstraintFunctions functions_of(Level& level);
  static void take(const ProjectionReport& made, const Level& level, const double* y, CorrectionReport& report);
  [[nodiscard]] bool nearly_dependent(double near) const;
  Eigen::VectorXd rate_noise(double t, const double* y, const Assembled& here, const std::vector<int>& rows);
  // Largest |e|/|G| of the level; *left_out that of the rows outside the mask.
  double scaled_residual(bool position, int* row, double* left_out = nullptr) const;
  [[nodiscard]] bool of_level(std::uint32_t row, bool position) const { return of_level_[position ? 0 : 1][row] != 0; }
  [[nodiscard]] double extent(const double* y) const;  // of the coordinates
  Equations& equations_;
  const ModelInfo& info_;
  std::vector<double> rows_, of_level_[2];  // rows asked for; of the position and the velocity level
  std::vector<double> total_;
  std::vector<double> start_;         // for a second attempt, where there is one
  std::vector<double> moved_, rate_;  // where quaternions are displaced
  std::vector<double> correction_;
};

}  // namespace mbc::runtime
