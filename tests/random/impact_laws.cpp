// SPDX-License-Identifier: Apache-2.0
#include "tests/random/impact_laws.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace mbc::test {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kHeldSlip = 1e-9;    // A slip below this fraction of the speeds counts as zero.
constexpr double kOverLimit = 1e-11;  // The remaining momentum may be this fraction.
constexpr int kMostReflections = 20000;
constexpr int kMostGaussNewton = 200;

// The impulses x consist of blocks with G x = asked. The length of each block is at most its limit.
struct HeldImpulses {
  MatrixXd G;
  std::vector<Eigen::Index> sizes;
  std::vector<double> limits;

  [[nodiscard]] VectorXd within(VectorXd x) const {
    Eigen::Index at = 0;
    for (std::size_t k = 0; k < sizes.size(); at += sizes[k++]) {
      const double size = x.segment(at, sizes[k]).norm();
      if (size > limits[k]) x.segment(at, sizes[k]) *= limits[k] / size;
    }
    return x;
  }
  // Returns by how much each block exceeds its limit.
  [[nodiscard]] VectorXd excess(const VectorXd& x) const {
    VectorXd out(static_cast<Eigen::Index>(sizes.size()));
    Eigen::Index at = 0;
    for (std::size_t k = 0; k < sizes.size(); at += sizes[k++])
      out[static_cast<Eigen::Index>(k)] = std::max(0.0, x.segment(at, sizes[k]).norm() - limits[k]);
    return out;
  }
};

// Moves x in the null space of G by steps of Gauss and Newton that make the excess smaller. They converge where the
// impulses within the limits are a single point, at which reflections are slow.
VectorXd with_less_excess(const HeldImpulses& held, VectorXd x) {
  Eigen::ColPivHouseholderQR<MatrixXd> rows;
  rows.setThreshold(1e-11);
  rows.compute(held.G.transpose());
  const MatrixXd Q = rows.householderQ() * MatrixXd::Identity(x.size(), x.size());
  const MatrixXd null_space = Q.rightCols(x.size() - rows.rank());
  VectorXd excess = held.excess(x);
  for (int k = 0; k < kMostGaussNewton && !excess.isZero(0); ++k) {
    MatrixXd J = MatrixXd::Zero(excess.size(), null_space.cols());
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < held.sizes.size(); at += held.sizes[i++])
      if (const auto row = static_cast<Eigen::Index>(i); excess[row] > 0)
        J.row(row) = x.segment(at, held.sizes[i]).normalized().transpose() * null_space.middleRows(at, held.sizes[i]);
    VectorXd step = null_space * J.completeOrthogonalDecomposition().solve(-excess);
    while (held.excess(x + step).norm() >= excess.norm() && step.norm() > 1e-15 * x.norm()) step *= 0.5;
    if (!(held.excess(x + step).norm() < excess.norm())) break;
    x += step;
    excess = held.excess(x);
  }
  return x;
}

// Returns the error of the best impulses. These are the minimum-norm ones or, if those exceed the limits while other
// impulses do not, those that with_less_excess finds, or the limit of reflections at both sets by turns (J. Douglas, H.
// H. Rachford, Trans. Amer. Math. Soc. 82 (1956) 421-439).
double missed_by_held(const HeldImpulses& held, const VectorXd& asked, bool& shared) {
  if (held.G.cols() == 0) return asked.norm();
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> made;
  made.setThreshold(1e-11);
  made.compute(held.G);
  VectorXd x = made.solve(asked);
  VectorXd inside = held.within(x);
  double missed = (held.G * inside - asked).norm();
  if (made.rank() == held.G.cols()) return missed;
  const double enough = kOverLimit * (1 + asked.norm());
  if (missed > enough) {
    shared = true;
    x = with_less_excess(held, x);
    inside = held.within(x);
    missed = (held.G * inside - asked).norm();
  }
  for (int k = 0; k < kMostReflections && missed > enough; ++k) {
    const VectorXd mirrored = 2 * inside - x;
    x += mirrored - made.solve(held.G * mirrored - asked) - inside;
    inside = held.within(x);
    missed = std::min(missed, (held.G * inside - asked).norm());
  }
  return missed;
}

}  // namespace

double MissedLaws::most() const { return std::max({pulls, closes, neither, over, momentum}); }

MissedLaws missed_laws(const OneImpact& impact) {
  MissedLaws out;
  if (!impact.after.allFinite() || !impact.impulses.allFinite()) {
    out.momentum = HUGE_VAL;
    return out;
  }
  const Eigen::LLT<MatrixXd> factors(impact.M);
  const auto scaled = [&](const VectorXd& momentum) { return VectorXd(factors.matrixL().solve(momentum)); };
  const double push = std::max(1.0, impact.impulses.size() > 0 ? impact.impulses.maxCoeff() : 0.0);
  const VectorXd over = (impact.impulses - impact.given) / push,
                 parts = (impact.A * impact.after - impact.wanted) / impact.size;
  for (Eigen::Index k = 0; k < over.size(); ++k) {
    out.pulls = std::max(out.pulls, -over[k]);
    out.closes = std::max(out.closes, -parts[k]);
    out.neither = std::max(out.neither, std::min(over[k], parts[k]));
  }
  VectorXd left = impact.M * (impact.after - impact.before) - impact.A.transpose() * impact.impulses;
  HeldImpulses held{MatrixXd(impact.M.rows(), 0), {}, {}};
  for (const RubbingSlip& f : impact.slips) {
    const VectorXd x = f.rows * impact.after - f.back;
    if (x.norm() > kHeldSlip * impact.size) {
      left += f.rows.transpose() * (f.limit * x.normalized());
      ++out.slides;
      continue;
    }
    ++out.holds;
    if (f.impulse.size() > 0) {
      left -= f.rows.transpose() * f.impulse;
      out.over = std::max(out.over, (f.impulse.norm() - f.still) / push);
      continue;
    }
    if (!(f.still > 0)) continue;
    const Eigen::Index at = held.G.cols(), n = f.rows.rows();
    held.G.conservativeResize(Eigen::NoChange, at + n);
    held.G.rightCols(n) = factors.matrixL().solve(f.rows.transpose());
    held.sizes.push_back(n);
    held.limits.push_back(f.still);
  }
  bool shared = false;
  out.momentum = missed_by_held(held, scaled(left), shared) / impact.size;
  out.shared = shared ? 1 : 0;
  return out;
}

}  // namespace mbc::test
