// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/builder/system_facts.h"

#include <algorithm>
#include <initializer_list>

#include "compiler/formulate/solve/inertia_rows.h"
#include "compiler/formulate/solve/pattern.h"

namespace mbc::formulate {

using graph::LeafKind;
using lower::Contribution;
using lower::Part;
using lower::System;
using lower::Target;

namespace {

bool holds(const graph::Graph& g, NodeId value, std::initializer_list<LeafKind> kinds) {
  for (NodeId id : graph::leaves(g, {&value, 1}))
    for (LeafKind kind : kinds)
      if (g.node(id).leaf == kind) return true;
  return false;
}

}  // namespace

SystemFacts facts_of(const System& system) {
  SystemFacts facts;
  facts.linear_rows = system.linear_rows;
  facts.quadratic_kinetic = system.kinetic_in_one_piece;
  for (lower::RowUse use : system.row_use) facts.has_rows |= use == lower::RowUse::user;
  for (const Part& part : system.parts)
    for (const Contribution& c : part.contributions)
      if (c.target == Target::mass && holds(part.family.shape.graph, c.value, {LeafKind::speed, LeafKind::accel}))
        facts.quadratic_kinetic = false;
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
