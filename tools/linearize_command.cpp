// SPDX-License-Identifier: Apache-2.0
// `mbc linearize`: the linear model at a state.
#include "api/report/answers.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/streams.h"

namespace mbc::tools {

int linearize_model(const Options& options) {
  LinearizeOptions wanted;
  wanted.at = options.at_time;
  wanted.equilibrium = options.at_equilibrium;
  return at_a_state(options, [&](Simulation& simulation) {
    const Result<LinearModel> made = simulation.linearize(wanted);
    if (!made) return without_answer(options, made.error());
    if (options.print_json) return print_output(api::linear_json(*made));
    if (options.matrices) return print_output(api::linear_csv(*made));
    return print_output(api::linear_text(*made, shown_name(options.file)));
  });
}

}  // namespace mbc::tools
