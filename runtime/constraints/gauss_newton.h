// SPDX-License-Identifier: Apache-2.0
// Projects a state onto its constraints e(x) = 0 in the mass metric, where e' = J w for a displacement w of x.
//
// At position level x = q, w is a displacement in the space of the speeds (q' = W u + X, so dq = W w unless `displace`
// says otherwise), and J has the rows of the accelerations. At velocity level x = u and J = de/du. One step satisfies
// rows that are linear in u; the next step only removes rounding.
//
// Each iteration is the Gauss-Newton step  min |w|_M  subject to  J w = -e  on the independent rows: y = -G^+ e with
// G = J L^-T, w = L^-T y. The rank is decided at every iteration, because rows that are redundant on the manifold are
// not exactly redundant off it:
//   - A redundant row disagrees by O(drift^2), a vector row such as cross(a, b) = 0 gains rank by O(drift), and a row
//     that vanishes on the manifold has a direction of its own off it. After a trial step the rows are therefore
//     compared with those at the new point. A row (or a direction) is left out if the step itself turns it by as much
//     as it is independent, and the step is repeated without it. The shorter step is taken if it is sufficient.
//     Otherwise the row was needed, and the full step is taken.
//   - If the residual grows, the step is halved.
// The iteration continues below the tolerance while it makes progress, so that converged states are at round-off.
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
  Eigen::VectorXd row_noise;  // m or empty: absolute error of the mass-scaled rows, as in RankInput::row_noise
};

struct ConstraintFunctions {
  // Fills `out` at x. The result is false if the constraints cannot be evaluated there; the step is then shortened.
  std::function<bool(const Eigen::VectorXd& x, ConstraintValues& out)> evaluate;
  // Sets out to x displaced by w. If the function is empty, out = x + w.
  std::function<void(const Eigen::VectorXd& x, const Eigen::VectorXd& w, Eigen::VectorXd& out)> displace;
};

struct ProjectionOptions {
  // largest |e_i| / |G_i|, the mass-weighted distance to the nearest state that satisfies row i
  double tolerance = 1e-12;
  int max_iterations = 25;
  int max_halvings = 10;
  RankOptions rank;
};

enum class ProjectionStatus : std::uint8_t {
  converged,
  not_converged,  // The independent rows were not satisfied within max_iterations, or no step reduces the residual.
  inconsistent,   // Rows contradict each other at the last state; see `conflicting`.
  not_evaluable   // Values are not finite, or evaluate fails, at the start.
};

struct ProjectionReport {
  ProjectionStatus status = ProjectionStatus::not_evaluable;
  NonFinite non_finite;             // the entry that makes the state not_evaluable, if there is one
  int iterations = 0;               // number of accepted steps
  double correction = 0;            // mass-weighted norm of the sum of all steps
  int worst_row = -1;               // -1 if there are no rows
  double worst_before = 0;          // largest scaled residual at the start
  double worst = 0;                 // largest scaled residual at the end, which is that of worst_row
  Eigen::VectorXd residual;         // e at the end
  Eigen::VectorXd scaled_residual;  // |e_i| / |G_i| at the end
  int rank = 0;                     // rank of the rows at the end
  std::vector<int> conflicting;     // a minimal conflicting set of rows, if the status is inconsistent

  [[nodiscard]] bool converged() const { return status == ProjectionStatus::converged; }
};

// Replaces x by the best state found. x does not change if it is already at round-off or cannot be evaluated.
ProjectionReport project(const ConstraintFunctions& constraints, const MassScaling& mass, Eigen::VectorXd& x,
                         const ProjectionOptions& options = {});

}  // namespace mbc::runtime
