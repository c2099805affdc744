// SPDX-License-Identifier: Apache-2.0
// The conflict of an assembly that has found no consistent state: what contradicts what where it has ended.
#include <algorithm>

#include "base/contains.h"
#include "runtime/constraints/assembly_level.h"
#include "runtime/rows/conflict.h"

namespace mbc::runtime {

// Returns the columns that are not free, each with the hard coordinate (or speed) that fixes it.
std::vector<std::pair<int, int>> AssemblyLevel::held_columns() const {
  std::vector<std::pair<int, int>> held;
  for (std::uint32_t j = 0; j < equations_.layout().n_speeds; ++j) {
    if (contains(free_, static_cast<int>(j))) continue;
    std::uint32_t i = position_ ? 0 : j;
    while (position_ && i + 1 < size_ && !contains(problem_.speeds_in_rate[i], j)) ++i;
    held.emplace_back(static_cast<int>(j), static_cast<int>(i));
  }
  return held;
}

AssemblyLevel::Conflict AssemblyLevel::conflict(const std::vector<double>& y) {
  Conflict conflict;
  Local here;
  if (!evaluate(Eigen::Map<const Vector>(y.data() + at_, size_), here) || !here.J.allFinite()) return conflict;
  // The system contains all columns and one row for each hard value.
  const std::vector<std::pair<int, int>> held = held_columns();
  const Eigen::Index first = here.J.rows(), all = first + static_cast<Eigen::Index>(held.size());
  Matrix J = Matrix::Zero(all, here.J.cols());
  Vector r = Vector::Zero(all);
  // Hard values come first, so that they count as the independent rows and every contradiction names them.
  const auto n_held = static_cast<Eigen::Index>(held.size());
  for (Eigen::Index k = 0; k < n_held; ++k) J(k, held[static_cast<std::size_t>(k)].first) = 1;
  J.bottomRows(first) = here.J;
  r.tail(first) = -here.e;
  const Vector norms = J.rowwise().norm();
  std::vector<int> set;
  for (double tolerance : {1e-10, 1e-6, 1e-3}) {
    RankOptions options;
    options.tolerance = tolerance;
    const RankInput input{J, {}, {}, r, {}, 1e-9 * extent_ * norms};
    set = minimal_conflicting_set(input, certify(input, options), options);
    if (!set.empty()) break;
  }
  std::vector<char> touched(static_cast<std::size_t>(J.cols()), 0);
  for (int k : set) {
    if (k < n_held) {
      conflict.hard.push_back(held[static_cast<std::size_t>(k)].second);
      continue;
    }
    const int row = k - static_cast<int>(n_held);
    add_row(conflict, row);
    for (Eigen::Index j = 0; j < J.cols(); ++j) touched[static_cast<std::size_t>(j)] |= here.J(row, j) != 0;
  }
  add_soft(conflict, touched);
  for (std::vector<int>* list : {&conflict.hard, &conflict.soft}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return conflict;
}

// Adds the origin of row `row` of Local::J to the conflict.
void AssemblyLevel::add_row(Conflict& conflict, int row) const {
  const int m = static_cast<int>(rows_.size()), h = static_cast<int>(hard_.size());
  if (row < m)
    conflict.rows.push_back(rows_[static_cast<std::size_t>(row)]);
  else if (row < m + h)
    conflict.targets.push_back(hard_[static_cast<std::size_t>(row - m)]);
  else
    conflict.hard.push_back(hard_coordinates_[static_cast<std::size_t>(row - m - h)]);
}

// Adds the soft quantities that belong to free columns among the touched ones.
void AssemblyLevel::add_soft(Conflict& conflict, const std::vector<char>& touched) const {
  for (int j : free_) {
    if (!touched[static_cast<std::size_t>(j)]) continue;
    const auto speed = static_cast<std::uint32_t>(j);
    for (std::uint32_t i = 0; position_ && !problem_.all_soft && i < size_; ++i)
      if (problem_.soft_coordinate[i] && contains(problem_.speeds_in_rate[i], speed))
        conflict.soft.push_back(static_cast<int>(i));
    if (!position_) conflict.soft.push_back(j);
  }
}

}  // namespace mbc::runtime
