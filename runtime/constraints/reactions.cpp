// SPDX-License-Identifier: Apache-2.0
// Computes the minimum-norm multipliers and finds outputs that depend on the choice of multipliers.
#include "runtime/constraints/reactions.h"

#include <algorithm>
#include <cmath>

#include "runtime/equations/row_lengths.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

// Returns unstructured numbers that are the same in every run.
Eigen::VectorXd scattered(Eigen::Index n) {
  Eigen::VectorXd w(n);
  for (Eigen::Index k = 0; k < n; ++k) w[k] = 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
  return w;
}

}  // namespace

// In the metric of the masses the rows are A L^-T = D G with norms D and rows G of norm 1. The certified rows G_I are
// independent, and G = C G_I. Let l be the residuals of the rows for one metre. The forces depend on the multipliers
// times l only through their part in range(A/l) = range(D/l C). The smallest ones with the same forces are the
// orthogonal projection onto this space.
bool smallest_multipliers(Equations& equations, const problem::Problem& info, double t, const double* y,
                          MultiplierFreedom* freedom) {
  std::vector<Eigen::Index> kept;
  for (std::size_t k = 0; k < equations.mask.size(); ++k)
    if (equations.mask[k] != 0) kept.push_back(static_cast<Eigen::Index>(k));
  if (kept.size() == equations.mask.size()) return false;
  const auto m = static_cast<Eigen::Index>(equations.mask.size());
  const Eigen::VectorXd basic = Eigen::Map<const Eigen::VectorXd>(equations.lambda(), m);
  Assembled s;
  if (equations.assemble(t, y, s, false) != 0) return false;
  Eigen::MatrixXd G = s.scaling.scale_rows(s.A);
  Eigen::VectorXd scale = G.rowwise().norm();
  const double longest = scale.size() > 0 ? scale.maxCoeff() : 0;
  for (Eigen::Index k = 0; k < m; ++k) {
    const bool vanished =
        scale[k] == 0 || (equations.mask[static_cast<std::size_t>(k)] == 0 && scale[k] < kCancelled * longest);
    if (vanished) {
      scale[k] = 1;
      G.row(k).setZero();
    }
    G.row(k) /= scale[k];
  }
  const RowLengths row_lengths(equations.layout(), info);
  Eigen::VectorXd lengths(m);
  for (Eigen::Index k = 0; k < m; ++k) lengths[k] = row_lengths.of(static_cast<std::uint32_t>(k), s.A);
  const auto rank = static_cast<Eigen::Index>(kept.size());
  Eigen::MatrixXd range = Eigen::MatrixXd::Zero(m, rank);
  if (rank > 0) {
    const Eigen::MatrixXd C = in_terms_of(G(kept, Eigen::all), G);
    if (!C.allFinite()) return false;
    range = orthonormal_range(scale.cwiseQuotient(lengths).asDiagonal() * C);
    // Zero rows stay exactly zero, so that contacts that are off get no multiplier from rounding.
    for (Eigen::Index k = 0; k < m; ++k)
      if (G.row(k).isZero(0)) range.row(k).setZero();
  }
  equations.set_lambda((range * (range.transpose() * basic.cwiseProduct(lengths))).cwiseQuotient(lengths));
  if (freedom) *freedom = {std::move(range), std::move(lengths)};
  return true;
}

// The unit vector of the row lies in the space that determines the forces.
bool unique_multiplier(const MultiplierFreedom& freedom, std::size_t row) {
  return freedom.determined.row(static_cast<Eigen::Index>(row)).squaredNorm() > 1 - kDetermined;
}

bool unique_sum(const MultiplierFreedom& freedom, const Eigen::VectorXd& weights) {
  const Eigen::VectorXd scaled = weights.cwiseQuotient(freedom.scale);
  return (freedom.determined.transpose() * scaled).squaredNorm() >= (1 - kDetermined) * scaled.squaredNorm();
}

void find_not_unique(Equations& equations, double t, const double* y, double* dy, const MultiplierFreedom& freedom,
                     std::span<const std::uint32_t> off, std::vector<bool>& not_unique) {
  const auto m = freedom.determined.rows();
  const auto n = static_cast<Eigen::Index>(not_unique.size());
  const Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(equations.lambda(), m);
  const auto outputs_at = [&](const Eigen::VectorXd& multipliers) -> Eigen::VectorXd {
    equations.set_lambda(multipliers);
    equations.outputs(t, y, dy);
    return Eigen::Map<const Eigen::VectorXd>(equations.output_values(), n);
  };
  const double size = std::max(1.0, lambda.cwiseProduct(freedom.scale).cwiseAbs().maxCoeff());
  Eigen::VectorXd w = size * scattered(m);
  for (std::uint32_t row : off) w[row] = 0;
  const Eigen::VectorXd seen = freedom.determined * (freedom.determined.transpose() * w);
  const Eigen::VectorXd other = outputs_at(lambda + (w - seen).cwiseQuotient(freedom.scale));
  const Eigen::VectorXd forces = outputs_at(lambda + seen.cwiseQuotient(freedom.scale));
  const Eigen::VectorXd here = outputs_at(lambda);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double change = std::fabs(other[k] - here[k]), usual = std::fabs(forces[k] - here[k]);
    const bool small = change <= kDetermined * usual || change <= kRoundedToZero * std::fabs(here[k]);
    if (std::isfinite(here[k]) && !small) not_unique[static_cast<std::size_t>(k)] = true;
  }
}

std::vector<std::uint32_t> sides_together(Equations& equations, const problem::Problem& info, double extent) {
  std::vector<std::uint32_t> together;
  const problem::Events& events = info.events;
  const double* values = equations.output_values() + events.first_value;
  const problem::DiscreteState discrete = equations.discrete_state(events);
  for (std::uint32_t k = 0; k < events.unilaterals.size(); ++k) {
    const problem::Unilateral& u = events.unilaterals[k];
    if (!discrete.is_enabled(u) || discrete.is_active(u) || info.rows[u.row].level != problem::Level::position)
      continue;
    if (std::fabs(values[u.gap]) <= kInitialTolerance * extent) together.push_back(k);
  }
  return together;
}

}  // namespace mbc::runtime
