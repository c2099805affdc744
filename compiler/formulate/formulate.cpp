// SPDX-License-Identifier: Apache-2.0
// Which form a kernel has: lanes where the system is long and thin, unrolled where it is small, loops elsewhere.
#include "compiler/formulate/formulate.h"

#include <algorithm>
#include <string_view>

#include "compiler/formulate/inertia_rows.h"
#include "compiler/formulate/kernel_builder.h"
#include "compiler/formulate/looped/looped.h"
#include "compiler/formulate/unrolled/unrolled.h"
#include "compiler/lower/baumgarte.h"
#include "kernel/interpreter.h"

namespace mbc::formulate {

namespace {

std::uint64_t unrolled_size(const System& system) {
  std::uint64_t size = 0;
  for (const Part& p : system.parts)  // tests do not change how a motion is computed
    if (std::string_view(p.what) != "watched")
      size += static_cast<std::uint64_t>(p.family.shape.graph.size()) * p.family.count;
  return size / 4;  // shared subexpressions and small nodes
}

bool worth_unrolling(const KernelBuilder& b) {
  const System& system = b.system();
  const std::uint64_t limit = b.options().unrolled_limit;
  const MassPattern mass = with_rows(b.pattern().mass, b.pattern().row_columns, b.inertia_rows());
  return unrolled_cost(system.n_rows, b.pattern().row_columns, mass, limit) + unrolled_size(system) <= limit;
}

bool holds(const graph::Graph& g, NodeId value, std::initializer_list<LeafKind> kinds) {
  for (NodeId id : graph::leaves(g, {&value, 1}))
    for (LeafKind kind : kinds)
      if (g.node(id).leaf == kind) return true;
  return false;
}

// Nothing where lanes were tried in vain: too many templates, a mass that is not positive.
std::optional<Formulated> formulate_once(const System& system, const FormulateOptions& options, bool with_lanes) {
  KernelBuilder builder(system, options);
  const std::optional<LaneChoice> lanes = with_lanes ? choose_lanes(builder) : std::nullopt;
  builder.out().unrolled = !lanes && worth_unrolling(builder);
  if (builder.out().unrolled)
    UnrolledKernel(builder).build();
  else
    LoopedKernel(builder).build(lanes);
  if (lanes && !builder.layout().laned && builder.out().too_large.empty()) return std::nullopt;
  return builder.take();
}

}  // namespace

SystemFacts facts_of(const System& system) {
  SystemFacts facts;
  facts.linear_rows = system.linear_rows;
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

Formulated formulate(const System& system, const FormulateOptions& options) {
  if (options.baumgarte && !system.gains) return formulate(lower::with_baumgarte(system), options);
  std::optional<Formulated> made = formulate_once(system, options, options.lanes);
  if (!made) made = formulate_once(system, options, false);
#ifndef NDEBUG
  kernel::require_verified(made->kernel);
#endif
  return std::move(*made);
}

}  // namespace mbc::formulate
