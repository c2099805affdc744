// SPDX-License-Identifier: Apache-2.0
// States beside a singular position, and the mean of their accelerations.
#include "runtime/singular/singular_limit.h"

#include <algorithm>
#include <cmath>

#include "kernel/limits.h"
#include "runtime/rows/decompositions.h"
#include "runtime/singular/offset_from_singularity.h"

namespace mbc::runtime {

namespace {
constexpr double kLost = kernel::kNearPivot;  // d/S: within 1e-4 of the other rows
constexpr double kBeside = 1e-7;              // what it has to be at the displaced states
constexpr double kStray = 0.25;               // part of a displacement by which its projection may move a state
constexpr double kNothing = 1e-12;
constexpr double kSingularLimitRoundOff = 1e-9;  // of the accelerations
constexpr int kRest = 64;
}  // namespace

SingularLimit::SingularLimit(Equations& equations, ConstraintProjector& projector)
    : equations_(equations), projector_(projector) {
  if (equations.beyond_dense()) return;  // then it does nothing
  const std::size_t n = equations.layout().n_y();
  plain_.resize(n);
  scratch_.resize(n);
}

// A kept row that is nearly or entirely a combination of those before it; pivots are left by the elimination.
inline bool SingularLimit::is_lost(std::uint32_t row) const {
  const double size = equations_.pivot_scale()[row];
  return equations_.pivot()[row] < kLost * size && equations_.mask[row] != 0 && size > 0;
}

bool SingularLimit::find_lost() {
  lost_.clear();
  for (std::uint32_t k = 0; k < equations_.layout().n_rows; ++k)
    if (is_lost(k)) lost_.push_back(k);
  return !lost_.empty();
}

bool SingularLimit::evaluate(Side& side, double t, const double* y, const double* rate, double e) {
  const kernel::SystemLayout& l = equations_.layout();
  side.y.assign(y, y + l.n_y());
  side.dy.resize(l.n_y());
  double square = 0;
  for (std::uint32_t i = 0; i < l.n_coordinates; ++i) {
    side.y[i] += e * rate[i];
    square += rate[i] * rate[i];
  }
  for (std::uint32_t i = l.states_at(); i < l.work_at(); ++i) side.y[i] += e * rate[i];
  const CorrectionReport made = projector_.project_beside(t + e, side.y.data(), 1e-12, kBeside);
  if (!made.converged || made.moved[0] > kStray * std::fabs(e) * std::sqrt(square)) return false;
  if (equations_.rhs_in(SolveMode::fast, t + e, side.y.data(), side.dy.data()) != 0) return false;
  std::vector<Eigen::Index> kept;
  for (std::uint32_t k = 0; k < l.n_rows; ++k) {
    if (equations_.mask[k] == 0 || !(equations_.pivot_scale()[k] > 0)) continue;
    if (equations_.pivot()[k] < kBeside * equations_.pivot_scale()[k]) return false;
    kept.push_back(k);
  }
  Assembled rows;
  if (equations_.assemble(t + e, side.y.data(), rows, false) != 0) return false;
  side.scaling = rows.scaling;
  const Eigen::MatrixXd G = rows.scaling.scale_rows(rows.A(kept, Eigen::all)).rowwise().normalized();
  if (!G.allFinite() || G.rows() > G.cols()) return false;
  side.weak = thin_right_singular(G).V.rightCols(static_cast<Eigen::Index>(lost_.size()));
  // parts of the model that have nothing to do with it are left alone exactly
  side.weak = (side.weak.array().abs() < kNothing).select(0, side.weak);
  return true;
}

bool SingularLimit::limit(double t, const double* y, double* dy) {
  std::copy(dy, dy + plain_.size(), plain_.begin());
  const double e = offset_from_singularity(equations_, t, y, dy, lost_);
  if (e == 0) return false;
  for (std::size_t k = 0; k < sides_.size(); ++k)
    if (!evaluate(sides_[k], t, y, plain_.data(), kMeanOfSides[k].first * e)) return false;
  const std::uint32_t at = equations_.layout().speeds_at(), n = equations_.layout().n_speeds;
  const auto of = [&](const std::vector<double>& v) { return Eigen::Map<const Eigen::VectorXd>(v.data() + at, n); };
  const Eigen::VectorXd mean = (4 * (of(sides_[0].dy) + of(sides_[1].dy)) - of(sides_[2].dy) - of(sides_[3].dy)) / 6;
  const Eigen::VectorXd change = mean - of(plain_);
  Eigen::VectorXd taken = Eigen::VectorXd::Zero(n);
  for (std::size_t k = 0; k < sides_.size(); ++k) {  // the weak directions, brought to this state in the same way
    const Side& side = sides_[k];
    const Eigen::VectorXd part =
        side.scaling.from_scaled(side.weak * (side.weak.transpose() * side.scaling.to_scaled(change)));
    taken += kMeanOfSides[k].second * part;
  }
  // what is round-off of the four evaluations changes nothing: states at rest in the lost direction stay so exactly
  const double usual = of(plain_).cwiseAbs().maxCoeff();
  const double natural =
      Eigen::Map<const Eigen::VectorXd>(y + at, n).cwiseAbs().maxCoeff() * kOffsetTurn / e;  // rate^2/size
  if (taken.cwiseAbs().maxCoeff() <= kSingularLimitRoundOff * std::max(usual, natural)) return true;
  for (std::uint32_t j = 0; j < n; ++j) dy[at + j] = plain_[at + j] + taken[j];
  return true;
}

void SingularLimit::refine(double t, const double* y, double* dy) {
  const SolveMode mode = equations_.mode();
  if (left_ || mode == SolveMode::literal || equations_.layout().n_rows == 0 || equations_.beyond_dense()) return;
  if (mode == SolveMode::robust) equations_.rhs_in(SolveMode::fast, t, y, scratch_.data());  // for the pivots
  const bool lost = find_lost();
  if (!lost && mode == SolveMode::fast) return;
  if (lost && rest_ > 0)
    --rest_;
  else if (lost && !limit(t, y, dy))
    rest_ = kRest;
  equations_.rhs(t, y, scratch_.data());  // multipliers and pivots of this state
}

}  // namespace mbc::runtime
