// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/rank.h"

#include <algorithm>
#include <cmath>

#include "base/epsilon.h"
#include "runtime/rows/decompositions.h"
#include "runtime/rows/row_basis.h"

namespace mbc::runtime {
namespace {

constexpr Eigen::Index kJacobiLimit = 32;

double entry_or_zero(const Eigen::VectorXd& v, int i) { return v.size() == 0 ? 0.0 : v(i); }

NonFinite first_non_finite(const RankInput& input) {
  NonFinite found = find_non_finite(input.G, input.r);
  for (const Eigen::VectorXd* v : {&input.r_noise, &input.row_noise, &input.row_terms, &input.drift})
    for (int i = 0; i < v->size() && !found.found; ++i)
      if (!std::isfinite((*v)(i))) found = {true, i, -1};
  return found;
}

// Returns the singular values of the columns, descending. Small matrices use one-sided Jacobi; larger ones use a
// tridiagonal matrix, which is 3 to 9 times faster at these sizes. Above options.svd_limit the diagonal of a pivoted QR
// replaces the singular values: it has the same gaps, and in practice its values differ from them by a small factor.
Eigen::VectorXd spectrum_of_all(const Eigen::MatrixXd& columns, const RankOptions& options) {
  if (columns.size() == 0) return {};
  const Eigen::Index size = std::min(columns.rows(), columns.cols());
  if (size > options.svd_limit) return pivoted_diagonal(columns);
  if (size > kJacobiLimit)
    if (Eigen::VectorXd values = singular_values_tridiagonal(columns); values.size() > 0) return values;
  return singular_values(columns);
}

// Columns of zeros have singular values of zero and are left out. Contacts that are open can make very many of them.
Eigen::VectorXd spectrum(const Eigen::MatrixXd& columns, const RankOptions& options) {
  std::vector<Eigen::Index> filled;
  for (Eigen::Index k = 0; k < columns.cols(); ++k)
    if (!columns.col(k).isZero(0)) filled.push_back(k);
  if (static_cast<Eigen::Index>(filled.size()) == columns.cols()) return spectrum_of_all(columns, options);
  const Eigen::VectorXd found = spectrum_of_all(columns(Eigen::all, filled), options);
  Eigen::VectorXd all = Eigen::VectorXd::Zero(std::min(columns.rows(), columns.cols()));
  all.head(found.size()) = found;
  return all;
}

int count_above(const Eigen::VectorXd& descending, double tolerance) {
  int count = 0;
  while (count < descending.size() && descending(count) > tolerance) ++count;
  return count;
}

// The condition refers to rows scaled to norm 1. If noise has scaled some rows down, the spectrum of the kept rows is
// computed again.
void describe_spectrum(RankReport& report, const ScaledRows& rows, const RankOptions& options) {
  const bool uniform = (rows.weight.array() == 1.0 || rows.weight.array() == 0.0).all();
  if (!uniform) {
    Eigen::MatrixXd kept(rows.columns.rows(), report.rank);
    for (int k = 0; k < report.rank; ++k)
      kept.col(k) = rows.columns.col(report.independent[k]) / rows.weight(report.independent[k]);
    report.singular_values = spectrum(kept, options);
  }
  if (report.rank == 0) return;
  report.smallest_kept = report.singular_values(report.rank - 1);
  report.condition = report.singular_values(0) / report.smallest_kept;
  if (report.singular_values.size() > report.rank) report.largest_dropped = report.singular_values(report.rank);
}

// The lower end of the grey zone rises with the noise of a row; see RankOptions.
RowGrade grade(const RowReport& row, double noise, double weight, const RankOptions& options) {
  if (row.state == RowState::zero) return RowGrade::redundant;
  if (row.state == RowState::independent)
    return row.distance > options.grey_high / weight ? RowGrade::ok : RowGrade::near;
  return row.distance > std::max(options.grey_low, noise) ? RowGrade::redundant_near : RowGrade::redundant;
}

class Certifier {
 public:
  Certifier(const RankInput& input, const RankOptions& options)
      : input_(input),
        options_(options),
        scaled_(scale_rows(input.G, input.row_noise, input.row_terms, options, input.usual)),
        basis_(basis_in_order(scaled_, options.tolerance, options.in_use)) {}

  void fill(RankReport& report) {
    report.singular_values = spectrum(scaled_.columns, options_);
    const int rank = count_above(report.singular_values, options_.tolerance);
    report.methods_agree = rank == basis_.rank;
    if (!report.methods_agree)
      basis_ = basis_pivoted(scaled_, rank, 0);
    else
      take_others(report);
    report.rank = basis_.rank;
    report.independent = basis_.selected;
    std::sort(report.independent.begin(), report.independent.end());
    describe_spectrum(report, scaled_, options_);
    fill_states(report);
    if (input_.r.size() != 0) z_ = solve_in_basis(basis_, scaled_, input_.r);
    for (int i = 0; i < static_cast<int>(report.rows.size()); ++i) {
      if (report.rows[i].state == RowState::dependent) fill_dependent(report, i);
      if (report.rows[i].state == RowState::zero) fill_zero(report.rows[i], i);
    }
  }

 private:
  // If rows repeat each other, the rows in use may be close to each other while another choice is not.
  void take_others(RankReport& report) {
    if (options_.in_use.empty() || basis_.rank == 0) return;
    const double all = report.singular_values(basis_.rank - 1);
    if (all < kRowsTogether) return;
    const bool poor = basis_.L.diagonal().minCoeff() < kChosenPoorly * all;
    if (!poor && !options_.look_for_others) return;
    RowBasis others = basis_pivoted(scaled_, basis_.rank, 0);
    if (others.rank < basis_.rank || smallest(others) < kBetterChoice * smallest(basis_)) return;
    basis_ = std::move(others);
    report.in_order = false;
  }

  [[nodiscard]] double smallest(const RowBasis& basis) const {
    return spectrum(scaled_.columns(Eigen::all, basis.selected), options_)(basis.rank - 1);
  }

  void fill_states(RankReport& report) {
    std::vector<char> kept(report.rows.size(), 0);
    for (int i : report.independent) kept[i] = 1;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      RowReport& row = report.rows[i];
      row.scale = scaled_.scale(i);
      row.distance = basis_.distance(i);
      row.state = scaled_.zero[i] ? RowState::zero : kept[i] ? RowState::independent : RowState::dependent;
      row.grade = grade(row, scaled_.noise(i), scaled_.weight(i), options_);
    }
  }

  // Writes row i as sum_k c_k selected_k. From row_i = h Q^T and selected = L Q^T follows L^T c = h. The prediction of
  // r_i is h z, which stays accurate if c is large. The coefficients c only name the rows and bound the noise.
  void fill_dependent(RankReport& report, int i) {
    RowReport& row = report.rows[i];
    const Eigen::VectorXd h = basis_.coordinates.row(i).head(basis_.rank).transpose();
    Eigen::VectorXd c = h;
    basis_.L.transpose().triangularView<Eigen::Upper>().solveInPlace(c);
    for (int k = 0; k < basis_.rank; ++k) c(k) *= scaled_.weight(basis_.selected[k]) / scaled_.weight(i);
    fill_combination(report, row, c);
    if (input_.r.size() == 0) return;
    row.residual = input_.r(i) / row.scale - h.dot(z_) / scaled_.weight(i);
    row.raw_residual = row.residual * row.scale;
    row.allowance = explained(row, i, c) * row.scale;
    row.consistent = std::abs(row.raw_residual) <= row.allowance;
  }

  void fill_combination(RankReport& report, RowReport& row, const Eigen::VectorXd& c) {
    const double weakest = basis_.rank == 0 ? 1.0 : basis_.L.diagonal().minCoeff();
    const double negligible = std::max(options_.tolerance, 64 * kEpsilon / weakest);
    row.multiplier_unique = false;
    for (int k = 0; k < basis_.rank; ++k) {
      const int j = basis_.selected[k];
      if (std::abs(c(k)) <= negligible) continue;
      row.combination.push_back({j, c(k), c(k) * (row.scale / scaled_.scale(j))});
      report.rows[j].multiplier_unique = false;
    }
    std::sort(row.combination.begin(), row.combination.end(),
              [](const Dependency& a, const Dependency& b) { return a.row < b.row; });
  }

  // Returns how far r_i may differ from the combination, in units of the scaled row. The bound adds the errors and
  // drift of the right-hand sides and the product of two factors: the part of the row outside of the span (with the
  // errors of the rows) and the size of the solution.
  double explained(const RowReport& row, int i, const Eigen::VectorXd& c) const {
    double rhs = rhs_error(i), outside = row.distance + scaled_.noise(i);
    for (int k = 0; k < basis_.rank; ++k) {
      rhs += std::abs(c(k)) * rhs_error(basis_.selected[k]);
      outside += std::abs(c(k)) * scaled_.noise(basis_.selected[k]);
    }
    return rhs + outside * (z_.norm() + input_.free_size);
  }

  [[nodiscard]] double rhs_error(int i) const {
    const double given = entry_or_zero(input_.r_noise, i) + entry_or_zero(input_.drift, i);
    return (given + 64 * kEpsilon * std::abs(input_.r(i))) / scaled_.scale(i);
  }

  void fill_zero(RowReport& row, int i) const {
    row.multiplier_unique = false;
    if (input_.r.size() == 0) return;
    row.residual = row.raw_residual = input_.r(i);
    row.allowance = entry_or_zero(input_.r_noise, i) + entry_or_zero(input_.drift, i) +
                    (row.scale + entry_or_zero(input_.row_noise, i)) * (z_.norm() + input_.free_size);
    row.consistent = std::abs(row.raw_residual) <= row.allowance;
  }

  const RankInput& input_;
  const RankOptions& options_;
  ScaledRows scaled_;
  RowBasis basis_;
  Eigen::VectorXd z_;  // These are the coordinates of the minimum-norm solution of the independent rows.
};

}  // namespace

bool RankReport::consistent() const {
  return !non_finite.found &&
         std::all_of(rows.begin(), rows.end(), [](const RowReport& row) { return row.consistent; });
}

bool RankReport::near() const {
  return std::any_of(rows.begin(), rows.end(), [](const RowReport& row) {
    return row.grade == RowGrade::near || row.grade == RowGrade::redundant_near;
  });
}

NonFinite find_non_finite(const Eigen::MatrixXd& G, const Eigen::VectorXd& r) {
  for (int i = 0; i < G.rows(); ++i) {
    for (int j = 0; j < G.cols(); ++j)
      if (!std::isfinite(G(i, j))) return {true, i, j};
    if (i < r.size() && !std::isfinite(r(i))) return {true, i, -1};
  }
  return {};
}

RankReport certify(const RankInput& input, const RankOptions& options) {
  RankReport report;
  report.non_finite = first_non_finite(input);
  if (report.non_finite.found) return report;
  report.rows.resize(static_cast<std::size_t>(input.G.rows()));
  Certifier(input, options).fill(report);
  return report;
}

RankReport spread(RankReport report, const std::vector<int>& rows, int m) {
  if (static_cast<int>(rows.size()) == m) return report;
  const auto place = [&rows](int k) { return rows[static_cast<std::size_t>(k)]; };
  if (report.non_finite.found) {
    report.non_finite.row = place(report.non_finite.row);
    return report;
  }
  RowReport zero;
  zero.state = RowState::zero;
  zero.grade = RowGrade::redundant;
  zero.multiplier_unique = false;
  std::vector<RowReport> all(static_cast<std::size_t>(m), zero);
  for (std::size_t k = 0; k < report.rows.size(); ++k) {
    for (Dependency& d : report.rows[k].combination) d.row = place(d.row);
    all[static_cast<std::size_t>(rows[k])] = std::move(report.rows[k]);
  }
  report.rows = std::move(all);
  for (int& k : report.independent) k = place(k);
  return report;
}

}  // namespace mbc::runtime
