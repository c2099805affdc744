// SPDX-License-Identifier: Apache-2.0
// Finds redundant rows and their combinations by solves on the kernel's sparse plan.
#include "runtime/singular/sparse_certification.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/epsilon.h"
#include "kernel/limits.h"

namespace mbc::runtime {

namespace {

constexpr std::size_t kMostCombinations = 64;

class SparseCertifier {
 public:
  SparseCertifier(Equations& equations, double t, const double* y)
      : equations_(equations), layout_(equations.layout()), errors_(equations.sparse().assemble_errors(t, y)) {
    const double* work = equations.work().data();
    force_.assign(work + layout_.f, work + layout_.f + layout_.n_speeds);
    right_side_.assign(work + layout_.b, work + layout_.b + layout_.n_rows);
    kept_.assign(layout_.n_rows, 1.0);
    nothing_.assign(layout_.n_rows, 0.0);
  }

  SparseVerdict run() {
    SparseVerdict verdict;
    verdict.failed = look_at_rows(verdict.report) ? 0 : 1;
    if (verdict.failed) return verdict;
    std::vector<int> dependent;
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k)
      if (kept_[k] == 0 && verdict.report.rows[k].state != RowState::zero) dependent.push_back(static_cast<int>(k));
    if (dependent.size() <= kMostCombinations) name_last(verdict.report, dependent);
    const bool all_kept = !contains(kept_, 0.0);
    if (all_kept) errors_ = std::vector<double>();  // The errors serve only rows that are left out.
    const bool free = solve(nothing_, force_, right_side_);
    if (!all_kept) magnitude_ = solution_.acceleration;
    if (!free || !solve(kept_, force_, right_side_)) {
      verdict.failed = 1;
      return verdict;
    }
    conclude(verdict.report);
    if (!all_kept) contradictions(verdict);
    return verdict;
  }

 private:
  bool solve(const std::vector<double>& rows, const std::vector<double>& force, const std::vector<double>& right_side) {
    if (!equations_.sparse().solve(rows, force, right_side, solution_)) return false;
    return std::all_of(solution_.acceleration.begin(), solution_.acceleration.end(),
                       [](double x) { return std::isfinite(x); });
  }
  [[nodiscard]] double size_of(std::uint32_t k) const { return std::sqrt(equations_.pivot_scale()[k]); }
  [[nodiscard]] double share(std::uint32_t k) const { return equations_.pivot()[k] / equations_.pivot_scale()[k]; }

  // Returns the norm of the error of row k. The diagonal of M replaces M.
  [[nodiscard]] double noise(std::uint32_t k, const std::vector<double>& mobility) const {
    double sum = 0;
    for (std::uint32_t e = layout_.row_ptr[k]; e < layout_.row_ptr[k + 1]; ++e)
      sum += std::pow(errors_[layout_.A + e], 2) * mobility[layout_.column[e]];
    return kEpsilon * std::sqrt(sum);
  }

  // Finds the rows that vanish and those that depend on others in the order of elimination.
  bool look_at_rows(RankReport& report) {
    report.rows.resize(layout_.n_rows);
    std::vector<double> mobility(layout_.n_speeds, 0.0);
    for (std::size_t k = 0; k < layout_.mass.size(); ++k)
      if (layout_.mass[k].first == layout_.mass[k].second)
        mobility[layout_.mass[k].first] = 1 / equations_.mass_values()[k];
    if (!solve(kept_, force_, right_side_)) return false;
    const RankOptions options;
    bool some_vanish = false;
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k) {
      RowReport& row = report.rows[k];
      row.scale = size_of(k);
      if (row.scale > options.zero_factor * noise(k, mobility)) continue;
      row.state = RowState::zero;
      row.grade = RowGrade::redundant;
      kept_[k] = 0;
      some_vanish = true;
    }
    if (some_vanish && !solve(kept_, force_, right_side_)) return false;
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k)
      if (kept_[k] != 0 && !(share(k) > kernel::kPivotTolerance)) kept_[k] = 0;
    return true;
  }

  // Writes A_k as sum_j c_j A_j + remainder over the kept rows. The solution of M u' = A_k^T + A^T lambda, A u' = 0
  // gives c = -lambda and the remainder A_k^T + A^T lambda. The squared norm of the remainder in M^-1 is its product
  // with u'.
  double combine(std::uint32_t k, std::vector<double>& c) {
    std::vector<double> rest(layout_.n_speeds, 0.0);
    for (std::uint32_t e = layout_.row_ptr[k]; e < layout_.row_ptr[k + 1]; ++e) rest[layout_.column[e]] += row_value(e);
    c.assign(layout_.n_rows, 0.0);
    double square = 0;
    for (int pass = 0; pass < 3; ++pass) {
      if (!solve(kept_, rest, nothing_)) return 0;
      for (std::uint32_t j = 0; j < layout_.n_rows; ++j) {
        const double lambda = solution_.multiplier[j];
        if (kept_[j] == 0 || lambda == 0) continue;
        c[j] -= lambda;
        for (std::uint32_t e = layout_.row_ptr[j]; e < layout_.row_ptr[j + 1]; ++e)
          rest[layout_.column[e]] += row_value(e) * lambda;
      }
      square = 0;
      for (std::uint32_t i = 0; i < layout_.n_speeds; ++i) square += rest[i] * solution_.acceleration[i];
    }
    return std::sqrt(std::fabs(square)) / size_of(k);
  }
  [[nodiscard]] double row_value(std::uint32_t e) const { return equations_.row_values()[e]; }

  void describe(RowReport& row, std::uint32_t k, double distance, const std::vector<double>& c) const {
    row.state = RowState::dependent;
    row.distance = distance;
    double most = 0;
    for (std::uint32_t j = 0; j < layout_.n_rows; ++j) most = std::max(most, std::fabs(c[j]) * size_of(j));
    row.combination.clear();
    for (std::uint32_t j = 0; j < layout_.n_rows; ++j)
      if (std::fabs(c[j]) * size_of(j) > kRoundedToZero * most)
        row.combination.push_back({static_cast<int>(j), c[j] * size_of(j) / size_of(k), c[j]});
    double unsure = RankOptions{}.grey_low;
    for (const Dependency& d : row.combination) unsure += 4 * kEpsilon * std::fabs(d.coefficient);
    row.grade = distance > unsure ? RowGrade::redundant_near : RowGrade::redundant;
  }

  // Exchanges each dependent row with the last row of its combination.
  void name_last(RankReport& report, std::vector<int>& dependent) {
    const std::vector<double> found = kept_;
    std::vector<double> c;
    for (int& row : dependent) {
      const auto k = static_cast<std::uint32_t>(row);
      const double distance = combine(k, c);
      describe(report.rows[k], k, distance, c);
      int last = row;
      for (const Dependency& d : report.rows[k].combination)
        if (std::fabs(d.coefficient) > kTakesPart) last = std::max(last, d.row);
      if (last == row) continue;
      kept_[k] = 1;
      kept_[static_cast<std::size_t>(last)] = 0;
      row = last;
    }
    if (!solve(kept_, force_, right_side_) || !all_stand()) kept_ = found;
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k) {
      RowReport& row = report.rows[k];
      if (kept_[k] != 0) {
        const double scale = row.scale;
        row = {};
        row.scale = scale;
      } else if (row.state != RowState::zero) {
        describe(row, k, combine(k, c), c);
      }
    }
  }

  [[nodiscard]] bool all_stand() const {
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k)
      if (kept_[k] != 0 && !(share(k) > kernel::kPivotTolerance)) return false;
    return true;
  }

  void conclude(RankReport& report) const {
    double least = 1;
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k) {
      RowReport& row = report.rows[k];
      if (kept_[k] == 0) {
        if (row.state != RowState::zero) row.state = RowState::dependent;
        if (row.grade == RowGrade::ok) row.grade = RowGrade::redundant;
        continue;
      }
      row.distance = std::sqrt(share(k));
      if (share(k) < kAskBelow) row.grade = RowGrade::near;
      least = std::min(least, row.distance);
      report.independent.push_back(static_cast<int>(k));
    }
    report.rank = static_cast<int>(report.independent.size());
    report.smallest_kept = report.rank > 0 ? least : 0;
    report.condition = 1 / least;
  }

  // Returns the magnitude of the terms of A_k u' - b_k. An acceleration is at least as uncertain as the free
  // acceleration, because the multipliers may have cancelled it.
  [[nodiscard]] double terms(std::uint32_t k) const {
    double sum = std::fabs(right_side_[k]) + errors_[layout_.b + k];
    for (std::uint32_t e = layout_.row_ptr[k]; e < layout_.row_ptr[k + 1]; ++e)
      sum += (std::fabs(row_value(e)) + errors_[layout_.A + e]) * magnitude_[layout_.column[e]];
    return sum;
  }

  // Checks that the rows that are left out agree with the accelerations of the other rows.
  void contradictions(SparseVerdict& verdict) {
    accelerations_ = solution_.acceleration;
    for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
      magnitude_[i] = std::max(std::fabs(magnitude_[i]), std::fabs(accelerations_[i]));
    std::vector<double> c;
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k) {
      if (kept_[k] != 0) continue;
      RowReport& row = verdict.report.rows[k];
      double defect = -right_side_[k];
      for (std::uint32_t e = layout_.row_ptr[k]; e < layout_.row_ptr[k + 1]; ++e)
        defect += row_value(e) * accelerations_[layout_.column[e]];
      row.raw_residual = -defect;
      row.allowance = (kDriftFraction + 16 * kEpsilon) * terms(k);
      if (std::fabs(defect) <= row.allowance) continue;
      if (row.state == RowState::dependent && row.combination.empty()) describe(row, k, combine(k, c), c);
      for (const Dependency& d : row.combination)
        row.allowance +=
            (kDriftFraction + 16 * kEpsilon) * std::fabs(d.raw_coefficient) * terms(static_cast<std::uint32_t>(d.row));
      row.consistent = std::fabs(defect) <= row.allowance;
      if (row.consistent || !verdict.conflicting.empty()) continue;
      verdict.conflicting.push_back(static_cast<int>(k));
      for (const Dependency& d : row.combination) verdict.conflicting.push_back(d.row);
      std::sort(verdict.conflicting.begin(), verdict.conflicting.end());
    }
  }

  Equations& equations_;
  const kernel::SystemLayout& layout_;
  std::vector<double> errors_;  // errors of work after assemble, in units of eps
  std::vector<double> force_, right_side_, kept_, nothing_, accelerations_, magnitude_;
  SparseSolution solution_;
};

}  // namespace

SparseVerdict certify_sparse(Equations& equations, double t, const double* y) {
  return SparseCertifier(equations, t, y).run();
}

}  // namespace mbc::runtime
