// SPDX-License-Identifier: Apache-2.0
// The plan of mbc_sparse_solve, made from the patterns of M and A: diagonal blocks of M, an order of elimination that
// keeps L sparse, fronts, and the index arrays of the solve (kernel/support/mbc_support.h has their layout).
//
// Time and memory are proportional to the plan and to the entries of S and L. Rows that share a block of M are coupled
// in S; a block with very many rows makes S dense, and then there is no plan.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mbc::formulate {

struct SparsePattern {
  std::uint32_t n = 0;                                            // speeds
  std::span<const std::uint32_t> row_ptr;                         // of A, m + 1
  std::span<const std::uint32_t> column;                          // ascending in each row
  std::span<const std::pair<std::uint32_t, std::uint32_t>> mass;  // i >= j, ascending
  std::span<const char> off{};  // by row of A: 1 if it is always zero in a solve; empty: none is
  bool mostly = false;          // these rows are mostly zero, but not always
};

struct SparsePlan {
  std::vector<std::uint32_t> words;  // places of the arrays in work (MBC_PLAN_MASS .. MBC_PLAN_SCRATCH) are left at 0
  std::uint32_t scratch = 0;         // doubles
  std::uint64_t operations = 0;      // cost of a solve in multiplications
  std::uint64_t factor = 0;          // entries of L
};

// Returns nothing if the plan or its scratch would not fit into 32-bit offsets.
std::optional<SparsePlan> plan_sparse(const SparsePattern& pattern);

// Returns the same count for mbc_dense_solve.
std::uint64_t dense_operations(const SparsePattern& pattern);

// Returns the order of elimination of a symmetric pattern in compressed columns (both triangles, no diagonal): the
// given order if its fill is not larger than that of approximate minimum degree.
std::vector<std::uint32_t> elimination_order(const std::vector<std::uint32_t>& begin,
                                             const std::vector<std::uint32_t>& neighbour);

}  // namespace mbc::formulate
