// SPDX-License-Identifier: Apache-2.0
// Decides the rank of the rows and applies the verdicts.
#include "runtime/singular/certification.h"

#include "base/contains.h"
#include "base/epsilon.h"
#include "kernel/limits.h"
#include "runtime/rows/conflict.h"
#include "runtime/singular/offset_from_singularity.h"
#include "runtime/singular/sparse_certification.h"

namespace mbc::runtime {

Certification::Certification(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
                             double tolerance)
    : equations_(equations),
      info_(info),
      projector_(projector),
      tolerance_(tolerance),
      seen_dependent_(info.rows.size(), false),
      of_contact_(info.events.rows_of_contact(info.rows.size())),
      least_pivots_(info.rows.size(), 0.0),
      usual_(info.rows.size(), 0.0) {}

// If rows repeat each other, the rows in use stay as long as they are well conditioned.
RankOptions Certification::rank_options(bool look_for_others, const std::vector<int>& rows) const {
  RankOptions options;
  options.tolerance = tolerance_;
  options.look_for_others = look_for_others;
  const auto kept = [this](int k) { return equations_.mask[static_cast<std::size_t>(k)] != 0; };
  if (!std::all_of(rows.begin(), rows.end(), kept))
    for (const int k : rows) options.in_use.push_back(kept(k) ? 1 : 0);
  return options;
}

Verdict Certification::certify(double t, const double* y, bool look_for_others) {
  ++count_;
  exchanged_ = false;
  std::vector<double> copy(y, y + equations_.layout().n_y());
  const CorrectionReport projected = projector_.project(t, copy.data(), 1e-14, false);
  if (!projected.converged) std::copy(y, y + copy.size(), copy.begin());
  Verdict verdict;
  // Rows can be contradicting at all states nearby even if their derivatives agree.
  for (const ProjectionReport& level : projected.details)
    if (!projected.converged && level.status == ProjectionStatus::inconsistent) verdict.conflicting = level.conflicting;
  verdict.conflict = !verdict.conflicting.empty();
  if (equations_.large()) {
    SparseVerdict sparse = certify_sparse(equations_, t, copy.data());
    // Doubtful cases go to the orthogonal factorisation if the system is small enough for it.
    if (equations_.beyond_dense() || (sparse.clear() && !verdict.conflict)) {
      verdict.report = std::move(sparse.report);
      verdict.failed = sparse.failed;
      if (!verdict.conflict) verdict.conflicting = std::move(sparse.conflicting);
      verdict.conflict = !verdict.conflicting.empty();
      return verdict;
    }
  }
  certify_dense(t, copy, look_for_others, verdict);
  return verdict;
}

// Certifies the rows as full matrices at a projected state.
void Certification::certify_dense(double t, std::vector<double>& y, bool look_for_others, Verdict& verdict) {
  Assembled& s = assembled_;
  verdict.failed = equations_.assemble(t, y.data(), s, true);
  if (verdict.failed || info_.rows.empty()) return;

  std::vector<int> rows;
  for (int k = 0; k < static_cast<int>(info_.rows.size()); ++k)
    if (s.acts(k, of_contact_)) rows.push_back(k);
  const Eigen::MatrixXd A = s.rows_of(s.A, rows), A_error = s.rows_of(s.A_error, rows);
  const Eigen::VectorXd a = s.free_acceleration();
  RankInput input;
  input.G = s.scaling.scale_rows(A);
  input.r = s.b(rows) - A * a;
  input.row_noise = kEpsilon * s.scaling.scale_rows(A_error).rowwise().norm();
  // These sums are magnitudes of the terms of r, because interpret_with_error counts errors in units of eps.
  const Eigen::VectorXd terms = s.b_error(rows) + A_error * a.cwiseAbs() + A.cwiseAbs() * a.cwiseAbs();
  input.r_noise = 16 * kEpsilon * terms;
  input.drift = kDriftFraction * terms;
  input.free_size = s.scaling.to_scaled(a).norm();
  if (look_for_others) {
    input.usual.resize(static_cast<Eigen::Index>(rows.size()));
    for (Eigen::Index i = 0; i < input.usual.size(); ++i)
      input.usual(i) = std::sqrt(usual_[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])]);
  }
  const RankOptions options = rank_options(look_for_others, rows);
  RankReport report = runtime::certify(input, options);
  if (!verdict.conflict && !report.consistent()) {
    input.drift += drift_of_speeds(t, y, s)(rows);
    report = runtime::certify(input, options);
  }
  if (!verdict.conflict && !report.consistent()) {
    for (const int k : minimal_conflicting_set(input, report, options))
      verdict.conflicting.push_back(rows[static_cast<std::size_t>(k)]);
    verdict.conflict = !verdict.conflicting.empty();
  }
  verdict.report = spread(std::move(report), rows, static_cast<int>(info_.rows.size()));
}

// Returns how far r = b - A a moves if each speed moves by an amount that no projection removes. If a row is about to
// depend on others, the speed along its own direction is known only to round-off divided by the distance. `s` belongs
// to the state.
Eigen::VectorXd Certification::drift_of_speeds(double t, std::vector<double>& y, const Assembled& s) {
  const kernel::SystemLayout& l = equations_.layout();
  const auto defect = [](const Assembled& at) -> Eigen::VectorXd { return at.b - at.A * at.free_acceleration(); };
  const Eigen::VectorXd u = Eigen::Map<const Eigen::VectorXd>(y.data() + l.speeds_at(), l.n_speeds);
  const double size = std::sqrt(std::max(0.0, u.dot(s.M * u)));  // the mass-scaled norm of the speeds
  const Eigen::VectorXd here = defect(s);
  Eigen::VectorXd total = Eigen::VectorXd::Zero(l.n_rows);
  Assembled moved;
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
    if (!(s.M(j, j) > 0)) continue;
    double& speed = y[l.speeds_at() + j];
    const double kept = speed;
    speed += kSpeedNoise * size / std::sqrt(s.M(j, j));
    if (equations_.assemble(t, y.data(), moved, false) == 0) total += (defect(moved) - here).cwiseAbs();
    speed = kept;
  }
  return total;
}

// The mask of the independent rows, and of no others. True where it was another one.
bool Certification::take_mask(const RankReport& found) {
  bool changed = false;
  for (std::size_t k = 0; k < found.rows.size(); ++k) {
    const bool independent = found.rows[k].state == RowState::independent;
    changed = changed || independent != (equations_.mask[k] != 0);
    equations_.mask[k] = independent ? 1.0 : 0.0;
    seen_dependent_[k] = !independent;
  }
  any_seen_ = contains(seen_dependent_, true);
  return changed;
}

Verdict Certification::begin(double t, const double* y) {
  Verdict verdict = certify(t, y);
  begun_ = t;
  const RankReport& found = verdict.report;
  last_rank_ = found.rank;
  take_mask(found);
  if (verdict.failed == 0 && !verdict.conflict && !found.non_finite.found) keep_isolated(t, y, found);
  always_near_ = found.condition > kRobustCondition;
  if (allow_mode_change && !equations_.beyond_dense() && always_near_) equations_.solve_by(SolveMode::robust);
  return verdict;
}

void Certification::decide_again(double t, const double* y) {
  const Verdict verdict = certify(t, y);
  if (verdict.failed != 0 || verdict.report.non_finite.found) return;
  act(verdict, t);
  take_mask(verdict.report);
}

bool Certification::choose_again(double t, const double* y) {
  if (equations_.large() || !contains(equations_.mask, 0.0)) return false;
  const Verdict verdict = certify(t, y, true);
  const RankReport& found = verdict.report;
  const bool same = verdict.failed == 0 && !verdict.conflict && !found.non_finite.found && found.rank == last_rank_;
  return same && take_mask(found);
}

// If a search found no better rows, it is repeated when the distance between the rows in use has halved.
bool Certification::rows_near() {
  if (equations_.mode() != SolveMode::fast || equations_.large()) return false;
  double nearest = 1;
  bool any_left_out = false;
  for (std::size_t k = 0; k < equations_.mask.size(); ++k) {
    const double scale = equations_.pivot_scale()[k];
    usual_[k] = std::max(usual_[k], scale);
    if (equations_.mask[k] == 0)
      any_left_out = true;
    else if (scale > 0)
      nearest = std::min(nearest, equations_.pivot()[k] / usual_[k]);
  }
  if (!any_left_out) return false;
  if (nearest > 4 * asked_at_) asked_at_ = std::min(nearest, 2 * kNearEachOther);
  if (!(nearest < 0.5 * asked_at_)) return false;
  asked_at_ = nearest;
  return true;
}

// Keeps rows that are dependent only at the start and not shortly after. Without them the loads of the first step would
// act along directions in which the motion has no freedom. Rows of contacts that are switched off are not kept.
void Certification::keep_isolated(double t, const double* y, const RankReport& found) {
  std::vector<std::uint32_t> dependent;
  for (std::uint32_t k = 0; k < seen_dependent_.size(); ++k)
    if (seen_dependent_[k] && !(of_contact_[k] != 0 && found.rows[k].scale == 0)) dependent.push_back(k);
  if (dependent.empty()) return;
  std::vector<double> later(y, y + equations_.layout().n_y()), rate(later.size());
  if (equations_.rhs(t, y, rate.data()) != 0) return;
  const double e = offset_from_singularity(equations_, t, y, rate.data(), dependent);
  if (e == 0) return;
  const kernel::SystemLayout& l = equations_.layout();
  for (std::uint32_t i = 0; i < l.n_coordinates; ++i) later[i] += e * rate[i];
  for (std::uint32_t i = l.states_at(); i < l.work_at(); ++i) later[i] += e * rate[i];
  const std::vector<double> decided = equations_.mask;
  std::fill(equations_.mask.begin(), equations_.mask.end(), 1.0);
  const Verdict verdict = certify(t + e, later.data());
  equations_.mask = decided;
  if (verdict.failed || verdict.conflict || verdict.report.rank <= last_rank_) return;
  for (std::size_t k = 0; k < verdict.report.rows.size(); ++k)
    if (verdict.report.rows[k].state == RowState::independent) equations_.mask[k] = 1;
}

bool Certification::rows_apart() {
  regularity_.saw_doubt();
  if (equations_.mode() != SolveMode::fast || any_seen_) return false;
  const double *pivot = equations_.pivot(), *scale = equations_.pivot_scale(), *mask = equations_.mask.data();
  double smallest = 1, kept = 1;
  for (std::size_t k = 0, n = equations_.mask.size(); k < n; ++k) {
    const double ratio = pivot[k] / scale[k];
    smallest = ratio > smallest ? smallest : ratio;  // The comparison also takes a NaN.
    if (!(ratio >= kernel::kQuietPivot) || pivot[k] < least_pivots_[k]) return false;
    kept = std::min(kept, mask[k]);
  }
  if (kept == 0) return false;
  smallest_ratio_ = std::min(smallest_ratio_, smallest);
  regularity_.saw_apart();
  return true;
}

bool Certification::asked() {
  if (equations_.mode() != SolveMode::fast) return true;
  double smallest = 1;
  bool ask = false;
  const bool large = equations_.large();
  for (std::size_t k = 0; k < info_.rows.size(); ++k) {
    const double scale = equations_.pivot_scale()[k];
    const double ratio = scale > 0 ? equations_.pivot()[k] / scale : 0;
    if (equations_.mask[k] != 0) {
      smallest = std::min(smallest, ratio);
      ask |= ratio < kAskBelow;
      // In large systems a row that is left out may be eliminated before the rows that it depends on and would then
      // always request certification. Its defect detects the same change.
    } else if (!large) {
      ask |= ratio > kAskAbove;
    }
  }
  smallest_ratio_ = std::min(smallest_ratio_, smallest);
  regularity_.saw(smallest < kernel::kSureCorrection);
  return ask;
}

std::optional<Verdict> Certification::check(double t, const double* y, bool ask) {
  if (info_.rows.empty()) return {};
  const bool asks = asked();
  if (t == begun_) return {};  // begin() has just certified this state.
  if (!asks && !ask) {
    // Rows that the last verdict found dependent and kept are independent again.
    bool again = false;
    for (std::size_t k = 0; k < info_.rows.size(); ++k) again |= seen_dependent_[k] && equations_.mask[k] != 0;
    if (!again) return {};
  }
  Verdict verdict = certify(t, y);
  if (verdict.failed == 0 && !verdict.report.non_finite.found) {
    if (equations_.mode() != SolveMode::fast) regularity_.saw(verdict.report.condition > kNearCondition);
    act(verdict, t);
  }
  return verdict;
}

void Certification::act(const Verdict& verdict, double t) {
  const RankReport& now = verdict.report;
  std::vector<std::string> changed;
  lost_row_.reset();
  for (std::size_t k = 0; k < now.rows.size(); ++k) {
    const bool dependent = now.rows[k].state != RowState::independent;
    if (dependent != seen_dependent_[k]) changed.push_back(info_.rows[k].name);
    if (dependent && !seen_dependent_[k] && now.rank < last_rank_ && !lost_row_) lost_row_ = k;
  }
  exchanged_ = now.rank == last_rank_ && !changed.empty();
  if (now.rank != last_rank_ || (exchanged_ && now.in_order)) events_.push_back({t, last_rank_, now.rank, changed});
  for (std::size_t k = 0; k < now.rows.size(); ++k) {
    const bool dependent = now.rows[k].state != RowState::independent;
    // Either the drop persists or other rows replace this one.
    if (dependent && (seen_dependent_[k] || exchanged_)) equations_.mask[k] = 0;
    if (!dependent) equations_.mask[k] = 1;
    seen_dependent_[k] = dependent;
  }
  any_seen_ = contains(seen_dependent_, true);
  if (now.rank < static_cast<int>(info_.rows.size()) && now.rank < last_rank_) regularity_.saw_rank_drop();
  if (allow_mode_change && !equations_.beyond_dense()) {
    const bool near = now.condition > kRobustCondition && (always_near_ || now.condition < kPassing);
    equations_.solve_by(near ? SolveMode::robust : SolveMode::fast);
  }
  last_rank_ = now.rank;
}

}  // namespace mbc::runtime
