// SPDX-License-Identifier: Apache-2.0
// Doctor examines the rows and the inertia of a model at many states for the report of `mbc doctor`. It makes the same
// decisions as a run (runtime/rows/rank.h) and integrates nothing. States are y = [q; u; s], and times are in s.
// Indices of rows and speeds are those of problem::Problem.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/constraints/constraint_projector.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

class Doctor {
 public:
  // The arguments must outlive the object, which changes mask and work of the equations.
  Doctor(Equations& equations, const problem::Problem& info, double rank_tolerance);

  // Certifies the rows at a state without projecting it. If the mass matrix is singular, the rows are not mass-scaled.
  RankReport rows_at(double t, const std::vector<double>& y);
  // Certifies the rows that restrict positions, or those that restrict velocities: rows of position level, or of
  // position and velocity level. The other rows count as zero rows.
  RankReport rows_at_level(double t, const std::vector<double>& y, problem::Level level);

  // Returns the inactive unilateral constraints whose gap is zero at the state.
  std::vector<std::uint32_t> touching(double t, std::vector<double> y);

  // Returns the speeds without inertia of their own, at which a Cholesky factorisation in their order fails.
  std::vector<std::uint32_t> without_inertia(double t, const std::vector<double>& y);
  // Returns the speeds of motions that neither inertia nor a row resists: the null space of [M; A].
  std::vector<std::uint32_t> undetermined(double t, const std::vector<double>& y);

  // Finds a random state on the constraints near y. Coordinates and speeds are displaced by up to `size` times the
  // largest one of the same unit (1 if that is zero), and the state is then projected. The result is false if residuals
  // above `on` times the largest coordinate remain, or if a body of direction cosines is a mirror image.
  bool random_state(double t, const std::vector<double>& y, double size, std::uint64_t seed, std::vector<double>& out,
                    double on = kInitialTolerance);

  // Returns state number k of a series of such states with sizes 0.05 to 1. If that fails, smaller sizes are tried.
  // Equal arguments give equal states.
  bool sample(double t, const std::vector<double>& y, std::uint64_t seed, std::uint64_t k, std::vector<double>& out,
              double on = kInitialTolerance);

  // Returns rows that no state near y satisfies together. The result is empty if there is such a state, or if no row
  // can be blamed.
  std::vector<int> conflicting(double t, const std::vector<double>& y);

 private:
  RankInput rows_input(double t, const std::vector<double>& y);

  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector projector_;
  RankOptions options_;
};

}  // namespace mbc::runtime
