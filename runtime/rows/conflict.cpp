// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/conflict.h"

#include <algorithm>
#include <cmath>

namespace mbc::runtime {
namespace {

RankInput subset(const RankInput& input, const std::vector<int>& rows) {
  const auto pick = [&](const Eigen::VectorXd& v) -> Eigen::VectorXd {
    if (v.size() == 0) return {};
    return v(rows);
  };
  return {input.G(rows, Eigen::all), pick(input.row_noise), pick(input.row_terms), pick(input.r),
          pick(input.r_noise),       pick(input.drift),     input.free_size};
}

// Independent rows never contradict each other. An inconsistent dependent row and the rows of its combination therefore
// form an irreducible set (a circuit of the rows), unless a coefficient is so small that the set stays contradicting
// without its row.
const RowReport* smallest_contradiction(const RankReport& report, int& index) {
  const RowReport* best = nullptr;
  for (int i = 0; i < static_cast<int>(report.rows.size()); ++i) {
    const RowReport& row = report.rows[i];
    if (row.consistent || (best && best->combination.size() <= row.combination.size())) continue;
    best = &row;
    index = i;
  }
  return best;
}

}  // namespace

std::vector<int> minimal_conflicting_set(const RankInput& input, const RankReport& report, const RankOptions& options) {
  int index = -1;
  const RowReport* row = report.non_finite.found ? nullptr : smallest_contradiction(report, index);
  if (!row) return {};
  std::vector<Dependency> terms = row->combination;
  std::stable_sort(terms.begin(), terms.end(), [](const Dependency& a, const Dependency& b) {
    return std::abs(a.coefficient) < std::abs(b.coefficient);
  });
  std::vector<int> set{index};
  for (const Dependency& term : terms) set.push_back(term.row);
  std::sort(set.begin(), set.end());
  // This loop tries to delete the rows with small coefficients. The argument above shows that the other rows are
  // needed.
  for (const Dependency& term : terms) {
    if (std::abs(term.coefficient) > 1e-4) break;
    std::vector<int> fewer = set;
    fewer.erase(std::find(fewer.begin(), fewer.end(), term.row));
    if (!certify(subset(input, fewer), options).consistent()) set = fewer;
  }
  return set;
}

std::vector<int> minimal_conflicting_set(const Eigen::MatrixXd& G, const Eigen::VectorXd& r,
                                         const Eigen::VectorXd& allowance, const RankOptions& options) {
  const RankInput input{G, {}, {}, r, {}, allowance};
  return minimal_conflicting_set(input, certify(input, options), options);
}

}  // namespace mbc::runtime
