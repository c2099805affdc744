// SPDX-License-Identifier: Apache-2.0
// The generic rank of the constraint rows: how many directions each component of them (row_components.h) holds wherever
// the motion is not just at a singular position. It is decided at a certified state and used near singular positions,
// where no threshold could find it: accelerations and corrections use as many leading singular directions of the state
// at hand (runtime/rows/truncated_inverse.h).
//
// Only components with rows of position level are watched. Rows of velocity level that lose their rank (knife edges)
// leave a motion that is regular; singular_limit.h leads across.
//
// States are y = [q; u; s], n_y entries; t in s.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/equations/equations.h"
#include "runtime/rows/rank.h"

namespace mbc::runtime {

class GenericRank {
 public:
  // All outlive the object.
  GenericRank(Equations& equations, const problem::Problem& info, ConstraintProjector& projector);

  // Returns whether there are rows to watch: rows of position level, few enough for full matrices.
  [[nodiscard]] bool watches() const { return watches_; }

  // The kind of a start on a singular position. at_rest: the whole model is at rest there. driven_off: something moves,
  // but not a component that lies on a position (or all of it moves without turning), and the loads drive that
  // component off along directions that the rows leave open there and that are not those of the motion. Ranks are then
  // those off the position.
  enum class Start : std::uint8_t { moves, at_rest, driven_off };
  // At a certified state. doubtful: the report on a state that may be a singular position itself, where the rank is
  // what it is on both sides of it along the motion; null: the mask is that of the generic rank. goes_on: other rows
  // have come into use along the motion, and their sizes until there count.
  Start decide(double t, const double* y, const RankReport* doubtful, bool goes_on = false);

  // After an rhs: the least pivot of a watched row, relative to its size elsewhere (1 and more: nothing near). The norm
  // of the row at the state may vanish as well.
  [[nodiscard]] double least_pivot() const;
  // By row: pivots below which least_pivot() may be near; 0 for rows that are not watched.
  [[nodiscard]] const std::vector<double>& limits() const { return limits_; }

  // The accelerations of the leading directions: as Equations::rhs. The decomposition is left in
  // equations.truncated().
  std::int32_t rhs(double t, const double* y, double* dy) { return equations_.rhs_in(SolveMode::truncated, t, y, dy); }
  // How far the watched components of the last decomposition are from a singular position, in units of the distance
  // below which nothing is to be evaluated: more than 1 is far enough.
  [[nodiscard]] double clearance(double bound) const;

  // Brings y onto the constraints by corrections in the leading directions: positions, then speeds. *moved: by how much
  // the positions, mass-weighted. False where that does not converge.
  bool project(double t, double* y, double tolerance, double* moved = nullptr);
  // The same for positions alone, of component k in all but the `weak` last of its leading directions.
  bool project_strong(double t, double* y, double tolerance, std::size_t k, int weak);
  // W e of the rows of component k at the state; empty where rows of other levels are among them.
  Eigen::VectorXd off(double t, const double* y, std::size_t k);

  // The components that the last decomposition found nearer than `bound` have lost directions for good: they are not
  // watched any more, and left to the certification. False where there is none.
  bool give_up(double bound);

  // Size of the positions, mass-weighted: what their rounding is measured by.
  [[nodiscard]] double extent(const double* y) const { return projector_.extent(true, y); }

  void transfer(Archive& archive);

 private:
  bool correct(bool position, double t, double* y, double tolerance, double& moved);
  void take_level(bool position, double t, const double* y);
  void raise_references();
  void look_around(double t, const double* y, double e, bool goes_on);
  bool rank_at(double t);
  bool agrees_on_both_sides(double t, const double* y, double e);
  bool holds_more_at_rest(double t, const double* y, double e, const RankReport& start);
  bool weigh_vanishing(double t);
  void displace(double t, const double* y, const Assembled& here, const Eigen::VectorXd& w);
  bool probe(double t, const double* y, const Assembled& here, const std::vector<char>& still);
  std::vector<char> still_components(double t, const double* y, const Assembled& here, double e);
  void leave(RowComponent& component);
  void leave_determined(double t, const double* y);

  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector& projector_;
  bool watches_ = false;
  TruncatedInverse position_, velocity_;  // the rows that positions, and speeds, have to meet
  std::vector<double> watched_;           // by row
  std::vector<double> usual_, limits_;    // pivots by row
  std::vector<double> scratch_, rates_, beside_;
};

}  // namespace mbc::runtime
