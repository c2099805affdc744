// SPDX-License-Identifier: Apache-2.0
// `mbc equilibrium`: where a model rests.
#include "api/report/answers.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

int find_equilibrium(const Options& options) {
  const Model model = load_model(options, true);
  Report(options).compiled(model);
  if (!model.ok()) return without_model(options, model);
  if (!has_block(options, model)) return kModelError;
  Result<Simulation> simulation = Simulation::create(model, options.simulation);
  if (!simulation) return without_answer(options, simulation.error());
  EquilibriumOptions wanted;
  wanted.starts = options.starts;
  wanted.seed = options.seed;
  const Result<EquilibriumReport> found = simulation->equilibrium(wanted);
  if (!found) return without_answer(options, found.error());
  if (options.print_json) return print_output(api::equilibrium_json(*found));
  return print_output(api::equilibrium_text(*found, shown_name(options.file)));
}

}  // namespace mbc::tools
