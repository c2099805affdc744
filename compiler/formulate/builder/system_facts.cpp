// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/builder/system_facts.h"

#include <algorithm>

#include "compiler/formulate/solve/inertia_rows.h"
#include "compiler/formulate/solve/pattern.h"
#include "compiler/lower/velocity_jumps.h"

namespace mbc::formulate {

SystemFacts facts_of(const System& system) {
  SystemFacts facts;
  facts.linear_rows = system.linear_rows;
  facts.quadratic_kinetic = system.kinetic_in_one_piece && lower::inertia_of_speeds(system) == nullptr;
  for (lower::RowUse use : system.row_use) facts.has_rows |= use == lower::RowUse::user;
  const Pattern pattern(system);
  const std::vector<bool> rows = choose_inertia_rows(system, pattern.row_columns, pattern.mass, InertiaRows::structure);
  facts.needs_rows_for_inertia = std::find(rows.begin(), rows.end(), true) != rows.end();
  std::vector<bool> inertia(system.n_speeds, false);
  for (const auto& [i, j] : pattern.mass)
    if (i == j) inertia[i] = true;
  facts.needs_rows_for_inertia |= std::find(inertia.begin(), inertia.end(), false) != inertia.end();
  return facts;
}

}  // namespace mbc::formulate
