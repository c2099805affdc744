// SPDX-License-Identifier: Apache-2.0
// RateJacobian computes the derivatives of the rates [q'; u'; s'] by the state [q; u; s]. The work integrals are left
// out, because nothing depends on them. The derivatives of u' come from implicit differentiation of the equations
// (docs/numerics.md, section 4):
//
//   [M A^T; A 0] [du'; -dlambda] = [dF; dR],   F = f + A^T lambda - M u',   R = b - A u'
//
// The partial derivatives of F and R at constant u' and lambda are compiled expressions (kernel/partials.h). Only
// reaction-dependent forces need finite differences (reaction_dependent_forces.h). Rows outside of the certified set
// and rows that the elimination skips take no part.
//
// With partial derivatives in the scope `manifold` the derivatives by inputs and time follow those by the state, and
// the derivatives of multipliers, residuals and outputs are known. Reaction-dependent forces are then constant: users
// of this scope refuse states where they act.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/equations/partials_runner.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

class RateJacobian {
 public:
  // Both arguments must outlive the object. The code must belong to the kernel of the equations, whose state is [q; u;
  // s].
  RateJacobian(const PartialsCode& code, Equations& equations);
  RateJacobian(const RateJacobian&) = delete;
  RateJacobian& operator=(const RateJacobian&) = delete;

  // Returns the number of entries of the state without the work integrals.
  [[nodiscard]] std::uint32_t size() const { return layout_.inputs_at(); }
  // Evaluates the Jacobian at a state y of n_y entries. The result is false if a rate or a derivative is not finite.
  // matrix() is size() x n_columns() of the layout, which is size() in the scope `rates`. Afterwards the work array of
  // the equations holds the values of `assemble` at this state.
  bool evaluate(double t, const double* y);
  [[nodiscard]] const Eigen::MatrixXd& matrix() const { return matrix_; }

  // ---- after evaluate(), at the same state
  // Returns the rates [q'; u'; s'; ...] that were differentiated.
  [[nodiscard]] const std::vector<double>& rates() const { return rate_; }
  // Returns the derivatives of the multipliers, n_rows x n_columns(), zero for rows that take no part. Those of the
  // multipliers without `nonideal` forces are all zero in models without such forces.
  [[nodiscard]] Eigen::MatrixXd multipliers() const { return multipliers_of(solved_); }
  [[nodiscard]] Eigen::MatrixXd ideal_multipliers() const { return multipliers_of(ideal_solved_); }
  // Bounds the rounding errors of the rows of matrix() for u' and s', to first order, at the state that was evaluated.
  [[nodiscard]] Eigen::MatrixXd errors(double t, const double* y);
  // Returns the partial derivatives, in the order of the layout's entries.
  [[nodiscard]] const double* partials() const { return runner_.values(); }

  // ---- displacements that stiff forces do not resist
  // Replaces the mass by the metric M - gamma F_u - gamma^2 F_q W at the last evaluated state. A displacement that is
  // small in this metric hardly changes the residual of an implicit step y = gamma y' + ..., even with stiff springs.
  void weigh(double gamma);
  // Returns w with A w = -e after weigh(), n_speeds entries. `e` has n_rows entries; those of rows that take no part
  // are ignored.
  const std::vector<double>& displacement(const double* e);

 private:
  void take_partials(double t, const double* y, const double* accelerations, const double* lambda);
  void gather(bool prescribed);
  void add_nonideal(double t, const double* y);
  bool add_dependent_forces(double t, const double* y);
  [[nodiscard]] Eigen::MatrixXd multipliers_of(const Eigen::MatrixXd& solved) const;
  void factor();
  [[nodiscard]] bool takes_part(std::uint32_t row) const;

  const PartialsCode& code_;
  const kernel::PartialsLayout& layout_;
  Equations& equations_;
  PartialsRunner runner_;
  std::vector<double> rate_, given_;
  // with `nonideal` forces: the multipliers, and the multipliers and u' without these forces
  std::vector<double> lambda_, ideal_, free_;
  std::vector<bool> active_;
  Eigen::VectorXd scale_;      // scales of the rows and columns of the factored matrix
  Eigen::MatrixXd augmented_;  // [M A^T; A 0], scaled
  Eigen::MatrixXd right_, solved_, matrix_;
  Eigen::MatrixXd ideal_solved_;            // solved_ of the equations without `nonideal` forces, if there are any
  Eigen::MatrixXd one_right_, one_solved_;  // one column
  Eigen::MatrixXd weighed_;
  std::vector<double> displacement_;
  LuFactors factors_, weighed_factors_;
};

}  // namespace mbc::runtime
