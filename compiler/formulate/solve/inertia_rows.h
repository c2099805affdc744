// SPDX-License-Identifier: Apache-2.0
// Mass matrices that are singular without their rows (seed 004, eq. 28-30): M + A^T D A and f + A^T D b have the same
// accelerations and multipliers, and an inverse when rank [M; A] is the number of speeds. Which rows are added is
// decided from the structure here; whether that suffices depends on values and is looked at by the runtime.
#pragma once
#include <optional>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/linear_plan.h"

namespace mbc::formulate {

// Which rows are added to the mass matrix before it is inverted: those its structure asks for (Euler parameters,
// coordinates without inertia), or also all rows of representations, or all rows; or all of them, with weights for
// speeds that have hardly any inertia (runtime/equations/light_spins.h). More rows than needed change nothing but the
// cost.

// What follows where the mass matrix with these rows is not complete, or has speeds with hardly any inertia; nothing
// where there is no need, or no more rows.
constexpr std::optional<InertiaRows> more_rows(InertiaRows now, bool complete, bool light) {
  if (complete && light && now != InertiaRows::light) return InertiaRows::light;
  if (complete || now >= InertiaRows::all) return {};
  return now == InertiaRows::structure ? InertiaRows::representations : InertiaRows::all;
}

// A speed whose inertia is at most this much of the mean one has none, where weights of rows are chosen. All rows are
// added where M is singular by its values: an inertia that is zero at the start grows from there (Euler parameters as
// coordinates), and a weight that follows it would leave M as good as singular.
constexpr double no_inertia(InertiaRows wanted) { return wanted >= InertiaRows::all ? 1e-6 : 1e-300; }

// By row: whether it is added. `row_columns`: speeds of each row; `mass`: pattern of M, i >= j.
std::vector<bool> choose_inertia_rows(const System& system, const std::vector<std::vector<std::uint32_t>>& row_columns,
                                      const MassPattern& mass, InertiaRows wanted);

// Puts entries that were added into the pattern.
void in_order(MassPattern& mass);

// The pattern of M + A^T D A.
MassPattern with_rows(MassPattern mass, const std::vector<std::vector<std::uint32_t>>& row_columns,
                      const std::vector<bool>& rows);

// The rows' part of M and f on the graph. `weight`: D of rows of representations, invalid where it is chosen;
// `no_inertia`: as above.
void add_inertia_rows(Graph& g, LinearSystem& system, const std::vector<bool>& rows, const std::vector<NodeId>& weight,
                      double no_inertia);

}  // namespace mbc::formulate
