// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/pushes.h"

#include <algorithm>
#include <cmath>

#include "runtime/rows/decompositions.h"
#include "runtime/rows/least_distance.h"

namespace mbc::runtime {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kPushesFollow = 1e-7;  // of a row: what others leave of it that is nothing
constexpr double kNoPull = 1e-12;       // of the largest multiplier: a pull that is rounding's

problem::DiscreteState discrete_state(Equations& equations, const problem::Problem& info) {
  return equations.discrete_state(info.events);
}

// Rows of norm 1 of all that is on and of what is idle, zero where a row is not certified; and their norms.
bool rows_with(Equations& equations, const problem::Problem& info, double t, const double* y,
               const std::vector<std::uint32_t>& idle, Matrix& G, Vector& scale) {
  const problem::DiscreteState discrete = discrete_state(equations, info);
  const auto turn = [&](bool on) {
    for (const std::uint32_t k : idle) discrete.set_active(info.events.unilaterals[k], on);
  };
  Assembled s;
  turn(true);
  const bool good = equations.assemble(t, y, s, false) == 0;
  turn(false);
  if (!good) return false;
  G = s.scaling.scale_rows(s.A);
  scale = G.rowwise().norm();
  std::vector<char> counts(equations.mask.size());
  for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = equations.mask[r] != 0 ? 1 : 0;
  for (const std::uint32_t k : idle) counts[info.events.unilaterals[k].row] = 1;
  for (Eigen::Index r = 0; r < G.rows(); ++r) {
    if (counts[static_cast<std::size_t>(r)] == 0 || scale[r] == 0) {
      scale[r] = 1;
      G.row(r).setZero();
    }
    G.row(r) /= scale[r];
  }
  return true;
}

// Orthonormal columns: what A^T does not see of the multipliers of rows that are not zero.
Matrix unseen(const Matrix& G, const Matrix& seen) {
  Matrix rest = -seen * seen.transpose();
  for (Eigen::Index r = 0; r < G.rows(); ++r)
    if (!G.row(r).isZero(0)) rest(r, r) += 1;
  return row_space(rest, 1e-8);
}

// The smallest multipliers seen + N v, min |v|^2, of which pushes are not negative. Where rounding finds none: none.
bool shorten(const Matrix& N, const std::vector<Eigen::Index>& pushes, Vector& mu) {
  const double largest = mu.cwiseAbs().maxCoeff();
  const Vector least = -mu(pushes);
  const LeastDistance made =
      least_distance(N(pushes, Eigen::all), least, Vector::Constant(least.size(), kNoPull * largest));
  if (made.outcome != LeastDistance::Outcome::found) return false;
  mu += N * made.w;
  for (const Eigen::Index r : pushes) mu[r] = std::max(mu[r], 0.0);
  return true;
}

}  // namespace

// With unit rows G the forces see of multipliers what lies in the columns of G: A^T mu = 0 is G^T mu = 0.
bool smallest_pushes(Equations& equations, const problem::Problem& info, double t, const double* y,
                     const std::vector<std::uint32_t>& idle, MultiplierFreedom& freedom) {
  Matrix G;
  if (!rows_with(equations, info, t, y, idle, G, freedom.scale)) return false;
  freedom.determined = row_space(G.transpose(), kPushesFollow);
  std::vector<Eigen::Index> zero, pushes;
  for (Eigen::Index r = 0; r < G.rows(); ++r)
    if (G.row(r).isZero(0)) zero.push_back(r);
  for (const Eigen::Index r : zero) freedom.determined.row(r).setZero();
  if (freedom.determined.cols() + static_cast<Eigen::Index>(zero.size()) == G.rows()) return false;
  if (!info.events.frictions.empty()) return true;
  for (const problem::Unilateral& u : info.events.unilaterals)
    if (!G.row(u.row).isZero(0)) pushes.push_back(u.row);
  const Eigen::Map<const Vector> basic(equations.lambda(), G.rows());
  Vector mu = freedom.determined * (freedom.determined.transpose() * basic.cwiseProduct(freedom.scale));
  if (!shorten(unseen(G, freedom.determined), pushes, mu)) return true;
  mu = mu.cwiseQuotient(freedom.scale);
  for (const Eigen::Index r : zero) mu[r] = basic[r];
  equations.set_lambda(mu);
  return true;
}

Vector smallest_of_same_force(const Matrix& rows, const Vector& pushes) {
  Vector scale = rows.rowwise().norm();
  for (double& norm : scale) norm = norm > 0 ? norm : 1;
  const Matrix G = scale.cwiseInverse().asDiagonal() * rows;
  const Matrix seen = row_space(G.transpose(), kPushesFollow);
  std::vector<Eigen::Index> all;
  for (Eigen::Index r = 0; r < G.rows(); ++r)
    if (!G.row(r).isZero(0)) all.push_back(r);
  const Vector given = pushes.cwiseProduct(scale);
  Vector mu = seen * (seen.transpose() * given);
  if (all.empty() || seen.cols() == static_cast<Eigen::Index>(all.size()) || !shorten(unseen(G, seen), all, mu))
    return pushes;
  return mu.cwiseQuotient(scale);
}

double share_among(const SingularDecomposition& spanned, Eigen::Index rank, const Vector& pulls, const Vector& row) {
  const Vector along = spanned.V.leftCols(rank).transpose() * row;
  if (std::sqrt(std::max(0.0, 1 - along.squaredNorm())) > kPushesFollow) return std::nan("");
  const Vector w = spanned.U.leftCols(rank).transpose() * pulls;
  return along.dot((w.array() / spanned.values.head(rank).array()).matrix());
}

void shares_of_idle(Equations& equations, const problem::Problem& info, double t, const double* y,
                    const std::vector<std::uint32_t>& idle, std::vector<double>& shares) {
  const problem::Events& events = info.events;
  const Vector lambda = Eigen::Map<const Vector>(equations.lambda(), equations.layout().n_rows);
  shares.assign(idle.size(), 0);
  Assembled s;
  const problem::DiscreteState discrete = discrete_state(equations, info);
  for (const std::uint32_t k : idle) discrete.set_active(events.unilaterals[k], true);
  const bool good = equations.assemble(t, y, s, false) == 0;
  for (const std::uint32_t k : idle) discrete.set_active(events.unilaterals[k], false);
  if (!good) return;
  std::vector<char> off(info.rows.size());
  for (const problem::SwitchedRow& row : events.switched_rows)
    if (!discrete.is_on(row.held)) off[row.row] = 1;
  Matrix G = s.scaling.scale_rows(s.A);
  Vector mu(G.rows());
  const Vector norms = G.rowwise().norm();
  std::vector<Eigen::Index> on;
  for (Eigen::Index r = 0; r < G.rows(); ++r) {
    if (norms[r] > 0) G.row(r) /= norms[r];
    mu[r] = lambda[r] * norms[r];
    if (off[static_cast<std::size_t>(r)] == 0 && norms[r] > 0) on.push_back(r);
  }
  if (!on.empty()) {
    const SingularDecomposition found = singular_decomposition(G(on, Eigen::all));
    const auto rank = (found.values.array() > kPushesFollow * found.values[0]).count();
    for (std::size_t k = 0; k < idle.size(); ++k) {
      const std::uint32_t row = events.unilaterals[idle[k]].row;
      if (!(norms[row] > 0)) continue;
      const double push = share_among(found, rank, mu(on), G.row(row));
      if (!std::isnan(push)) shares[k] = push / norms[row];
    }
  }
  equations.assemble(t, y);
  equations.set_lambda(lambda);
}

}  // namespace mbc::runtime
