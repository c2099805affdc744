// SPDX-License-Identifier: Apache-2.0
// The stages of one contact problem, cheap ones first:
//
//   0. a few sweeps (projected Gauss-Seidel), where these settle it and the rows that press do not depend on each other
//   1. Newton's method with a small compliance, from the multipliers that are given, and proximal steps to the problem
//      itself: where the set of rows that press and stick is nearly the last one this is one factorisation
//   2. the same, with the compliance made smaller little by little, each time from where two larger ones lead: with a
//      large one the problem has one solution
//   3. Newton's method without compliance, of damped steps of least norm, from several places
//   4. more and more sweeps (projected Gauss-Seidel), each time with 1 and 3 behind them
//
// Problems that are too large for matrices are left to sweeps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/rows/cone/natural_map.h"
#include "runtime/rows/cone/newton.h"
#include "runtime/rows/cone/problem.h"
#include "runtime/rows/cone/sweeps.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

// Relative to the speeds, for all methods: kNoError counts as no error, and kNearlyNoError is accepted if rounding
// prevents the requested one.
constexpr double kNoError = 1e-14;
constexpr double kNearlyNoError = 1e-10;

constexpr double kSmallCompliance = 1e-6;
constexpr double kLeastCompliance = 1e-12;
constexpr int kFewSteps = 15, kManySteps = 30;
constexpr int kSweepsBefore = 60;     // of stage 0
constexpr int kSweepsAtFirst = 20;    // on the way along compliances
constexpr int kMostCompliances = 60;  // of these
constexpr double kLeastCut = 0.98;    // of a compliance: smaller ones that come no further than that lead nowhere
constexpr double kDescentFactors[] = {1, 1e2, 1e4, 1e6};  // of slips (natural_map.h)
constexpr int kFirstSweeps = 200, kMostSweepsSmall = 25'600, kMostSweepsLarge = 100'000, kPatience = 5'000;

class Solver {
 public:
  Solver(const ConeProblem& problem, const Vector& start)
      : problem_(problem),
        map_(problem),
        newton_(map_, problem.size, std::max(problem.tolerance, kNoError)),
        sweeps_(map_),
        q_(Vector::Zero(map_.size())) {
    begins_ = start.size() > 0;
    q_.head(start.size()) = start.cwiseProduct(map_.scale().head(start.size()));
    if (!q_.allFinite()) q_.setZero();
  }

  ConeSolution solve(ConeEffort effort) {
    const bool all = effort == ConeEffort::all;
    if (stands() || from_rest() || (all && by_few_sweeps())) return result();
    if (!newton_.fits())
      sweep_to_the_end();
    else if (!by_newton(q_) && all && !along_compliances() && !by_descents(q_))
      by_sweeps();
    return result();
  }

 private:
  [[nodiscard]] double accepted() const { return std::max(problem_.tolerance, kNearlyNoError) * problem_.size; }
  double error(const Vector& q) {
    map_.give_way(0);
    return map_.evaluate(q);
  }

  // Returns whether the start is the solution and no multiplier is open.
  bool stands() { return found_ = begins_ && error(q_) <= newton_.target() && newton_.is_determined(q_); }

  // Stage 0: where contacts hardly know of each other, and no multiplier is open.
  bool by_few_sweeps() {
    if (!problem_.held.empty()) return false;  // equations couple what is far apart
    Vector q = q_;
    const double changed = sweeps_.sweep(q, kSweepsBefore, newton_.target());
    if (!(changed <= newton_.target() && error(q) <= newton_.target()) || !newton_.is_determined(q)) return false;
    q_ = q;
    return found_ = true;
  }

  // Stage 1 from where all rows hold.
  bool from_rest() {
    return !begins_ && !problem_.is_convex() && newton_.fits() && newton_.is_dense() && by_newton(newton_.holding());
  }

  // Stage 1; q is a solution then.
  bool by_newton(const Vector& from) {
    Vector q = from;
    map_.give_way(kSmallCompliance);
    return newton_.converge(q, kFewSteps) && take_refined(q);
  }
  bool take_refined(Vector q) {
    newton_.refine(q);
    if (!(error(q) <= accepted())) return false;
    if (newton_.is_dense() && !problem_.any_share) newton_.share(q);
    if (newton_.is_dense() && problem_.tolerance <= kNoError) newton_.polish(q);
    q_ = q;
    return found_ = true;
  }
  // One that another method has found, in the limit of small compliance where that is near.
  bool take(const Vector& q) {
    if (!(error(q) <= accepted())) return false;
    if (!by_newton(q)) q_ = q;
    return found_ = true;
  }

  // Stage 2.
  bool along_compliances() {
    Vector q = Vector::Zero(map_.size()), before, tried;
    sweeps_.sweep(q, kSweepsAtFirst);
    double at = 1, last = 0, cut = 0.1;
    map_.give_way(at);
    if (!newton_.converge(q, kManySteps)) return false;
    for (int k = 0; k < kMostCompliances && at > kLeastCompliance && cut < kLeastCut; ++k) {
      const double next = at * cut;
      map_.give_way(next);
      tried = before.size() > 0 ? Vector(q + (q - before) * ((next - at) / (at - last))) : q;
      if (!newton_.converge(tried, kFewSteps) && !newton_.converge(tried = q, kFewSteps)) {
        cut = std::sqrt(cut);
        continue;
      }
      before = q;
      q = tried;
      last = at;
      at = next;
      cut = std::max(0.01, cut * cut);
      if (at < 1e-3 && take_refined(q)) return true;
      if (is_impossible(q)) return false;
    }
    return false;
  }

  // Without friction multipliers that grow without end show that there are none: v >= 0 with B^T v = 0, d v > 0.
  bool is_impossible(const Vector& q) {
    if (!problem_.is_convex() || q.isZero(0)) return false;
    const Vector v = q / q.norm();
    const auto pulls = [&v](std::uint32_t row) { return v[row] < 0; };
    if (std::any_of(problem_.unilateral.begin(), problem_.unilateral.end(), pulls)) return false;
    if (!(map_.jump(v).norm() <= kNearlyNoError && map_.wanted().dot(v) > 0)) return false;
    contradicting_ = v;
    return true;
  }

  // Stage 3.
  bool by_descents(const Vector& from) {
    if (!newton_.is_dense()) return false;
    for (const Vector& start : {from, newton_.holding(), Vector(Vector::Zero(map_.size()))})
      if (descends_from(start)) return true;
    return false;
  }
  bool descends_from(const Vector& start) {
    for (const double factor : kDescentFactors) {
      Vector q = start;
      map_.weigh_slips(factor);
      newton_.descend(q);
      map_.weigh_slips(1);
      newton_.refine(q);
      if (take(q)) return true;
    }
    return false;
  }

  // Stage 4.
  void by_sweeps() {
    Vector q = q_;
    for (int times = kFirstSweeps, made = 0; made < kMostSweepsSmall; made += times, times = made) {
      sweeps_.sweep(q, times);
      if (!q.allFinite() || is_impossible(q)) return;
      if (by_newton(q) || (newton_.is_dense() && descends_from(q)) || take(q)) return;
    }
  }

  void sweep_to_the_end() {
    double best = std::numeric_limits<double>::infinity();
    for (int made = 0, since = 0; made < kMostSweepsLarge && since <= kPatience; ++made, ++since) {
      const double changed = sweeps_.sweep(q_, 1);
      if (!std::isfinite(changed)) return;
      if (changed < 0.5 * best) {
        best = changed;
        since = 0;
      }
      if (changed <= newton_.target()) break;
    }
    found_ = error(q_) <= accepted();
  }

  // The first unilateral row that has about as much part in a contradiction as any, or by which as much is missing.
  [[nodiscard]] std::uint32_t worst_row() const {
    const Vector part = contradicting_.size() > 0 ? contradicting_ : Vector(map_.residual().cwiseAbs());
    double most = 0;
    for (const std::uint32_t row : problem_.unilateral) most = std::max(most, part[row]);
    for (const std::uint32_t row : problem_.unilateral)
      if (part[row] >= 0.5 * most) return row;
    return 0;
  }

  ConeSolution result() {
    ConeSolution made;
    made.error = error(q_) / problem_.size;
    if (!(problem_.size > 0)) made.error = 0;
    for (const std::uint32_t row : problem_.unilateral) q_[row] = std::max(q_[row], 0.0);
    if (!found_) made.worst = worst_row();
    made.jump = map_.jump(q_);
    made.multipliers = q_.cwiseQuotient(map_.scale());
    const double lost = q_.size() > 0 ? q_.cwiseAbs().maxCoeff() * std::numeric_limits<double>::epsilon() : 0;
    made.settled = found_ && lost <= accepted();
    return made;
  }

  const ConeProblem& problem_;
  NaturalMap map_;
  ConeNewton newton_;
  ConeSweeps sweeps_;
  Vector q_;
  Vector contradicting_;  // multipliers that show that there are none
  bool begins_ = false, found_ = false;
};

}  // namespace

ConeSolution solve_cones(const ConeProblem& problem, const Vector& start, ConeEffort effort) {
  return Solver(problem, start).solve(effort);
}

}  // namespace mbc::runtime
