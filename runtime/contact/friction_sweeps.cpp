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

// A force of friction: as large as it has to be up to `still`, else as large as `most`.
Vector within(const Vector& force, double most, double still) {
  const double size = force.norm();
  return size > still ? Vector(force * (most / size)) : force;
}

}  // namespace

// What a unit of a force does, the equations of the model being kept: to accelerations, and to multipliers, its own
// among them.
struct Friction::Answers {
  Eigen::MatrixXd acceleration, lambda;  // a column each

  // By so much more of one of them.
  void add(Eigen::Index which, double by, Vector& accelerations, Vector& multipliers) const {
    accelerations += by * acceleration.col(which);
    multipliers += by * lambda.col(which);
  }
};

Friction::Answers Friction::answers_of(const Eigen::MatrixXd& forces) const {
  Answers made{Eigen::MatrixXd(forces.rows(), forces.cols()), Eigen::MatrixXd(scaled_.rows(), forces.cols())};
  for (Eigen::Index k = 0; k < forces.cols(); ++k) {
    Vector acceleration, lambda;
    constrain(forces.col(k), Vector::Zero(static_cast<Eigen::Index>(rows_.size())), acceleration, lambda);
    made.acceleration.col(k) = acceleration;
    made.lambda.col(k) = lambda;
  }
  return made;
}

// One time through all loads, contacts and frictions, each of these against its slip as a whole. Returns the most that
// one of them has changed an acceleration by.
double Friction::sweep_once(const std::vector<Resting>& resting, const Answers& by_row, const Answers& by_load,
                            Vector& loads, Vector& lambda) {
  const double* values = equations_.output_values() + events_.first_value;
  double changed = 0;
  for (Eigen::Index i = 0; i < loads.size(); ++i) {
    const double by = values[events_.implicit_loads[static_cast<std::size_t>(i)].value] - loads[i];
    by_load.add(i, by, acceleration_, lambda);
    loads[i] += by;
    changed = std::max(changed, std::fabs(by) * by_load.acceleration.col(i).norm());
  }
  for (const Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    const double square = by_row.acceleration.col(row).squaredNorm();
    if (!(square > kSpanned * kSpanned * scaled_.row(row).squaredNorm())) continue;
    const double force = lambda[row] + (wanted_[row] - scaled_.row(row).dot(acceleration_)) / square;
    const double by = (r.stays ? force : std::max(force, 0.0)) - lambda[row];
    by_row.add(row, by, acceleration_, lambda);
    changed = std::max(changed, std::fabs(by) * std::sqrt(square));
  }
  for (const Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    const double square = by_row.acceleration.middleCols(f.row, f.count).squaredNorm();
    if (!(square > kSpanned * kSpanned * scaled_.middleRows(f.row, f.count).squaredNorm())) continue;
    const double most = std::max(values[f.limit] - a.limit_at_none, 0.0);
    const double still = std::max(values[f.still] - a.still_at_none, most);
    const Vector before = lambda.segment(f.row, f.count);
    const Vector by =
        (a.rests ? within(before - along(a, acceleration_) / square, most, still) : Vector(-most * a.direction)) -
        before;
    for (std::uint32_t k = 0; k < f.count; ++k) by_row.add(f.row + k, by[k], acceleration_, lambda);
    changed = std::max(changed, by.norm() * std::sqrt(square));
  }
  return changed;
}

// The equations of the model are kept all the time.
bool Friction::sweep(double t, const std::vector<double>& y, std::vector<Resting>& resting) {
  for (Acting& a : acting_) a.sticks = false;
  take_rows({});
  respond();
  Answers by_row = answers_of(scaled_.transpose());
  for (std::size_t i = 0; i < of_contact_.size(); ++i)
    if (of_contact_[i] != 0) by_row.lambda(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += 1;
  const Answers by_load = answers_of(load_forces_);
  acceleration_ = response_.acceleration_0;
  Vector lambda = response_.lambda_0, loads = Vector::Zero(n_loads());
  const double size = std::max({free_.norm(), impact_.speed, wanted_.cwiseAbs().maxCoeff()});
  double changed = size;
  for (int k = 0; k < kMostSweeps && changed > kSettled * size; ++k) {
    set_lambda(lambda);
    equations_.outputs(t, y.data(), dy_.data());
    changed = sweep_once(resting, by_row, by_load, loads, lambda);
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
    const problem::Friction& f = events_.frictions[a.which];
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
