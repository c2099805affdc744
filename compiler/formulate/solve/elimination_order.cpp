// SPDX-License-Identifier: Apache-2.0
// The order of elimination of large sparse systems: approximate minimum degree (Amestoy, Davis and Duff 1996; Eigen's)
// against the given order, compared by the entries of L.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <limits>

#include "compiler/formulate/solve/sparse_plan.h"

namespace mbc::formulate {

namespace {

using SharedIndices = std::vector<std::uint32_t>;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

SharedIndices minimum_degree_order(const SharedIndices& begin, const SharedIndices& neighbour) {
  const auto m = static_cast<int>(begin.size()) - 1;
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(m, m);
  pattern.resizeNonZeros(static_cast<Eigen::Index>(neighbour.size()) + m);
  for (int k = 0, at = 0; k < m; ++k) {  // a row without a diagonal counts as dense
    pattern.innerIndexPtr()[at++] = k;
    for (std::uint32_t e = begin[static_cast<std::size_t>(k)]; e < begin[static_cast<std::size_t>(k) + 1]; ++e)
      pattern.innerIndexPtr()[at++] = static_cast<int>(neighbour[e]);
    pattern.outerIndexPtr()[k + 1] = at;
  }
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::internal::minimum_degree_ordering(pattern, permutation);
  SharedIndices order(static_cast<std::size_t>(m));
  for (int k = 0; k < m; ++k) order[static_cast<std::size_t>(k)] = static_cast<std::uint32_t>(permutation.indices()[k]);
  return order;
}

// Returns the number of entries of L below the diagonal, or more than `limit` if there are more: row i of L has the
// nodes on the paths of the elimination tree from the neighbours of i up to i.
std::uint64_t fill_of(const SharedIndices& begin, const SharedIndices& neighbour, const SharedIndices& order,
                      std::uint64_t limit) {
  const std::size_t m = order.size();
  SharedIndices place(m), parent(m, kNone), seen(m, kNone);
  for (std::uint32_t k = 0; k < m; ++k) place[order[k]] = k;
  std::uint64_t fill = 0;
  for (std::uint32_t i = 0; i < m && fill <= limit; ++i) {
    seen[i] = i;
    for (std::uint32_t e = begin[order[i]]; e < begin[order[i] + 1]; ++e)
      for (std::uint32_t k = place[neighbour[e]]; k < i && seen[k] != i; k = parent[k]) {
        if (parent[k] == kNone) parent[k] = i;
        seen[k] = i;
        ++fill;
      }
  }
  return fill;
}

}  // namespace

SharedIndices elimination_order(const SharedIndices& begin, const SharedIndices& neighbour) {
  const std::size_t m = begin.size() - 1;
  SharedIndices given(m);
  for (std::uint32_t k = 0; k < m; ++k) given[k] = k;
  if (fill_of(begin, neighbour, given, neighbour.size() / 2) <= neighbour.size() / 2) return given;  // no fill at all
  SharedIndices best = minimum_degree_order(begin, neighbour);
  const std::uint64_t fill = fill_of(begin, neighbour, best, std::numeric_limits<std::uint64_t>::max());
  return fill_of(begin, neighbour, given, fill) <= fill ? given : best;
}

}  // namespace mbc::formulate
