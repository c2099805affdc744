// SPDX-License-Identifier: Apache-2.0
// ManifoldDerivatives holds the derivatives of the equations of motion at one state, along the manifold of the states
// that satisfy the constraints. All questions at a state use it: linear models, equilibria, Jacobians for hosts.
//
// The partial derivatives are compiled expressions (kernel/partials.h); RateJacobian differentiates the equations
// implicitly; the chain rule with the tangent space gives the derivatives by
//
//   the directions (tangent_space.h), the inputs of the kernel, the time            as many columns, one after the
//   other
//
// The rate of a direction is the rate of its coordinate or speed. A direction theta of a body in quaternions is a
// rotation vector in its axes: theta' = domega - omega x theta.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/interpreter.h"
#include "runtime/constraints/doctor.h"
#include "runtime/equations/rate_jacobian.h"
#include "runtime/linear/tangent_space.h"

namespace mbc::runtime {

class ManifoldDerivatives {
 public:
  // The arguments must outlive the object. The partial derivatives have the scope `manifold`.
  ManifoldDerivatives(const PartialsCode& code, Equations& equations, const problem::Problem& info);

  // Evaluates everything at a state y of n_y entries, with the rows that the mask of the equations has certified. The
  // result is false if a value is not finite, other than a derivative of an output.
  bool evaluate(double t, const double* y);
  // Returns the operation that made a derivative infinite or undefined in the last evaluate(), if it is known.
  [[nodiscard]] std::optional<Span> failed(double t, const double* y);

  // ---- after evaluate() returned true
  [[nodiscard]] const TangentSpace& tangent() const { return tangent_; }
  // Returns the rates of the directions.
  [[nodiscard]] Eigen::VectorXd rates() const;
  // Returns [q'; u'; s'; work rates].
  [[nodiscard]] const std::vector<double>& state_rates() const { return jacobian_.rates(); }
  // These matrices have a row for each direction, speed, state, constraint row and output.
  [[nodiscard]] Eigen::MatrixXd rates_by_arguments() const;
  // Bounds the rounding errors of rates_by_arguments(), to first order, at the state that was evaluated.
  [[nodiscard]] Eigen::MatrixXd rate_errors(double t, const double* y);
  [[nodiscard]] Eigen::MatrixXd accelerations() const { return by_state(layout_.motion_at(), layout_.n_speeds); }
  [[nodiscard]] Eigen::MatrixXd state_rates_by_arguments() const {
    return by_state(layout_.states_at(), layout_.n_states);
  }
  [[nodiscard]] Eigen::MatrixXd multipliers() const { return jacobian_.multipliers() * arguments_; }
  [[nodiscard]] Eigen::MatrixXd outputs() const;
  // Returns the displacement d of each argument.
  [[nodiscard]] Eigen::MatrixXd displacements() const;
  // Returns the mass matrix in the independent speeds.
  [[nodiscard]] Eigen::MatrixXd reduced_mass() const;
  [[nodiscard]] std::uint32_t position_rank() const { return position_rank_; }
  [[nodiscard]] std::uint32_t velocity_rank() const { return velocity_rank_; }
  // Returns the columns of rates_by_arguments().
  [[nodiscard]] Eigen::Index inputs_at() const { return tangent_.size(); }
  [[nodiscard]] Eigen::Index time_at() const { return inputs_at() + layout_.n_inputs; }
  // Returns the rows whose multipliers an output depends on.
  [[nodiscard]] std::vector<std::uint32_t> multipliers_of_output(std::uint32_t output) const;
  // Returns an operation whose piece changes within a small displacement along a direction and that changes
  // derivatives, other than those of outputs; nothing if there is none.
  std::optional<Span> discontinuity(double t, const double* y);

 private:
  [[nodiscard]] Eigen::MatrixXd by_state(std::uint32_t row, std::uint32_t count) const;
  // Returns the partial derivatives of some rows of the layout by all of its columns.
  [[nodiscard]] Eigen::MatrixXd partials(std::uint32_t row, std::uint32_t count) const;
  [[nodiscard]] ManifoldRows rows(double t, const double* y);
  // Returns the number of entries before those of outputs.
  [[nodiscard]] Eigen::Index n_motion_entries() const;
  // Returns arguments of the compiled partial derivatives at a state; `work` and `deriv` are filled with what they
  // read.
  kernel::Arguments arguments(double t, const double* y, std::vector<double>& work, std::vector<double>& deriv) const;

  const PartialsCode& code_;
  const kernel::PartialsLayout& layout_;
  Equations& equations_;
  const problem::Problem& info_;
  RateJacobian jacobian_;
  Doctor ranks_;
  TangentSpace tangent_;
  Eigen::MatrixXd spread_;     // [q; u; s] by d
  Eigen::MatrixXd arguments_;  // columns of the layout by arguments
  Eigen::MatrixXd mass_;
  std::vector<double> speeds_;
  std::uint32_t position_rank_ = 0, velocity_rank_ = 0;
};

}  // namespace mbc::runtime
