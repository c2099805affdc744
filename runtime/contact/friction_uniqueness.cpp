// SPDX-License-Identifier: Apache-2.0
// Whether what was found for contact and friction is the only answer: by the principal minors of how limits depend on
// forces (a P-matrix has one solution of the complementarity problem; Cottle, Pang and Stone, "The Linear
// Complementarity Problem", 1992, theorem 3.3.7), and where multipliers are not unique, whether the motion is.
#include <algorithm>
#include <cmath>

#include "runtime/contact/friction_forces.h"
#include "runtime/rows/decompositions.h"
#include "runtime/rows/least_distance.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostMinors = 10;  // what slides, or parts, of which all principal minors are looked at
template <class Such>
bool any_minor(const Eigen::MatrixXd& P, Eigen::Index m, const Such& such) {
  for (unsigned set = P.rows() > m ? 0 : 1; set < 1u << m; ++set) {
    std::vector<Eigen::Index> taken;
    for (Eigen::Index k = 0; k < P.rows(); ++k)
      if (k >= m || (set >> k & 1u) != 0) taken.push_back(k);
    if (such(determinant(P(taken, taken)))) return true;
  }
  return false;
}

}  // namespace

// 1 - d size/d size of the forces that depend on multipliers: by differences, which are exact where limits are affine,
// and with loads by the compiled derivatives.
Eigen::MatrixXd FrictionForces::growth(double t, const std::vector<double>& y) {
  const Eigen::Index m = sizes_.size();
  Eigen::MatrixXd P = Eigen::MatrixXd::Identity(m, m);
  if (n_loads() > 0) return P - slopes();
  const double step = std::max(sizes_.cwiseAbs().maxCoeff(), acting_[sliding_[0]].limit_size);
  Vector at(m);
  for (Eigen::Index k = 0; k < m; ++k) at[k] = wanted_size(k);
  for (Eigen::Index j = 0; j < m && step > 0; ++j) {
    Vector moved = sizes_;
    moved[j] += step;
    values_at(t, y, moved);
    for (Eigen::Index k = 0; k < m; ++k) P(k, j) -= (wanted_size(k) - at[k]) / step;
  }
  values_at(t, y, sizes_);
  return P;
}

// Every principal minor of it is positive; loads, which are there whatever sticks, are in all of them.
bool FrictionForces::is_unique(double t, const std::vector<double>& y, const std::vector<Resting>& resting) {
  if (sizes_.size() == 0) return true;
  const Eigen::MatrixXd P = growth(t, y);
  const auto m = static_cast<Eigen::Index>(sliding_.size());
  if (m > kMostMinors) return determinant(P) > 0 && !can_press_instead(t, y, resting);
  return !any_minor(P, m, [](double x) { return !(x > 0); }) && !can_press_instead(t, y, resting);
}

// Of the forces that depend on multipliers: the friction of a slip that is zero and does not grow. It has no direction.
bool FrictionForces::stays(Eigen::Index k) const {
  if (k >= static_cast<Eigen::Index>(sliding_.size())) return false;
  const Acting& a = acting_[sliding_[static_cast<std::size_t>(k)]];
  return a.rests && along(a, acceleration_).norm() <= row_tolerance(events_.frictions[a.which].row);
}

// Whether what parts here may press as well: what a push at each does to the accelerations of all that part, with the
// friction that follows from it (none where nothing slides), has a principal minor below zero. Of one: the push brings
// closer what it presses, so that it may also fly or slide (F. Genot, B. Brogliato, European Journal of Mechanics A 18
// (1999) 653-677).
bool FrictionForces::can_press_instead(double t, const std::vector<double>& y, const std::vector<Resting>& resting) {
  std::vector<std::uint32_t> rows;
  for (const Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    if (!r.held && !r.stays && scaled_.row(row).dot(acceleration_) - wanted_[row] > row_tolerance(row))
      rows.push_back(row);
  }
  const auto n = static_cast<Eigen::Index>(std::min<std::size_t>(rows.size(), kMostMinors));
  if (n == 0) return false;
  LuFactors factors;
  factors.compute(growth(t, y));
  const Vector lambda = lambda_;
  Eigen::MatrixXd moved(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::uint32_t row = rows[static_cast<std::size_t>(j)];
    const double norm = scaled_.row(row).norm();
    Vector acceleration, pushes;
    constrain(scaled_.row(row).transpose() / norm, Vector::Zero(static_cast<Eigen::Index>(rows_.size())), acceleration,
              pushes);
    pushes[row] += 1 / norm;
    set_lambda(lambda + size_ * pushes);
    equations_.outputs(t, y.data(), dy_.data());
    Eigen::MatrixXd gained(sizes_.size(), 1), sizes;
    for (Eigen::Index k = 0; k < sizes_.size(); ++k) gained(k, 0) = stays(k) ? 0 : (wanted_size(k) - sizes_[k]) / size_;
    factors.solve(gained, sizes);
    acceleration += response_.acceleration_per_size * sizes;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto other = scaled_.row(rows[static_cast<std::size_t>(i)]);
      moved(i, j) = other.dot(acceleration) / other.norm();
    }
  }
  values_at(t, y, sizes_);
  return any_minor(moved, n, [](double x) { return x < -kSpanned; });
}

// Changes of all multipliers that change no acceleration, a column each, of rows that hold or touch without a push;
// free: an orthonormal basis of what those rows take of accelerations.
Eigen::MatrixXd FrictionForces::idle_pushes(const std::vector<Resting>& resting, Eigen::MatrixXd& free) const {
  std::vector<std::uint32_t> rows = rows_;
  for (const Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    const double gained = scaled_.row(row).dot(acceleration_) - wanted_[row];
    if (!r.held && std::fabs(gained) <= row_tolerance(row)) rows.push_back(row);
  }
  const auto n = static_cast<Eigen::Index>(rows.size());
  if (n == 0) return {};
  Eigen::MatrixXd all(n, scaled_.cols());
  Vector norms(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto row = scaled_.row(rows[static_cast<std::size_t>(k)]);
    norms[k] = row.norm() > 0 ? row.norm() : 1;
    all.row(k) = row / norms[k];
  }
  const SingularDecomposition found = singular_decomposition(all);
  const auto rank = (found.values.array() > kSpanned * found.values[0]).count();
  free = found.V.leftCols(rank);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(lambda_.size(), n - rank);
  for (Eigen::Index k = 0; k < n; ++k)
    out.row(rows[static_cast<std::size_t>(k)]) = found.U.row(k).tail(n - rank) * size_ / norms[k];
  return out;
}

// What is at its limit stays at rest: then what else sticks holds it, and takes up whatever another share leaves.
bool FrictionForces::all_stays() const {
  bool all = n_loads() == 0;
  for (std::size_t k = 0; k < sliding_.size(); ++k) all = all && stays(static_cast<Eigen::Index>(k));
  return all;
}

// Where multipliers are not unique the motion is: however they are shared, so that what presses still does, the forces
// that follow from them move the model in the same way. That is looked at to first order, which is all there is where
// limits are affine. A share is a combination of the columns of `idle`; with the forces it changes, and what these
// change, multipliers grow by those of `pushes` and accelerations by those of `moved`.
bool FrictionForces::is_determined(double t, const std::vector<double>& y, const std::vector<Resting>& resting) {
  if (sizes_.size() == 0 || all_stays()) return true;
  Eigen::MatrixXd free;
  const Eigen::MatrixXd idle = idle_pushes(resting, free);
  if (idle.cols() == 0) return true;
  const Vector lambda = lambda_;
  Eigen::MatrixXd gained(sizes_.size(), idle.cols()), moved(scaled_.cols(), sizes_.size()), sizes;
  for (Eigen::Index j = 0; j < idle.cols(); ++j) {
    set_lambda(lambda + idle.col(j));
    equations_.outputs(t, y.data(), dy_.data());
    for (Eigen::Index k = 0; k < sizes_.size(); ++k) gained(k, j) = wanted_size(k) - sizes_[k];
  }
  values_at(t, y, sizes_);
  LuFactors factors;
  factors.compute(growth(t, y));
  factors.solve(gained, sizes);
  if (!sizes.allFinite()) return true;  // not the only motion for other reasons
  for (Eigen::Index k = 0; k < sizes_.size(); ++k) moved.col(k) = force_of(k);
  moved = (moved - free * (free.transpose() * moved)) * sizes;
  return !can_move(moved, idle + response_.lambda_per_size * sizes, resting);
}

// Whether a combination of the columns changes accelerations, and lets no contact pull that does not push.
bool FrictionForces::can_move(const Eigen::MatrixXd& moved, const Eigen::MatrixXd& pushes,
                              const std::vector<Resting>& resting) const {
  const SingularDecomposition found = singular_decomposition(moved);
  const auto n = (found.values.array() > kReached * size_).count();
  const Eigen::MatrixXd motion = found.U.leftCols(n).transpose() * moved;
  std::vector<Eigen::RowVectorXd> planes;
  for (const Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    const double norm = scaled_.row(row).norm(), changes = pushes.row(row).norm();
    const bool pushes_already = lambda_[row] * norm > kReached * size_;
    if (!r.stays && !pushes_already && changes * norm > kReached * size_)
      planes.emplace_back(pushes.row(row) / changes);
  }
  const auto m = static_cast<Eigen::Index>(planes.size());
  Eigen::MatrixXd B(m + 1, moved.cols());
  for (Eigen::Index k = 0; k < m; ++k) B.row(k) = planes[static_cast<std::size_t>(k)];
  const Vector wanted = Vector::Unit(m + 1, m), tolerance = Vector::Constant(m + 1, kReached);
  for (Eigen::Index k = 0; k < n; ++k)
    for (const double side : {1.0, -1.0}) {
      B.row(m) = side * motion.row(k).normalized();
      if (least_distance(B, wanted, tolerance).outcome != LeastDistance::Outcome::impossible) return true;
    }
  return false;
}

}  // namespace mbc::runtime
