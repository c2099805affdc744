// SPDX-License-Identifier: Apache-2.0
// Chooses the form of a kernel: lanes for long and thin systems, unrolled for small ones, loops for all others.
#include "compiler/formulate/formulate.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "compiler/formulate/builder/kernel_builder.h"
#include "compiler/formulate/looped/looped.h"
#include "compiler/formulate/unrolled/unrolled.h"
#include "compiler/lower/baumgarte.h"
#include "kernel/interpreter.h"

namespace mbc::formulate {

namespace {

// Returns whether articulated inertias solve the motion. Then loops gain something only where families repeat: nothing
// else is solved by a call.
bool is_tree(const System& system) {
  const auto of_tree = [](const Part& p) { return !p.links.empty(); };
  return system.n_rows == 0 && std::ranges::any_of(system.parts, of_tree);
}

std::uint64_t unrolled_size(const System& system) {
  const std::uint32_t least = is_tree(system) ? 2 : 1;
  std::uint64_t size = 0;
  for (const Part& p : system.parts)  // tests do not change the computation of a motion
    if (std::string_view(p.what) != "watched" && p.family.count >= least)
      size += static_cast<std::uint64_t>(p.family.shape.graph.size()) * p.family.count;
  return size / 4;  // shared subexpressions and small nodes
}

bool worth_unrolling(const KernelBuilder& b) {
  const System& system = b.system();
  const std::uint64_t limit = b.options().unrolled_limit;
  const MassPattern mass = with_rows(b.pattern().mass, b.pattern().row_columns, b.inertia_rows());
  return unrolled_cost(system.n_rows, b.pattern().row_columns, mass, limit) + unrolled_size(system) <= limit;
}

// Returns nothing if lanes were tried without success: too many templates, or a mass that is not positive.
std::optional<Formulated> formulate_once(const System& system, const FormulateOptions& options, bool with_lanes) {
  KernelBuilder builder(system, options);
  const std::optional<LaneChoice> lanes = with_lanes ? choose_lanes(builder) : std::nullopt;
  builder.out().unrolled = !lanes && worth_unrolling(builder);
  if (builder.out().unrolled)
    UnrolledKernel(builder).build();
  else
    build_looped(builder, lanes);
  if (lanes && !builder.layout().laned && builder.out().too_large.empty()) return std::nullopt;
  return builder.take();
}

}  // namespace

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
