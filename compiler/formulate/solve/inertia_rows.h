// SPDX-License-Identifier: Apache-2.0
// Mass matrices that are singular without their rows (seed 004, eq. 28-30): M + A^T D A and f + A^T D b give the same
// accelerations and multipliers, and have an inverse if rank [M; A] is the number of speeds. The rows to add are chosen
// here from the structure; whether they suffice depends on values, which the runtime checks.
#pragma once
#include <optional>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/linear_plan.h"

namespace mbc::formulate {

// The rows that are added to the mass matrix before it is inverted: those its structure requires (Euler parameters,
// coordinates without inertia), or also all rows of representations, or all rows; or all of them, with weights for
// speeds that have hardly any inertia (runtime/equations/light_spins.h). More rows than needed affect only the cost.

// Returns the next choice if the mass matrix with these rows is singular, or has speeds with hardly any inertia;
// nothing if no more rows are needed or available.
constexpr std::optional<InertiaRows> more_rows(InertiaRows now, bool complete, bool light) {
  if (complete && light && now != InertiaRows::light) return InertiaRows::light;
  if (complete || now >= InertiaRows::all) return {};
  return now == InertiaRows::structure ? InertiaRows::representations : InertiaRows::all;
}

// A speed whose inertia is at most this fraction of the mean one counts as having none when weights of rows are chosen.
// If M is singular by its values, all rows are added: an inertia that is zero at the start grows from there (Euler
// parameters as coordinates), and a weight that follows it would leave M nearly singular.
constexpr double no_inertia(InertiaRows wanted) { return wanted >= InertiaRows::all ? 1e-6 : 1e-300; }

// Returns by row whether it is added. `row_columns`: speeds of each row; `mass`: pattern of M, i >= j.
std::vector<bool> choose_inertia_rows(const System& system, const std::vector<std::vector<std::uint32_t>>& row_columns,
                                      const MassPattern& mass, InertiaRows wanted);

// Sorts added entries into the pattern.
void in_order(MassPattern& mass);

// Returns the pattern of M + A^T D A.
MassPattern with_rows(MassPattern mass, const std::vector<std::vector<std::uint32_t>>& row_columns,
                      const std::vector<bool>& rows);

// Adds the rows' part of M and f on the graph. `weight`: D of rows of representations, invalid if it is to be chosen;
// `no_inertia`: as above.
void add_inertia_rows(Graph& g, LinearSystem& system, const std::vector<bool>& rows, const std::vector<NodeId>& weight,
                      double no_inertia);

}  // namespace mbc::formulate
