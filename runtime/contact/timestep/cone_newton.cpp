// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/cone_newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/contact/timestep/cone_leaps.h"
#include "runtime/contact/timestep/cone_planes.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr std::size_t kConeNewtonMostRows = 150;  // of full matrices
constexpr int kConeNewtonMostSteps = 30;
constexpr double kFactors[] = {1, 1e2, 1e4, 1e6};
constexpr int kMostLeaps = 20;
constexpr int kFewSweeps = 200, kManySweeps = 5'000;  // in which the change does not halve
constexpr int kSweepsToPlanes = 20;                   // the same, without friction
constexpr int kConeNewtonMostHalvings = 12;           // of a step that makes the conditions worse
constexpr double kConeNewtonSpanned = 1e-12;    // of the largest singular value of the derivatives: one that is zero
constexpr double kConeNewtonDifference = 1e-6;  // of the impulses: what limits are differentiated by

constexpr std::size_t kConeNewtonMostStates = 1'000;
constexpr double kConeNewtonNever = 1e300;

class Newton {
 public:
  Newton(const RowList& rows, std::uint32_t n, const ConeProblem& problem)
      : problem_(problem), limits_(problem.frictions.size()) {
    const auto m = static_cast<Index>(rows.size());
    B_ = Matrix::Zero(m, n);
    for (Index k = 0; k < m; ++k) {
      const auto row = static_cast<std::size_t>(k);
      for (std::uint32_t e = rows.begin[row]; e < rows.begin[row + 1]; ++e) B_(k, rows.column[e]) += rows.value[e];
    }
    G_ = B_ * B_.transpose();
    weigh(1);
    wanted_ = Eigen::Map<const Vector>(problem.wanted.data(), m);
  }

  [[nodiscard]] bool fits() const { return rho_.allFinite(); }  // no row is zero
  // Impulses that give every row what is wanted of it, or come nearest to that.
  [[nodiscard]] Vector holding() const { return minimum_norm_by_svd(G_, wanted_, kConeNewtonSpanned).x; }

  // From these impulses, with that factor on the slips; what is missed, of the speeds in the scale of the masses, is in
  // error() then.
  void go(Vector& p, double factor, double target) {
    weigh(factor);
    for (int k = 0; k < kConeNewtonMostSteps && miss(p) > target; ++k) {
      const double before = error_;
      const Vector step = minimum_norm_by_svd(derivatives(p), -missed_, kConeNewtonSpanned).x;
      if (step.size() == 0 || !step.allFinite()) break;
      double share = 1;
      Vector tried = p + step;
      for (int h = 0; h < kConeNewtonMostHalvings && !(miss(tried) < before); ++h) {
        share *= 0.5;
        tried = p + share * step;
      }
      if (!(miss(tried) < before)) break;
      p = tried;
    }
    weigh(1);
    miss(p);
  }
  [[nodiscard]] double error() const { return error_; }
  [[nodiscard]] Vector jump(const Vector& p) const { return B_.transpose() * p; }
  // How many states there are of contacts that press or not and of frictions that hold or slide one way or the other;
  // 0: more than are gone through, or frictions in a plane, which slide in any direction.
  [[nodiscard]] std::size_t states() const {
    std::size_t count = 1;
    for (std::size_t k = 0; k < problem_.pushing.size() && count <= kConeNewtonMostStates; ++k) count *= 2;
    for (const ConeProblem::Friction& f : problem_.frictions) {
      if (f.count > 1 || count > kConeNewtonMostStates) return 0;
      count *= 3;
    }
    return count <= kConeNewtonMostStates ? count : 0;
  }
  // The impulses of one of them, with limits as they are near p.
  [[nodiscard]] Vector in_state(std::size_t state, const Vector& p) {
    miss(p);
    Matrix left = G_;
    Vector right = wanted_;
    const Matrix slopes = limits_.empty() ? Matrix() : limit_slopes(p);
    for (const std::uint32_t row : problem_.pushing) {
      if (state % 2 == 0) {
        left.row(row) = Vector::Unit(p.size(), row).transpose();
        right[row] = 0;
      }
      state /= 2;
    }
    for (std::size_t k = 0; k < limits_.size(); ++k) {
      const std::uint32_t row = problem_.frictions[k].row;
      if (const auto side = static_cast<double>(state % 3) - 1; side != 0) {
        const auto slope = slopes.row(static_cast<Index>(k));
        left.row(row) = Vector::Unit(p.size(), row).transpose() - side * slope;
        right[row] = side * (allowed(k) - slope.dot(p));
      }
      state /= 3;
    }
    return minimum_norm_by_svd(left, right, kConeNewtonSpanned).x;
  }
  double error_of(const Vector& p) { return p.size() > 0 && p.allFinite() ? miss(p) : kConeNewtonNever; }

  // Onto what is allowed, which rounding may have left.
  void allow(Vector& p) const {
    for (const std::uint32_t row : problem_.pushing) p[row] = std::max(p[row], 0.0);
  }

 private:
  static constexpr double kNone = 1e-300;

  // rho: of each row 1/|B_i|^2, of frictions more where the direction of a slow slip is to be found.
  void weigh(double factor) {
    rho_ = Vector::Ones(B_.rows());
    for (const std::uint32_t row : problem_.pushing) rho_[row] = 1 / G_(row, row);
    for (const ConeProblem::Friction& f : problem_.frictions) {
      double square = 0;
      for (std::uint32_t i = 0; i < f.count; ++i) square += G_(f.row + i, f.row + i);
      rho_.segment(f.row, f.count).setConstant(factor / square);
    }
  }

  double miss(const Vector& p) {
    at_ = p - rho_.cwiseProduct(G_ * p - wanted_);
    missed_ = p;
    if (!problem_.frictions.empty()) problem_.limits(p, limits_);
    for (const std::uint32_t row : problem_.pushing) missed_[row] = p[row] - std::max(at_[row], 0.0);
    for (std::size_t k = 0; k < limits_.size(); ++k) {
      const auto [row, count] = problem_.frictions[k];
      const double most = allowed(k), force = at_.segment(row, count).norm();
      missed_.segment(row, count) = p.segment(row, count) - (force > most ? most / force : 1) * at_.segment(row, count);
    }
    error_ = missed_.cwiseQuotient(rho_.cwiseSqrt()).cwiseAbs().maxCoeff();
    return error_;
  }

  [[nodiscard]] double allowed(std::size_t k) const { return std::max(limits_[k], 0.0); }

  // Of what is missed by the impulses, at those of the last miss().
  Matrix derivatives(const Vector& p) {
    const Matrix moved = Matrix::Identity(p.size(), p.size()) - rho_.asDiagonal() * G_;  // of at_
    Matrix out = Matrix::Identity(p.size(), p.size());
    for (const std::uint32_t row : problem_.pushing)
      if (at_[row] > 0) out.row(row) -= moved.row(row);
    const Matrix slopes = limits_.empty() ? Matrix() : limit_slopes(p);
    for (std::size_t k = 0; k < limits_.size(); ++k) {
      const auto [row, count] = problem_.frictions[k];
      const Vector force = at_.segment(row, count);
      const double most = allowed(k), size = force.norm();
      if (!(size > most)) {
        out.middleRows(row, count) -= moved.middleRows(row, count);
        continue;
      }
      const Vector along = force / std::max(size, kNone);
      const Matrix turned =
          (Matrix::Identity(count, count) - along * along.transpose()) * (most / std::max(size, kNone));
      out.middleRows(row, count) -= turned * moved.middleRows(row, count) + along * slopes.row(static_cast<Index>(k));
    }
    return out;
  }

  // Of the limits by each impulse.
  Matrix limit_slopes(const Vector& p) {
    const std::vector<double> here = limits_;
    Matrix out = Matrix::Zero(static_cast<Index>(here.size()), p.size());
    const double by = kConeNewtonDifference * std::max(p.cwiseAbs().maxCoeff(), kNone);
    std::vector<double> there(here.size());
    for (Index i = 0; i < p.size(); ++i) {
      Vector moved = p;
      moved[i] += by;
      problem_.limits(moved, there);
      for (std::size_t k = 0; k < here.size(); ++k)
        if (here[k] > 0 || there[k] > 0) out(static_cast<Index>(k), i) = (there[k] - std::max(here[k], 0.0)) / by;
    }
    return out;
  }

  const ConeProblem& problem_;
  Matrix B_, G_;
  Vector rho_, wanted_, at_, missed_;
  std::vector<double> limits_;
  double error_ = 0;
};

}  // namespace

bool improve_by_newton(const RowList& rows, std::uint32_t n, const ConeProblem& problem, ConeSolution& solution) {
  if (rows.size() == 0 || rows.size() > kConeNewtonMostRows || !solution.impulses.allFinite()) return false;
  Newton newton(rows, n, problem);
  if (!newton.fits()) return false;
  const double size = std::max(problem.size, solution.jump.norm());
  const auto is_found = [&](Vector p, double error) {
    if (!(error <= std::max(problem.tolerance, kNearlyNoChange) * size)) return false;
    ConeSolution found{true, newton.jump(p), std::move(p), error / size, solution.sweeps};
    if (are_lost(rows, problem, found)) return false;
    solution = std::move(found);
    return true;
  };
  for (const Vector& start : {solution.impulses, newton.holding(), Vector(Vector::Zero(solution.impulses.size()))})
    for (const double factor : kFactors) {
      Vector p = start;
      newton.go(p, factor, std::max(problem.tolerance, kNoChange) * size);
      newton.allow(p);
      if (is_found(p, newton.error())) return true;
    }
  for (std::size_t state = 0; state < newton.states(); ++state) {
    const Vector p = newton.in_state(state, solution.impulses);
    if (is_found(p, newton.error_of(p))) return true;
  }
  return false;
}

ConeSolution find_impulses(const RowList& rows, std::uint32_t n, ConeProblem& problem, const Vector& start) {
  Vector at = start;
  ConeSolution made;
  const auto sweep = [&](int patience) {
    problem.patience = patience;
    made = sweep_cones(rows, n, problem, at);
    if (made.impulses.allFinite()) at = made.impulses;
    return made.settled || improve_by_planes(rows, n, problem, made) || improve_by_newton(rows, n, problem, made);
  };
  if (sweep(problem.frictions.empty() ? kSweepsToPlanes : kFewSweeps)) return made;
  for (int k = 0; k < kMostLeaps && rows.size() <= kConeNewtonMostRows; ++k) {
    ConeSolution on = made;
    on.impulses = at;
    if (!leap_along_sweeps(rows, n, problem, on)) break;
    at = on.impulses;
    if (sweep(kFewSweeps)) return made;
  }
  sweep(kManySweeps);
  return made;
}

}  // namespace mbc::runtime
