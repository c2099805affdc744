// SPDX-License-Identifier: Apache-2.0
// Where states of contact and friction that change one by one lead nowhere: forces are found row by row, each with the
// others held, again and again (M. Jean, Computer Methods in Applied Mechanics and Engineering 177 (1999) 235-257).
// What they come to says which state it is; that is then solved and looked at as any other.
#include <algorithm>
#include <cmath>

#include "runtime/contact/friction.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostSweeps = 5000;
constexpr double kSettled = 1e-13;  // of the forces: what a sweep changes at its end
constexpr double kPressing = 1e-9;  // of the forces: one that is none
constexpr double kWithin = 1e-7;    // of a limit: a force that is as large

// One row: the force that gives it the acceleration it should have, within what `allowed` makes of it.
struct Row {
  const Eigen::MatrixXd& all;
  const Vector& wanted;
  Vector &acceleration, &lambda;

  template <class Allowed>
  double sweep(std::uint32_t row, const Allowed& allowed) {
    const double square = all.row(row).squaredNorm();
    if (!(square > 0)) return 0;
    const double now = allowed(lambda[row] + (wanted[row] - all.row(row).dot(acceleration)) / square);
    const double by = now - lambda[row];
    acceleration += by * all.row(row).transpose();
    lambda[row] = now;
    return std::fabs(by) * std::sqrt(square);
  }
};

// A force of friction: as large as it has to be up to `still`, else as large as `most`.
Vector within(const Vector& force, double most, double still) {
  const double size = force.norm();
  return size > still ? Vector(force * (most / size)) : force;
}

}  // namespace

// Each friction is against its slip as a whole.
bool Friction::sweep(double t, const std::vector<double>& y, std::vector<Resting>& resting) {
  Vector lambda = Vector::Zero(static_cast<Eigen::Index>(of_contact_.size()));
  acceleration_ = free_;
  const double size = std::max({free_.norm(), impact_.speed, wanted_.cwiseAbs().maxCoeff()});
  Vector loads = Vector::Zero(n_loads());
  Row row{scaled_, wanted_, acceleration_, lambda};
  double changed = size;
  for (int k = 0; k < kMostSweeps && changed > kSettled * size; ++k) {
    changed = 0;
    set_lambda(lambda);
    equations_.outputs(t, y.data(), dy_.data());
    for (std::uint32_t i = 0; i < of_contact_.size(); ++i)
      if (of_contact_[i] == 0) changed = std::max(changed, row.sweep(i, [](double x) { return x; }));
    for (const Resting& r : resting) {
      const std::uint32_t i = events_.unilaterals[r.which].row;
      changed = std::max(changed, row.sweep(i, [&](double x) { return r.stays ? x : std::max(x, 0.0); }));
    }
    const double* values = equations_.output_values() + events_.first_value;
    for (Eigen::Index i = 0; i < loads.size(); ++i) {
      const double by = values[events_.implicit_loads[static_cast<std::size_t>(i)].value] - loads[i];
      acceleration_ += by * load_forces_.col(i);
      loads[i] += by;
      changed = std::max(changed, std::fabs(by) * load_forces_.col(i).norm());
    }
    for (const Acting& a : acting_) {
      const FrictionInfo& f = events_.frictions[a.which];
      const auto rows = scaled_.middleRows(f.row, f.count);
      const double square = rows.squaredNorm();
      if (!(square > 0)) continue;
      const Vector before = lambda.segment(f.row, f.count);
      const double most = std::max(values[f.limit] - a.limit_at_none, 0.0);
      const double still = std::max(values[f.still] - a.still_at_none, most);
      const Vector now =
          a.rests ? within(before - along(a, acceleration_) / square, most, still) : Vector(-most * a.direction);
      acceleration_ += rows.transpose() * (now - before);
      lambda.segment(f.row, f.count) = now;
      changed = std::max(changed, (now - before).norm() * std::sqrt(square));
    }
    if (!std::isfinite(changed)) return false;
  }
  if (changed > kPressing * size) return false;
  set_lambda(lambda);
  equations_.outputs(t, y.data(), dy_.data());
  take_state(lambda, size, resting);
  return true;
}

// Of forces that fulfil their conditions: what presses, what sticks, and which way the others slide.
void Friction::take_state(const Vector& lambda, double size, std::vector<Resting>& resting) {
  for (Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    r.held = r.stays || lambda[row] * scaled_.row(row).norm() > kPressing * size;
    r.leaves = false;
  }
  const double* values = equations_.output_values() + events_.first_value;
  for (Acting& a : acting_) {
    a.changes = 0;
    if (!a.rests) continue;
    const FrictionInfo& f = events_.frictions[a.which];
    const Vector pull = lambda.segment(f.row, f.count);
    const double most = values[f.limit] - a.limit_at_none, force = pull.norm();
    a.sticks = force < (1 - kWithin) * most;
    if (a.sticks) continue;
    a.direction = force > 0 ? Vector(-pull) : along(a, acceleration_);
    if (a.direction.isZero(0)) a.direction[0] = 1;
    a.direction.normalize();
  }
}

}  // namespace mbc::runtime
