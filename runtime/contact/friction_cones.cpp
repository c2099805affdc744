// SPDX-License-Identifier: Apache-2.0
// Where states of contact and friction that change one by one lead nowhere, the forces are found all at once, as those
// of one contact problem (runtime/rows/cone). What they are says which state it is; that is then solved and looked at
// as any other.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/contact/friction.h"
#include "runtime/rows/cone/problem.h"

namespace mbc::runtime {

// The forces as multipliers of the contact problem, and what each of them does while the equations of the model are
// kept.
struct FrictionCones {
  ConeProblem problem;
  std::vector<Eigen::VectorXd> lambda;  // by multiplier: those of all rows of the model, of one unit
  std::vector<std::uint32_t> resting;   // of acting_, by friction of the problem
  std::vector<std::uint32_t> sliding;   // of acting_, the given forces; loads behind them
  std::vector<char> slides;             // by friction: at its limit it moves
};

namespace {

using Vector = Eigen::VectorXd;

constexpr double kPressing = 1e-9;     // of the forces: one that is none
constexpr double kWithin = 1e-7;       // of a limit: a force that is as large
constexpr double kConesExact = 1e-13;  // of the accelerations: what the laws may be missed by

Vector multipliers_of(const FrictionCones& cones, const Vector& forces, Vector lambda) {
  for (std::size_t k = 0; k < cones.lambda.size(); ++k)
    lambda += forces[static_cast<Eigen::Index>(k)] * cones.lambda[k];
  return lambda;
}

// Of frictions at rest and of given forces, by the values of the events.
void take_limits(const problem::Events& events, const std::vector<FrictionForces::Acting>& acting, const double* values,
                 const FrictionCones& cones, std::vector<double>& limits) {
  const auto moving = [&](std::uint32_t k) {
    return std::max(values[events.frictions[acting[k].which].limit] - acting[k].limit_at_none, 0.0);
  };
  std::size_t at = 0;
  for (const std::uint32_t k : cones.resting) {
    const double still = values[events.frictions[acting[k].which].still] - acting[k].still_at_none;
    limits[at] = cones.slides[at] != 0 ? moving(k) : std::max(still, moving(k));
    ++at;
  }
  for (const std::uint32_t k : cones.sliding) limits[at++] = moving(k);
  for (const problem::ReactionDependentForce& l : events.implicit_loads)
    if (at < limits.size()) limits[at++] = values[l.value];
}

// What is at its static limit and slips has the limit of sliding: whether there is one more.
bool more_slides(const ConeSolution& made, FrictionCones& cones) {
  bool more = false;
  for (std::size_t k = 0; k < cones.resting.size(); ++k) {
    const auto [row, count] = cones.problem.frictions[k];
    double slip = 0, norm = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      slip = std::hypot(slip, cones.problem.rows.times(row + i, made.jump.data()) - cones.problem.wanted[row + i]);
      norm = std::hypot(norm, std::sqrt(cones.problem.rows.square(row + i)));
    }
    if (cones.slides[k] != 0 || !(slip > kPressing * norm * cones.problem.size)) continue;
    cones.slides[k] = 1;
    more = true;
  }
  return more;
}

}  // namespace

// The next multiplier: a force in the scale of the masses, and its own part in the multipliers of the model.
void Friction::add_force(const Vector& force, const Vector& own, double wanted, FrictionCones& cones) const {
  Vector acceleration, lambda;
  constrain(force, Vector::Zero(static_cast<Eigen::Index>(rows_.size())), acceleration, lambda);
  for (Eigen::Index j = 0; j < acceleration.size(); ++j)
    if (acceleration[j] != 0) cones.problem.rows.add(static_cast<std::uint32_t>(j), acceleration[j]);
  cones.problem.rows.close();
  cones.problem.wanted.push_back(wanted);
  cones.lambda.emplace_back(lambda + own);
}

void Friction::take_forces(const std::vector<Resting>& resting, FrictionCones& cones) const {
  ConeProblem& problem = cones.problem;
  const auto next = [&] { return static_cast<std::uint32_t>(problem.wanted.size()); };
  // False: equations leave nothing of the row.
  const auto add_row = [&](std::uint32_t row) {
    Vector left, lambda;
    constrain(scaled_.row(row), Vector::Zero(static_cast<Eigen::Index>(rows_.size())), left, lambda);
    if (!(left.norm() > kSpanned * scaled_.row(row).norm())) return false;
    const double wanted = wanted_[row] - scaled_.row(row).dot(response_.acceleration_0);
    add_force(scaled_.row(row), Vector::Unit(scaled_.rows(), row), wanted, cones);
    return true;
  };
  for (const Resting& r : resting)
    if (const std::uint32_t at = next(); add_row(events_.unilaterals[r.which].row))
      (r.stays ? problem.held : problem.unilateral).push_back(at);
  for (std::uint32_t k = 0; k < acting_.size(); ++k) {
    const Acting& a = acting_[k];
    const problem::Friction& f = events_.frictions[a.which];
    if (!a.rests) continue;
    const std::uint32_t at = next();
    for (std::uint32_t i = 0; i < f.count; ++i) add_row(f.row + i);
    if (next() == at) continue;
    problem.frictions.push_back({at, next() - at});
    cones.resting.push_back(k);
  }
  for (std::uint32_t k = 0; k < acting_.size(); ++k) {
    const Acting& a = acting_[k];
    const problem::Friction& f = events_.frictions[a.which];
    if (a.rests) continue;
    Vector own = Vector::Zero(scaled_.rows());
    own.segment(f.row, f.count) = -a.direction;
    problem.given.push_back(next());
    cones.sliding.push_back(k);
    add_force(scaled_.transpose() * own, own, 0, cones);
  }
  for (Eigen::Index i = 0; i < n_loads(); ++i) {
    problem.given.push_back(next());
    add_force(load_forces_.col(i), Vector::Zero(scaled_.rows()), 0, cones);
  }
}

bool Friction::find_together(double t, const std::vector<double>& y, std::vector<Resting>& resting) {
  for (Acting& a : acting_) a.sticks = false;
  take_rows({});
  respond();
  FrictionCones cones;
  take_forces(resting, cones);
  cones.slides.assign(cones.resting.size(), 0);
  cones.problem.n = static_cast<std::uint32_t>(scaled_.cols());
  cones.problem.size = std::max({free_.norm(), response_.acceleration_0.norm(), impact_.speed});
  cones.problem.tolerance = kConesExact;
  cones.problem.limits = [&](const Vector& forces, std::vector<double>& limits) {
    set_lambda(multipliers_of(cones, forces, response_.lambda_0));
    equations_.outputs(t, y.data(), dy_.data());
    take_limits(events_, acting_, equations_.output_values() + events_.first_value, cones, limits);
  };
  ConeSolution made;
  do {
    made = solve_cones(cones.problem, made.multipliers);
    if (!made.settled) return false;
  } while (more_slides(made, cones));
  acceleration_ = response_.acceleration_0 + made.jump;
  const Vector lambda = multipliers_of(cones, made.multipliers, response_.lambda_0);
  set_lambda(lambda);
  equations_.outputs(t, y.data(), dy_.data());
  take_state(lambda, cones.problem.size, resting);
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
