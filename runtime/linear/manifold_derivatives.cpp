// SPDX-License-Identifier: Apache-2.0
#include "runtime/linear/manifold_derivatives.h"

#include <algorithm>
#include <cmath>

#include "kernel/interpreter.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

ManifoldDerivatives::ManifoldDerivatives(const PartialsCode& code, Equations& equations, const problem::Problem& info)
    : code_(code),
      layout_(code.partials.layout),
      equations_(equations),
      info_(info),
      jacobian_(code, equations),
      ranks_(equations, info, kRankTolerance) {}

Eigen::MatrixXd ManifoldDerivatives::partials(std::uint32_t row, std::uint32_t count) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(count, layout_.state_rates_at() + layout_.n_states);
  const auto& entries = layout_.entries;
  const auto first = std::lower_bound(entries.begin(), entries.end(), std::pair{row, 0u});
  for (auto at = first; at != entries.end() && at->first < row + count; ++at)
    out(at->first - row, at->second) = jacobian_.partials()[at - entries.begin()];
  return out;
}

ManifoldRows ManifoldDerivatives::rows(double t, const double* y) {
  ManifoldRows out;
  out.n_speeds = layout_.n_speeds;
  out.n_states = layout_.n_states;
  const auto independent = [&](std::uint32_t at, const std::vector<int>& which) {
    const Eigen::MatrixXd all = partials(at, layout_.n_rows);
    Eigen::MatrixXd rows(static_cast<Eigen::Index>(which.size()), out.displacements() + 1);
    for (std::size_t k = 0; k < which.size(); ++k)
      rows.row(static_cast<Eigen::Index>(k)) << all.row(which[k]).head(layout_.inputs_at()) * spread_,
          all(which[k], layout_.time_at());
    return rows;
  };
  const std::vector<double> state(y, y + equations_.layout().n_y());
  const std::vector<int> position = ranks_.rows_at_level(t, state, problem::Level::position).independent;
  std::vector<int> velocity = ranks_.rows_at_level(t, state, problem::Level::velocity).independent;
  const auto of_velocity = std::stable_partition(velocity.begin(), velocity.end(), [&](int k) {
    return info_.rows[static_cast<std::size_t>(k)].level == problem::Level::position;
  });
  out.position = independent(layout_.position_at(), position);
  out.velocity = independent(layout_.velocity_at(), velocity);
  out.positions_in_velocity = static_cast<std::uint32_t>(of_velocity - velocity.begin());
  const double largest = mass_.size() > 0 ? mass_.diagonal().maxCoeff() : 1;
  out.column_scale = mass_.diagonal().unaryExpr([largest](double m) {
    return 1 / std::sqrt(m > kRoundedToZero * largest ? m : largest > 0 ? largest : 1);
  });
  position_rank_ = static_cast<std::uint32_t>(position.size());
  velocity_rank_ = static_cast<std::uint32_t>(velocity.size());
  return out;
}

bool ManifoldDerivatives::evaluate(double t, const double* y) {
  if (!jacobian_.evaluate(t, y)) return false;
  const double* values = jacobian_.partials();
  if (!std::all_of(values, values + n_motion_entries(), [](double x) { return std::isfinite(x); })) return false;
  const Eigen::Index n_q = layout_.n_coordinates, n = layout_.n_speeds, n_s = layout_.n_states;
  mass_ = Eigen::MatrixXd::Zero(n, n);
  const kernel::SystemLayout& l = equations_.layout();
  for (std::size_t k = 0; k < l.mass.size(); ++k)
    mass_(l.mass[k].first, l.mass[k].second) = mass_(l.mass[k].second, l.mass[k].first) = equations_.mass_values()[k];
  spread_ = Eigen::MatrixXd::Zero(layout_.inputs_at(), 2 * n + n_s);
  spread_.topLeftCorner(n_q, n) = jacobian_.matrix().block(0, n_q, n_q, n);  // q' = W u
  spread_.bottomRightCorner(n + n_s, n + n_s).setIdentity();
  tangent_ = tangent_space(rows(t, y));
  arguments_ = Eigen::MatrixXd::Zero(layout_.n_columns(), time_at() + 1);
  arguments_.topLeftCorner(layout_.inputs_at(), tangent_.size()) = spread_ * tangent_.basis;
  arguments_.topRightCorner(layout_.inputs_at(), 1) = spread_ * tangent_.by_time;
  arguments_.bottomRightCorner(layout_.n_inputs + 1, layout_.n_inputs + 1).setIdentity();
  speeds_.assign(y + layout_.n_coordinates, y + layout_.states_at());
  return true;
}

Eigen::VectorXd ManifoldDerivatives::rates() const {
  Eigen::VectorXd out(tangent_.size());
  const std::uint32_t n = layout_.n_speeds;
  for (Eigen::Index k = 0; k < out.size(); ++k) {
    const std::uint32_t d = tangent_.independent[static_cast<std::size_t>(k)];
    out[k] = d < n ? speeds_[d] : jacobian_.rates()[layout_.motion_at() + d - n];
  }
  return out;
}

Eigen::MatrixXd ManifoldDerivatives::by_state(std::uint32_t row, std::uint32_t count) const {
  return jacobian_.matrix().middleRows(row, count) * arguments_;
}

Eigen::MatrixXd ManifoldDerivatives::displacements() const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(tangent_.basis.rows(), time_at() + 1);
  out.leftCols(tangent_.size()) = tangent_.basis;
  out.col(time_at()) = tangent_.by_time;
  return out;
}

Eigen::MatrixXd ManifoldDerivatives::rates_by_arguments() const {
  const std::uint32_t n = layout_.n_speeds;
  const Eigen::MatrixXd moved = displacements();
  // d(q') = du in coordinates; theta' = domega - omega x theta for the bodies in quaternions
  Eigen::MatrixXd of_places = moved.middleRows(n, n);
  for (const problem::Body& b : info_.bodies) {
    if (b.speeds() != 3) continue;
    const double* w = speeds_.data() + b.first_speed;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
      of_places.row(b.first_speed + k) -= w[i] * moved.row(b.first_speed + j) - w[j] * moved.row(b.first_speed + i);
    }
  }
  const Eigen::MatrixXd others = by_state(layout_.motion_at(), n + layout_.n_states);
  Eigen::MatrixXd out(tangent_.size(), moved.cols());
  for (Eigen::Index k = 0; k < out.rows(); ++k) {
    const std::uint32_t d = tangent_.independent[static_cast<std::size_t>(k)];
    if (d < n)
      out.row(k) = of_places.row(d);
    else
      out.row(k) = others.row(d - n);
  }
  return out;
}

Eigen::MatrixXd ManifoldDerivatives::rate_errors(double t, const double* y) {
  const std::uint32_t n = layout_.n_speeds;
  const Eigen::MatrixXd all = jacobian_.errors(t, y) * arguments_.cwiseAbs();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(tangent_.size(), all.cols());
  for (Eigen::Index k = 0; k < out.rows(); ++k)
    if (const std::uint32_t d = tangent_.independent[static_cast<std::size_t>(k)]; d >= n) out.row(k) = all.row(d - n);
  return out;
}

Eigen::MatrixXd ManifoldDerivatives::outputs() const {
  const Eigen::Index n_rows = layout_.n_rows;
  const Eigen::MatrixXd own = partials(layout_.outputs_at(), static_cast<std::uint32_t>(info_.outputs.size()));
  Eigen::MatrixXd out = own.leftCols(layout_.n_columns()) * arguments_;
  out += own.middleCols(layout_.ideal_at(), n_rows) * (jacobian_.ideal_multipliers() * arguments_);
  out += own.middleCols(layout_.accelerations_at(), layout_.n_speeds) * accelerations();
  out += own.middleCols(layout_.multipliers_at(), n_rows) * multipliers();
  out += own.rightCols(layout_.n_states) * state_rates_by_arguments();
  return out;
}

std::vector<std::uint32_t> ManifoldDerivatives::multipliers_of_output(std::uint32_t output) const {
  std::vector<std::uint32_t> found;
  const Eigen::MatrixXd own = partials(layout_.outputs_at() + output, 1);
  for (std::uint32_t k = 0; k < layout_.n_rows; ++k)
    if (own(0, layout_.multipliers_at() + k) != 0 || own(0, layout_.ideal_at() + k) != 0) found.push_back(k);
  return found;
}

Eigen::MatrixXd ManifoldDerivatives::reduced_mass() const {
  const Eigen::MatrixXd of_speeds =
      tangent_.basis.block(layout_.n_speeds, tangent_.n_positions, layout_.n_speeds, tangent_.n_speeds);
  return of_speeds.transpose() * mass_ * of_speeds;
}

Eigen::Index ManifoldDerivatives::n_motion_entries() const {
  const auto& entries = layout_.entries;
  return std::lower_bound(entries.begin(), entries.end(), std::pair{layout_.outputs_at(), 0u}) - entries.begin();
}

kernel::Arguments ManifoldDerivatives::arguments(double t, const double* y, std::vector<double>& work,
                                                 std::vector<double>& deriv) const {
  work.resize(code_.partials.kernel.n_work);
  deriv = jacobian_.rates();
  std::copy_n(equations_.lambda(), layout_.n_rows, work.begin() + layout_.lambda);
  return {.t = t,
          .state = y,
          .params = equations_.params().data(),
          .inputs = equations_.inputs().data(),
          .mask = equations_.mask.data(),
          .work = work.data(),
          .deriv = deriv.data()};
}

std::optional<Span> ManifoldDerivatives::failed(double t, const double* y) {
  std::vector<double> work, deriv;
  const kernel::Kernel& kernel = code_.partials.kernel;
  const auto found = kernel::find_failure(kernel, kernel.functions.front(), arguments(t, y, work, deriv));
  return found ? std::optional(found->origin) : std::nullopt;
}

// An operation that changes its piece does not matter where the derivatives are the same on both sides, as in a drag
// -|v| v at rest.
std::optional<Span> ManifoldDerivatives::discontinuity(double t, const double* y) {
  const kernel::Kernel& kernel = code_.partials.kernel;
  const kernel::Function& function = kernel.functions.front();
  if (!kernel::can_switch(function)) return {};
  std::vector<double> work, deriv;
  kernel::Registers registers = kernel::make_registers(kernel);
  const auto values = [&](const std::vector<double>& at) -> Eigen::VectorXd {
    const kernel::Arguments a = arguments(t, at.data(), work, deriv);
    kernel::interpret(function, a.t, a.state, a.params, a.inputs, a.mask, a.work, a.deriv, registers);
    return Eigen::Map<const Eigen::VectorXd>(work.data() + layout_.values, n_motion_entries());
  };
  for (Eigen::Index k = 0; k < tangent_.size(); ++k) {
    const double step = kBesideDiscontinuity / std::max(1.0, arguments_.col(k).cwiseAbs().maxCoeff());
    std::vector<double> before(y, y + equations_.layout().n_y()), after = before;
    for (Eigen::Index i = 0; i < Eigen::Index{layout_.inputs_at()}; ++i) {
      before[static_cast<std::size_t>(i)] -= step * arguments_(i, k);
      after[static_cast<std::size_t>(i)] += step * arguments_(i, k);
    }
    const Eigen::VectorXd left = values(before), right = values(after);
    if ((left - right).cwiseAbs().maxCoeff() <= kDirectionPart * right.cwiseAbs().maxCoeff()) continue;
    std::vector<double> other_work, other_deriv;
    if (const auto found = kernel::find_switch(kernel, function, arguments(t, before.data(), work, deriv),
                                               arguments(t, after.data(), other_work, other_deriv)))
      return found;
  }
  return {};
}

}  // namespace mbc::runtime
