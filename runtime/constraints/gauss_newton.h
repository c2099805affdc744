// SPDX-License-Identifier: Apache-2.0
// Mass-weighted projection of a state onto its constraints, e(x) = 0, where e' = J w for a displacement w of x.
//
// Position level: x = q, w a displacement in the space of the speeds (q' = W u + X, so dq = W w unless `displace` says
// otherwise), J the same rows as in the accelerations. Velocity level: x = u, J = de/du; rows linear in u are met in
// one step and the next only removes rounding.
//
// Each iteration is the Gauss-Newton step  min |w|_M  subject to  J w = -e  on the independent rows: y = -G^+ e with
// G = J L^-T, w = L^-T y. The rank is decided at every iteration, because rows that are redundant on the manifold are
// not quite so off it:
//   - a redundant row disagrees by O(drift^2), a vector row such as cross(a, b) = 0 gains rank by O(drift), and a row
//     that vanishes on the manifold has a direction of its own off it. So after a trial step the rows are compared with
//     those at the new point: a row (or a direction) that the step itself would turn by as much as it is independent
//     does not count, and the step is repeated without it. The shorter step is taken if it does the job; if it does
//     not, the row was needed and the full step is taken.
//   - a residual that grows halves the step.
// Iteration goes on below the tolerance while it still gains, so converged states are at round-off.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/rows/mass_scaling.h"
#include "runtime/rows/rank.h"

namespace mbc::runtime {

struct ConstraintValues {
  Eigen::VectorXd e;          // m
  Eigen::MatrixXd J;          // m x n
  Eigen::VectorXd e_noise;    // m or empty: absolute rounding error of e
  Eigen::VectorXd row_noise;  // m or empty: absolute error of the mass-scaled rows, as RankInput::row_noise
};

struct ConstraintFunctions {
  // Fills `out` at x; false when the constraints cannot be evaluated there (the step is then shortened).
  std::function<bool(const Eigen::VectorXd& x, ConstraintValues& out)> evaluate;
  // out = x displaced by w; empty: out = x + w.
  std::function<void(const Eigen::VectorXd& x, const Eigen::VectorXd& w, Eigen::VectorXd& out)> displace;
};

struct ProjectionOptions {
  double tolerance = 1e-12;  // largest |e_i| / |G_i|: mass-weighted distance to the nearest state that meets row i
  int max_iterations = 25;
  int max_halvings = 10;
  RankOptions rank;
};

enum class ProjectionStatus : std::uint8_t {
  converged,
  not_converged,  // the independent rows were not met within max_iterations, or no step reduces the residual
  inconsistent,   // rows contradict each other at the last state: see `conflicting`
  not_evaluable   // non-finite values, or evaluate refused, at the start
};

const char* to_string(ProjectionStatus status);

struct ProjectionReport {
  ProjectionStatus status = ProjectionStatus::not_evaluable;
  NonFinite non_finite;             // not_evaluable: the entry, when there is one
  int iterations = 0;               // steps taken
  double correction = 0;            // mass-weighted norm of the sum of all steps
  int worst_row = -1;               // -1: no rows
  double worst_before = 0;          // largest scaled residual at the start
  double worst = 0;                 // and at the end, the residual of worst_row
  Eigen::VectorXd residual;         // e at the end
  Eigen::VectorXd scaled_residual;  // |e_i| / |G_i| at the end
  int rank = 0;                     // of the rows at the end
  std::vector<int> conflicting;     // inconsistent: a minimal conflicting set of rows

  [[nodiscard]] bool converged() const { return status == ProjectionStatus::converged; }
};

// x is replaced by the best state found; unchanged when it is at round-off already or cannot be evaluated.
ProjectionReport project(const ConstraintFunctions& constraints, const MassScaling& mass, Eigen::VectorXd& x,
                         const ProjectionOptions& options = {});

}  // namespace mbc::runtime
