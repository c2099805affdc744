// SPDX-License-Identifier: Apache-2.0
// `mbc equilibrium`: where a model rests.
#include "api/report/answers.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/streams.h"

namespace mbc::tools {

int find_equilibrium(const Options& options) {
  EquilibriumOptions wanted;
  wanted.starts = options.starts;
  wanted.seed = options.seed;
  return at_a_state(options, [&](Simulation& simulation) {
    const Result<EquilibriumReport> found = simulation.equilibrium(wanted);
    if (!found) return without_answer(options, found.error());
    if (options.print_json) return print_output(api::equilibrium_json(*found));
    return print_output(api::equilibrium_text(*found, shown_name(options.file)));
  });
}

}  // namespace mbc::tools
