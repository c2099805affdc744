// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/friction_forces.h"

#include <algorithm>
#include <cmath>

#include "runtime/contact/pushes.h"
#include "runtime/rows/fixed_point.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kOfSizes = 1e-13;  // of the forces: what rounding leaves of a limit

}  // namespace

FrictionForces::FrictionForces(Equations& equations, const problem::Events& events)
    : equations_(equations), events_(events), of_contact_(equations.layout().n_rows), dy_(equations.layout().n_y()) {
  for (const problem::Unilateral& u : events_.unilaterals) of_contact_[u.row] = 1;
  for (const problem::Friction& f : events_.frictions)
    for (std::uint32_t k = 0; k < f.count; ++k) of_contact_[f.row + k] = 1;
}

// Loads are affine in their components.
void FrictionForces::find_load_forces(double t, const std::vector<double>& y) {
  load_forces_.resize(scaled_.cols(), static_cast<Eigen::Index>(events_.implicit_loads.size()));
  Assembled one;
  for (Eigen::Index k = 0; k < load_forces_.cols(); ++k) {
    double& load = discrete()[events_.implicit_loads[static_cast<std::size_t>(k)].held];
    load = 1;
    equations_.assemble(t, y.data(), one, false);
    load_forces_.col(k) = one.scaling.to_scaled(one.free_acceleration()) - free_;
    load = 0;
  }
}

// Equations of the model, the inequalities that are held and what sticks.
void FrictionForces::take_rows(const std::vector<Resting>& resting) {
  rows_.clear();
  for (std::uint32_t i = 0; i < of_contact_.size(); ++i)
    if (of_contact_[i] == 0 && scaled_.row(i).norm() > 0) rows_.push_back(i);
  for (const Resting& r : resting)
    if (r.held) rows_.push_back(events_.unilaterals[r.which].row);
  sliding_.clear();
  for (std::uint32_t k = 0; k < acting_.size(); ++k) {
    const problem::Friction& f = events_.frictions[acting_[k].which];
    if (!acting_[k].sticks) sliding_.push_back(k);
    for (std::uint32_t i = 0; acting_[k].sticks && i < f.count; ++i) rows_.push_back(f.row + i);
  }
  const auto n = static_cast<Eigen::Index>(rows_.size());
  normal_.resize(n, scaled_.cols());
  norms_.resize(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto row = scaled_.row(rows_[static_cast<std::size_t>(k)]);
    norms_[k] = row.norm() > 0 ? row.norm() : 1;
    normal_.row(k) = row / norms_[k];
  }
}

// What forces that give these accelerations move, where rows_ shall have those wanted (of rows of norm 1), and the
// multipliers that it takes.
void FrictionForces::constrain(const Vector& applied, const Vector& wanted, Vector& acceleration,
                               Vector& lambda) const {
  acceleration = applied;
  lambda = Vector::Zero(static_cast<Eigen::Index>(of_contact_.size()));
  if (rank_ == 0) return;
  const auto U = spanned_.U.leftCols(rank_);
  const auto values = spanned_.values.head(rank_).array();
  const Vector along = ((U.transpose() * (wanted - normal_ * applied)).array() / values).matrix();
  acceleration += spanned_.V.leftCols(rank_) * along;
  const Vector pulls = U * (along.array() / values).matrix();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    lambda[rows_[k]] = pulls[at] / norms_[at];
  }
}

// In rows of norm 1; none (NaN) where rows_ do not hold it.
double FrictionForces::share(std::uint32_t row) const {
  const double norm = scaled_.row(row).norm();
  if (rank_ == 0 || !(norm > 0)) return std::nan("");
  Vector pulls(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    pulls[at] = lambda_[rows_[k]] * norms_[at];
  }
  return share_among(spanned_, rank_, pulls, scaled_.row(row) / norm);
}

// Of the smallest pushes that of one that is together and not held; one that others do not hold is held without a push.
double FrictionForces::wanted_share(const Resting& r) const {
  const double push = share(events_.unilaterals[r.which].row);
  return std::isnan(push) ? (r.left ? 0 : size_) : push;
}

void FrictionForces::note_idle(std::vector<Resting>& resting) const {
  for (Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    const double parts = scaled_.row(row).dot(acceleration_) - wanted_[row];
    r.idle = !r.held && std::fabs(parts) <= row_tolerance(row) && std::isfinite(share(row));
  }
}

// All is affine in the sizes of the forces of what slides.
void FrictionForces::respond() {
  const auto n = static_cast<Eigen::Index>(rows_.size());
  const auto m = static_cast<Eigen::Index>(sliding_.size()) + n_loads();
  spanned_ = n > 0 ? singular_decomposition(normal_) : SingularDecomposition();
  rank_ = n > 0 ? (spanned_.values.array() > kSpanned * spanned_.values[0]).count() : 0;
  Vector wanted(n);
  for (Eigen::Index k = 0; k < n; ++k) wanted[k] = wanted_[rows_[static_cast<std::size_t>(k)]] / norms_[k];
  constrain(free_, wanted, response_.acceleration_0, response_.lambda_0);
  response_.acceleration_per_size.resize(scaled_.cols(), m);
  response_.lambda_per_size.resize(response_.lambda_0.size(), m);
  for (Eigen::Index k = 0; k < m; ++k) {
    Vector acceleration, lambda;
    constrain(force_of(k), Vector::Zero(n), acceleration, lambda);
    response_.acceleration_per_size.col(k) = acceleration;
    response_.lambda_per_size.col(k) = lambda;
  }
}

// Of the forces that depend on the multipliers, by number among their sizes: in accelerations, of one unit.
Vector FrictionForces::force_of(Eigen::Index k) const {
  const auto m = static_cast<Eigen::Index>(sliding_.size());
  if (k >= m) return load_forces_.col(k - m);
  const Acting& a = acting_[sliding_[static_cast<std::size_t>(k)]];
  const problem::Friction& f = events_.frictions[a.which];
  return -scaled_.middleRows(f.row, f.count).transpose() * a.direction;
}

// What its size should be, by the multipliers of the last values_at().
double FrictionForces::wanted_size(Eigen::Index k) const {
  const auto m = static_cast<Eigen::Index>(sliding_.size());
  if (k < m) return limit(acting_[sliding_[static_cast<std::size_t>(k)]]);
  const auto load = static_cast<std::size_t>(k - m);
  return (equations_.output_values() + events_.first_value)[events_.implicit_loads[load].value];
}

// By their sizes what each of them should be, differentiated, at the multipliers of the last values_at(); a derivative
// that is not finite, as that of norm at zero, is taken for none.
Eigen::MatrixXd FrictionForces::slopes() const {
  const double* values = equations_.output_values() + events_.first_value;
  const auto m = static_cast<Eigen::Index>(sliding_.size());
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(sizes_.size(), sizes_.size());
  for (Eigen::Index k = 0; k < out.rows(); ++k) {
    const auto at = static_cast<std::size_t>(k < m ? k : k - m);
    const std::vector<problem::Slope>& by_rows =
        k < m ? events_.frictions[acting_[sliding_[at]].which].limit_slopes : events_.implicit_loads[at].slopes;
    for (const problem::Slope& s : by_rows)
      if (std::isfinite(values[s.value])) out.row(k) += values[s.value] * response_.lambda_per_size.row(s.row);
  }
  return out;
}

// The outputs of the kernel with forces of these sizes: limits.
void FrictionForces::values_at(double t, const std::vector<double>& y, const Vector& sizes) {
  lambda_ = response_.lambda_0 + response_.lambda_per_size * sizes;
  for (const Acting& a : acting_) discrete().set_sticks(events_.frictions[a.which], a.sticks);
  for (std::size_t k = 0; k < sliding_.size(); ++k) {
    const Acting& a = acting_[sliding_[k]];
    const problem::Friction& f = events_.frictions[a.which];
    for (std::uint32_t i = 0; i < f.count; ++i) discrete().direction(f, i) = a.direction[i];
    if (f.size) discrete()[*f.size] = sizes[static_cast<Eigen::Index>(k)];
  }
  for (Eigen::Index k = 0; k < n_loads(); ++k)
    discrete()[events_.implicit_loads[static_cast<std::size_t>(k)].held] =
        sizes[static_cast<Eigen::Index>(sliding_.size()) + k];
  set_lambda(lambda_);
  equations_.outputs(t, y.data(), dy_.data());
}

// Multipliers, and in an impact what else is taken in it.
void FrictionForces::set_lambda(const Vector& lambda) {
  equations_.set_lambda(impact_.meets && taken_.size() > 0 ? Vector(lambda + taken_) : lambda);
}

// In an impact what stays may pull, and holds no friction then.
double FrictionForces::limit(const Acting& a) const {
  const problem::Friction& f = events_.frictions[a.which];
  const double value = (equations_.output_values() + events_.first_value)[a.sticks ? f.still : f.limit];
  const double made = value - (a.sticks ? a.still_at_none : a.limit_at_none);
  return impact_.meets && impact_.stays ? std::max(made, 0.0) : made;
}

bool FrictionForces::find_sizes(double t, const std::vector<double>& y) {
  const auto m = static_cast<Eigen::Index>(sliding_.size()) + n_loads();
  sizes_ = Vector::Zero(m);
  const auto map = [&](const Vector& x, Vector& g) {
    values_at(t, y, x);
    for (Eigen::Index k = 0; k < m; ++k) g[k] = wanted_size(k);
    return true;
  };
  const auto differentiated = [&](const Vector& x, Vector& g, Eigen::MatrixXd& slope) {
    map(x, g);
    slope = slopes();
    return true;
  };
  if (m > 0) {
    const double size = std::max({free_.norm(), response_.acceleration_0.norm(), impact_.speed});
    double rounding = 0;
    for (Eigen::Index k = 0; k < m; ++k)
      if (const double norm = force_of(k).norm(); norm > 0) rounding = std::max(rounding, kOfSizes * size / norm);
    const FixedPoint found = n_loads() > 0 ? newton_point(m, differentiated, rounding) : fixed_point(m, map, rounding);
    if (!found.found) return false;
    sizes_ = found.x;
  }
  if (m == 0 || n_loads() > 0) values_at(t, y, sizes_);
  acceleration_ = response_.acceleration_0 + response_.acceleration_per_size * sizes_;
  size_ = std::max({acceleration_.norm(), free_.norm(), impact_.speed});
  for (Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    double norm = 0;
    for (std::uint32_t i = 0; i < f.count; ++i) norm = std::max(norm, scaled_.row(f.row + i).norm());
    a.limit_rounding = norm > 0 ? kRest * size_ / norm : 0;
    a.limit_size = std::max(std::fabs(limit(a)), a.limit_rounding);
  }
  return true;
}

// Of the accelerations what a slip gains.
Vector FrictionForces::along(const Acting& a, const Vector& acceleration) const {
  const problem::Friction& f = events_.frictions[a.which];
  return scaled_.middleRows(f.row, f.count) * acceleration - wanted_.segment(f.row, f.count);
}

double FrictionForces::row_tolerance(std::uint32_t row) const {
  const double made = kRest * (scaled_.row(row).norm() * size_ + std::fabs(wanted_[row]));
  return made > 0 ? made : kRest;
}

}  // namespace mbc::runtime
