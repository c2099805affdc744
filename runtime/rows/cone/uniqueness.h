// SPDX-License-Identifier: Apache-2.0
// Decides whether a solution of a contact problem is the only one near it, and whether its motion depends on how
// dependent rows share their forces. Both follow from the set of rows that hold and slide, with the limits as affine
// functions.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/rows/cone/row_list.h"

namespace mbc::runtime {

// The state of the rows in a solution.
struct ConeState {
  const RowList* rows = nullptr;  // B
  std::uint32_t n = 0;            // speeds
  double size = 0;                // of the speeds
  Eigen::VectorXd multipliers;
  std::vector<std::uint32_t> holding;  // rows: held, pressing, sticking
  // Unilateral rows: those that move apart; those that neither move apart nor hold; all that may only push.
  std::vector<std::uint32_t> parting, together, pushing;
  // A force whose size depends on multipliers: the multipliers of one unit of it. stays: a friction whose slip is zero
  // and stays so. Frictions come first, then loads.
  struct Sliding {
    Eigen::VectorXd multipliers;
    bool stays = false;
  };
  std::vector<Sliding> sliding;
  std::size_t frictions = 0;  // of these
  // The sizes that they should have with these multipliers.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& multipliers)> sizes;
};

class ConeUniqueness {
 public:
  explicit ConeUniqueness(const ConeState& state);

  // Returns whether every principal minor of 1 - dL/dx is positive, where x are the sizes of the sliding forces and L
  // those that their laws require, and whether no row that parts could press as well (F. Genot, B. Brogliato, European
  // Journal of Mechanics A 18 (1999) 653-677). A P-matrix has one solution of the complementarity problem (R. W.
  // Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, Academic Press 1992, theorem 3.3.7). With more
  // than ten frictions only the determinant is tested.
  [[nodiscard]] bool is_unique() const;
  // Returns whether all multipliers of the motion give the sliding forces that keep it.
  [[nodiscard]] bool is_determined() const;

 private:
  struct Response {
    Eigen::VectorXd motion, multipliers;
  };
  [[nodiscard]] Response respond(const Eigen::VectorXd& multipliers) const;
  [[nodiscard]] Eigen::VectorXd gained(const Eigen::VectorXd& change) const;
  [[nodiscard]] bool can_press_instead() const;
  [[nodiscard]] bool can_move(const Eigen::MatrixXd& moved, const Eigen::MatrixXd& changes) const;
  [[nodiscard]] Eigen::VectorXd force(const Eigen::VectorXd& multipliers) const;
  [[nodiscard]] double norm(std::uint32_t row) const;
  [[nodiscard]] Eigen::MatrixXd normal(const std::vector<std::uint32_t>& rows) const;

  const ConeState& state_;
  Eigen::MatrixXd holding_, growth_;       // rows of norm 1; 1 - dL/dx
  Eigen::MatrixXd motions_, multipliers_;  // of one unit of each sliding force, with what the holding rows answer
  Eigen::VectorXd sizes_;                  // at the solution
};

}  // namespace mbc::runtime
