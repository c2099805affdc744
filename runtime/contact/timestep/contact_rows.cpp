// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

ContactRows::ContactRows(Equations& equations, const problem::Problem& info, const Reach& reach)
    : equations_(equations),
      layout_(equations.layout()),
      reach_(reach),
      values_(layout_.column.size()),
      blocks_(layout_),
      row_lengths_(layout_, info) {}

bool ContactRows::assemble(double t, const double* y, MassBlocks* metric) {
  metric_ = metric ? metric : &blocks_;
  rows_.clear();
  lengths_.clear();
  shares_.clear();
  if (layout_.inertia_rows.empty()) {
    equations_.assemble_contacts(t, y);
    if (!metric && !blocks_.factor(equations_.mass_values())) return false;
  } else if (equations_.assemble(t, y, full_, false) != 0 || (!metric && !blocks_.factor(full_.solved_mass()))) {
    return false;
  }
  take_values();
  return take_equations();
}

void ContactRows::take_value(std::uint32_t row) {
  const std::uint32_t from = layout_.row_ptr[row];
  std::copy_n(equations_.row_values() + from, layout_.row_ptr[row + 1] - from, values_.begin() + from);
}

void ContactRows::take_values() {
  for (const std::uint32_t row : reach_.equations()) take_value(row);
  most_ = 0;
  for (const std::uint32_t row : reach_.rows()) {
    take_value(row);
    double sum = 0;
    for (std::uint32_t e = layout_.row_ptr[row]; e < layout_.row_ptr[row + 1]; ++e) sum += std::fabs(values_[e]);
    most_ = std::max(most_, sum);
  }
  equations_.clear_rows(reach_.rows());
}

bool ContactRows::is_finite(std::uint32_t row) const {
  return std::all_of(values_.begin() + layout_.row_ptr[row], values_.begin() + layout_.row_ptr[row + 1],
                     [](double x) { return std::isfinite(x); });
}

double ContactRows::times(std::uint32_t row, const double* u) const {
  double sum = 0;
  for (std::uint32_t e = layout_.row_ptr[row]; e < layout_.row_ptr[row + 1]; ++e)
    sum += values_[e] * u[layout_.column[e]];
  return sum;
}

void ContactRows::add_scaled(std::uint32_t row, RowList& out) {
  const std::uint32_t from = layout_.row_ptr[row], to = layout_.row_ptr[row + 1];
  metric_->add_scaled({layout_.column.data() + from, to - from}, values_.data() + from, out);
}

double ContactRows::norm(std::uint32_t row) {
  RowList scaled;
  add_scaled(row, scaled);
  return std::sqrt(scaled.square(0));
}

// Takes the equations of the model. Rows that are switched off are zero and left out.
bool ContactRows::take_equations() {
  rows_of_equations_.clear();
  RowList scaled;
  for (const std::uint32_t row : reach_.equations()) {
    if (!is_finite(row)) return false;
    const std::uint32_t from = layout_.row_ptr[row], to = layout_.row_ptr[row + 1];
    if (std::all_of(values_.begin() + from, values_.begin() + to, [](double x) { return x == 0; })) continue;
    rows_of_equations_.push_back(row);
    add_scaled(row, scaled);
  }
  const auto m = static_cast<Eigen::Index>(rows_of_equations_.size());
  normal_.setZero(m, m > 0 ? layout_.n_speeds : 0);
  basis_.resize(normal_.cols(), 0);
  if (m == 0) return true;
  for (std::size_t k = 0; k < scaled.size(); ++k)
    for (std::uint32_t e = scaled.begin[k]; e < scaled.begin[k + 1]; ++e)
      normal_(static_cast<Eigen::Index>(k), scaled.column[e]) = scaled.value[e];
  norms_ = normal_.rowwise().norm();
  normal_.rowwise().normalize();
  const RightSingular made = thin_right_singular(normal_);
  const Eigen::Index rank = (made.values.array() > kRankTolerance * made.values[0]).count();
  basis_ = made.V.leftCols(rank);
  values_of_ = made.values.head(rank);
  return true;
}

double ContactRows::take(std::uint32_t row) {
  RowList scaled;
  add_scaled(row, scaled);
  lengths_.push_back(row_lengths_.of(row, [this](std::uint32_t k) { return values_[k]; }));
  shares_.emplace_back();
  if (basis_.cols() > 0) {
    Eigen::VectorXd share = Eigen::VectorXd::Zero(basis_.cols());
    for (std::size_t e = 0; e < scaled.column.size(); ++e)
      share += scaled.value[e] * basis_.row(scaled.column[e]).transpose();
    if (!share.isZero(0)) shares_.back() = std::move(share);
  }
  if (shares_.back().size() == 0) {
    for (std::size_t e = 0; e < scaled.column.size(); ++e) rows_.add(scaled.column[e], scaled.value[e]);
  } else {
    Eigen::VectorXd left = -(basis_ * shares_.back());
    scaled.add_to(0, 1, left.data());
    for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
      if (left[i] != 0) rows_.add(i, left[i]);
  }
  rows_.close();
  return std::sqrt(scaled.square(0));
}

// E^T x = -V V^T (A_C L^-T)^T p with E = U S V^T of norms 1: x = -E V S^-2 V^T (A_C L^-T)^T p.
void ContactRows::add_answer(const Eigen::VectorXd& impulses, Eigen::VectorXd& by_row) const {
  if (rows_of_equations_.empty()) return;
  Eigen::VectorXd taken = Eigen::VectorXd::Zero(basis_.cols());
  for (std::size_t k = 0; k < shares_.size(); ++k)
    if (shares_[k].size() > 0) taken += impulses[static_cast<Eigen::Index>(k)] * shares_[k];
  const Eigen::VectorXd x = normal_ * (basis_ * taken.cwiseQuotient(values_of_.cwiseAbs2()));
  for (std::size_t k = 0; k < rows_of_equations_.size(); ++k)
    by_row[rows_of_equations_[k]] -= x[static_cast<Eigen::Index>(k)] / norms_[static_cast<Eigen::Index>(k)];
}

}  // namespace mbc::runtime
