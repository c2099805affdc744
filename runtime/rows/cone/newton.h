// SPDX-License-Identifier: Apache-2.0
// Newton's method for a contact problem: on its natural map, which is smooth but for the changes between pressing and
// parting, sticking and sliding. Full matrices up to some hundred unknowns, sparse ones beyond.
#pragma once
#include <Eigen/Core>

#include "runtime/rows/cone/natural_map.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

class ConeNewton {
 public:
  using Vector = Eigen::VectorXd;

  // The map outlives the object. tolerance: of the size of the speeds.
  ConeNewton(NaturalMap& map, double size, double tolerance) : map_(map), size_(size), target_(tolerance * size) {}

  // Return whether there are few enough products of rows for the method, and whether matrices are full, as the methods
  // of the second group need.
  [[nodiscard]] bool fits();
  [[nodiscard]] bool is_dense() const { return map_.size() <= kMostDense; }

  // By whole steps, of the map as it is. False, q as it was: there are too many steps.
  bool converge(Vector& q, int most_steps);
  // From a solution of the problem with compliance to one of the problem itself, by proximal steps: these change the
  // multipliers as little as it takes. True: it gets to the tolerance; else q is the best of them.
  bool refine(Vector& q);

  // By steps of least norm, shortened until each makes the residual smaller, without compliance. Where the derivative
  // is singular on the way, or there are many solutions, this may find one where the others do not.
  void descend(Vector& q);
  // Multipliers that give every row what is wanted of it, or come nearest to that.
  [[nodiscard]] Vector holding() const;
  // Replaces the multipliers that the set of active, sticking and sliding rows of a solution leaves open by those of
  // the limit of small compliance, by an orthogonal factorisation.
  void share(Vector& q);

  // Recomputes the speeds of a solution in which nothing slides by an orthogonal factorisation of the rows that hold,
  // which loses half as many digits as their products do.
  void polish(Vector& q);

  // Returns whether the active rows leave no multiplier of a solution open. It follows evaluate(q) of the map.
  [[nodiscard]] bool is_determined(const Vector& q) const;

  [[nodiscard]] double size() const { return size_; }
  [[nodiscard]] double target() const { return target_; }

 private:
  static constexpr Eigen::Index kMostDense = 250;

  bool minimise(Vector& q);
  bool take_step(const Vector& q, Vector& step);
  [[nodiscard]] Eigen::MatrixXd derivative() const;
  void spread(const Vector& unknowns, Vector& step) const;
  [[nodiscard]] std::vector<char> unilateral() const;  // by row, whether it is
  [[nodiscard]] Vector pulled_together(const Eigen::MatrixXd& pulled, const Eigen::MatrixXd& directions,
                                       const Vector& here) const;

  NaturalMap& map_;
  double size_, target_;
  NaturalMap::Derivative derivative_;
  LuFactors lu_;
  SparseCholesky cholesky_;
  SparseLu sparse_lu_;
  std::vector<SparseEntry> entries_;
};

}  // namespace mbc::runtime
