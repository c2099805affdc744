// SPDX-License-Identifier: Apache-2.0
// Refuses what cannot be run, and runs the rest.
#include "runtime/run/simulate.h"

#include "kernel/limits.h"
#include "runtime/equations/user_place.h"
#include "runtime/equations/watched.h"
#include "runtime/run/run.h"

namespace mbc::runtime {

namespace {

// Builds the diagnostic for a model that is too large for the literal formulation or for partitioning, which factorise
// all rows as a full matrix.
RunData needs_full_matrix(const problem::Problem& info, const SimulateOptions& options) {
  RunData data;
  data.status = RunStatus::stopped;
  data.reached = options.begin;
  data.diagnostic =
      diagnostic_of(Kind::too_many_rows, {},
                    {std::to_string(info.rows.size()),
                     std::string(options.literal ? "`udwadia_kalaba(literal)`" : "`stabilise = partition`") +
                         " works on a full matrix, of at most " + std::to_string(kernel::kMaxDenseRows) + " rows"});
  if (!info.rows.empty()) point_at_row(*data.diagnostic, info, info.rows.size() - 1);
  return data;
}

}  // namespace

RunData simulate(Equations& equations, const problem::Problem& info, const SimulateOptions& options,
                 std::vector<double>& y, const Recorder& record) {
  if (equations.beyond_dense() && (options.literal || options.stabilisation == Stabilisation::partition))
    return needs_full_matrix(info, options);
  const Watched watched(equations, options.stop);
  return Run(equations, info, options, y, record).run();
}

}  // namespace mbc::runtime
