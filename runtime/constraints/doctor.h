// SPDX-License-Identifier: Apache-2.0
// The rows and the inertia of a model at many states: what `mbc doctor` reports. The decisions are those of a run
// (runtime/rows/rank.h); nothing is integrated here. States are y = [q; u; s], times in s; indices of rows and speeds
// are those of problem::Problem.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/constraints/constraint_projector.h"

namespace mbc::runtime {

class Doctor {
 public:
  // Both outlive the object, which changes mask and work of the equations.
  Doctor(Equations& equations, const problem::Problem& info, double rank_tolerance);

  // Rows at a state, which is taken as it is. Where the mass matrix is singular the rows are not mass-scaled.
  RankReport rows_at(double t, const std::vector<double>& y);
  // Rank of the rows of position level alone.
  int position_rank(double t, const std::vector<double>& y);

  // Inequalities whose sides are together there, none of which is held.
  std::vector<std::uint32_t> touching(double t, std::vector<double> y);

  // Speeds whose own inertia is missing: a Cholesky factorisation in their order does not get past them.
  std::vector<std::uint32_t> without_inertia(double t, const std::vector<double>& y);
  // Speeds that take part in a motion that neither inertia nor a row resists: the null space of [M; A].
  std::vector<std::uint32_t> undetermined(double t, const std::vector<double>& y);

  // A state on the constraints near y. Coordinates are displaced by up to `size` times the largest one of the same unit
  // (1 where that is zero), speeds likewise; then the state is projected. False when residuals above `on` times the
  // largest coordinate are left, or when a body of direction cosines is a mirror image.
  bool random_state(double t, const std::vector<double>& y, double size, std::uint64_t seed, std::vector<double>& out,
                    double on = kOn);

  // State number k of a series of such states, of sizes 0.05 to 1; where that fails a smaller size is tried. Equal
  // arguments give equal states.
  bool sample(double t, const std::vector<double>& y, std::uint64_t seed, std::uint64_t k, std::vector<double>& out,
              double on = kOn);

  // Rows that no state near y satisfies together. Empty when there is such a state, or when no row could be blamed.
  std::vector<int> conflicting(double t, const std::vector<double>& y);

 private:
  static constexpr double kOn = 1e-9;

  RankInput rows_input(double t, const std::vector<double>& y);

  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector projector_;
  RankOptions options_;
};

}  // namespace mbc::runtime
