// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/idle_rows.h"

#include <algorithm>
#include <cmath>

#include "runtime/contact/instant_rows.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kIdleFollows = 1e-7;  // of a row: what others leave of it that is nothing

// All that is on and those that are idle, which are off again then.
bool assemble_with(Equations& equations, const problem::Problem& info, double t, const std::vector<double>& y,
                   const IdleRows& idle, InstantRows& rows) {
  const problem::DiscreteState discrete = equations.discrete_state(info.events);
  const Vector lambda = Eigen::Map<const Vector>(equations.lambda(), equations.layout().n_rows);
  const auto set = [&](bool on) {
    for (const std::uint32_t k : idle.sides) discrete.set_active(info.events.unilaterals[k], on);
    for (const std::uint32_t k : idle.frictions) discrete.set_sticks(info.events.frictions[k], on);
  };
  set(true);
  const bool defined = rows.assemble(t, y);
  set(false);
  equations.assemble(t, y.data());
  equations.set_lambda(lambda);
  return defined;
}

}  // namespace

std::vector<std::uint32_t> frictions_at_limits(Equations& equations, const problem::Problem& info) {
  const problem::DiscreteState discrete = equations.discrete_state(info.events);
  const double* const values = equations.output_values() + info.events.first_value;
  std::vector<std::uint32_t> out;
  for (std::uint32_t k = 0; k < info.events.frictions.size(); ++k) {
    const problem::Friction& f = info.events.frictions[k];
    const double slip = Eigen::Map<const Vector>(values + f.slip, f.count).norm();
    if (discrete.slides(f) && slip <= discrete.negligible_slip(f)) out.push_back(k);
  }
  return out;
}

// A^T sees of the multipliers, in the scale of lengths, what lies in the range of A.
bool freedom_with_idle(Equations& equations, const problem::Problem& info, double t, const double* y,
                       const IdleRows& idle, MultiplierFreedom& freedom) {
  InstantRows rows(equations, info);
  if (!assemble_with(equations, info, t, {y, y + equations.layout().n_y()}, idle, rows)) return false;
  std::vector<char> counts(equations.mask.size());
  std::transform(equations.mask.begin(), equations.mask.end(), counts.begin(), [](double on) { return on != 0; });
  for (const std::uint32_t k : idle.sides) counts[info.events.unilaterals[k].row] = 1;
  for (const std::uint32_t k : idle.frictions)
    std::fill_n(counts.begin() + info.events.frictions[k].row, info.events.frictions[k].count, 1);
  std::vector<std::uint32_t> on;
  for (std::uint32_t row = 0; row < counts.size(); ++row)
    if (counts[row] != 0 && rows.norm(row) > 0) on.push_back(row);
  if (on.empty()) return false;
  Eigen::MatrixXd A = rows.normal(on);
  for (std::size_t k = 0; k < on.size(); ++k)
    A.row(static_cast<Eigen::Index>(k)) *= rows.norm(on[k]) / rows.length(on[k]);
  const Eigen::MatrixXd seen = row_space(A.transpose(), kIdleFollows);
  if (seen.cols() == A.rows()) return false;
  freedom.determined = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(counts.size()), seen.cols());
  freedom.determined(on, Eigen::all) = seen;
  freedom.scale = Vector::Ones(freedom.determined.rows());
  for (const std::uint32_t row : on) freedom.scale[row] = rows.length(row);
  return true;
}

// The smallest multipliers are A w, in the scale of lengths; a row that is spanned by others, a = A^T c, has a w = c A
// w among them.
void shares_of_idle(Equations& equations, const problem::Problem& info, double t, const double* y,
                    const std::vector<std::uint32_t>& idle, std::vector<double>& shares) {
  shares.assign(idle.size(), 0);
  const Vector lambda = Eigen::Map<const Vector>(equations.lambda(), equations.layout().n_rows);
  InstantRows rows(equations, info);
  if (!assemble_with(equations, info, t, {y, y + equations.layout().n_y()}, {idle, {}}, rows)) return;
  std::vector<char> is_on(info.rows.size(), 1);
  const problem::DiscreteState discrete = equations.discrete_state(info.events);
  for (const problem::SwitchedRow& row : info.events.switched_rows) is_on[row.row] = discrete.is_on(row.held) ? 1 : 0;
  std::vector<std::uint32_t> on;
  for (std::uint32_t row = 0; row < is_on.size(); ++row)
    if (is_on[row] != 0 && rows.norm(row) > 0) on.push_back(row);
  if (on.empty()) return;
  const Eigen::MatrixXd normal = rows.normal(on).transpose();
  for (std::size_t k = 0; k < idle.size(); ++k) {
    const std::uint32_t row = info.events.unilaterals[idle[k]].row;
    if (!(rows.norm(row) > 0)) continue;
    const Vector unit = rows.dense(row) / rows.norm(row);
    const Vector of = minimum_norm_by_orthogonal(normal, unit, kIdleFollows).x;
    if (of.size() == 0 || (normal * of - unit).norm() > kIdleFollows) continue;
    for (std::size_t j = 0; j < on.size(); ++j)
      shares[k] += rows.norm(row) * std::pow(rows.length(on[j]) / rows.length(row), 2) / rows.norm(on[j]) *
                   of[static_cast<Eigen::Index>(j)] * lambda[on[j]];
  }
}

}  // namespace mbc::runtime
