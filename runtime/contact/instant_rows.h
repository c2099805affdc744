// SPDX-License-Identifier: Apache-2.0
// The rows of a model at one instant, in the metric of the masses (M = L L^T), and the contact problems of them
// (runtime/rows/cone/problem.h). Row k of a problem is row k of the model, so its multipliers are those of the model.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/equations/dense_rows.h"
#include "runtime/equations/equations.h"
#include "runtime/equations/row_lengths.h"
#include "runtime/rows/cone/problem.h"

namespace mbc::runtime {

// A decision about contacts and frictions ends in one of these ways. undefined: a value is not finite.
enum class ContactOutcome : std::uint8_t { settled, undefined, failed };

class InstantRows {
 public:
  // Both outlive the object.
  InstantRows(Equations& equations, const problem::Problem& info);

  // M, f, A, b at a state y = [q; u; s], with the rows as they are switched. False: a value is not finite.
  bool assemble(double t, const std::vector<double>& y);
  [[nodiscard]] const Assembled& assembled() const { return assembled_; }
  [[nodiscard]] const RowList& scaled() const { return scaled_; }  // B = A L^-T, by row of the model
  [[nodiscard]] double norm(std::uint32_t row) const { return norms_[row]; }
  // Its residual for one metre; 1 of a row that is switched off.
  [[nodiscard]] double length(std::uint32_t row) const { return lengths_[row]; }
  [[nodiscard]] Eigen::VectorXd dense(std::uint32_t row) const;
  [[nodiscard]] double times(std::uint32_t row, const Eigen::VectorXd& w) const { return scaled_.times(row, w.data()); }
  [[nodiscard]] const std::vector<std::uint32_t>& equations() const {
    return equations_of_model_;
  }  // that are not zero
  [[nodiscard]] Eigen::VectorXd free_acceleration() const {
    return assembled_.scaling.to_scaled(assembled_.free_acceleration());
  }

  // A problem in which the equations are held and nothing else acts yet. wanted: by row; size: of the speeds.
  [[nodiscard]] ConeProblem problem(const Eigen::VectorXd& wanted, double size) const;
  // Adds a load to a problem as a given force, a row behind those that are there: its effect on the speeds for a size
  // of 1. The input `size` is 0 before and after. slopes: by which rows its size is known.
  void add_load(double t, const std::vector<double>& y, double& size, std::span<const problem::Slope> slopes,
                ConeProblem& problem);
  // Replaces the speeds that held rows require by the nearest ones that they can have together.
  void reconcile(ConeProblem& problem) const;
  // The size of the speeds of a problem: that of speeds, or of what rows want.
  [[nodiscard]] double size(const Eigen::VectorXd& speeds, const Eigen::VectorXd& wanted) const;
  // Return those rows, each with norm 1, and orthonormal columns that span them.
  [[nodiscard]] Eigen::MatrixXd normal(const std::vector<std::uint32_t>& rows) const;
  [[nodiscard]] Eigen::MatrixXd basis(const std::vector<std::uint32_t>& rows) const;
  // Returns whether a row depends on the rows with this basis.
  [[nodiscard]] bool follows(std::uint32_t row, const Eigen::MatrixXd& basis) const;
  // Returns those that do not follow from the ones before them.
  [[nodiscard]] std::vector<std::uint32_t> independent(const std::vector<std::uint32_t>& rows) const;

  // Returns by row the group that it belongs to, of those that are marked. Rows of one group share forces: there are
  // multipliers that give none and have parts in all of them; limits of friction join groups. Rows with the only
  // multiplier that gives their force, and no such limit, have no group.
  static constexpr std::uint32_t kNoGroup = 0xffffffffU;
  [[nodiscard]] std::vector<std::uint32_t> groups(const std::vector<char>& marked) const;

  // Leads a state at t to the time t + ahead with these accelerations, on the rows of the list, which are independent,
  // and assembles all rows there. False: a value is not finite.
  bool lead(ConstraintProjector& projector, double t, double ahead, const Eigen::VectorXd& acceleration,
            const std::vector<std::uint32_t>& rows, std::vector<double>& y);

 private:
  Equations& equations_;
  const problem::Problem& info_;
  const std::vector<char> of_contact_;  // by row of the model
  const RowLengths row_lengths_;
  std::vector<double> lengths_;
  Assembled assembled_;
  RowList scaled_;
  Eigen::VectorXd norms_;
  std::vector<std::uint32_t> equations_of_model_;
};

}  // namespace mbc::runtime
