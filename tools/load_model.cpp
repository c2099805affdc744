// SPDX-License-Identifier: Apache-2.0
// Loads the model that the command line names, and begins its motion.
#include <optional>
#include <string>

#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

CompileOptions compile_options(const Options& options) {
  CompileOptions compile;
  compile.set = options.set;
  compile.stdlib = options.stdlib;
  compile.interpret = options.interpret;
  compile.native_at_once = options.native;
  compile.cache = !options.no_cache;
  compile.colour = options.colour && !options.json;
  if (options.file == "-") compile.folder = ".";
  return compile;
}

std::string piped_model() {
  std::string error;
  const std::optional<std::string> text = read_standard_input(error);
  if (!text) print_error("mbc: " + error + "\n");
  return text.value_or("");
}

Model load_model(const Options& options, bool interpret) {
  CompileOptions compile = compile_options(options);
  compile.interpret = interpret;
  if (options.file != "-") return Model::from_file(options.file, compile);
  return Model::from_string(piped_model(), "<stdin>", compile);
}

int at_a_state(const Options& options, const std::function<int(Simulation&)>& answer) {
  const Model model = load_model(options, true);
  Report(options).compiled(model);
  if (!model.ok()) return without_model(options, model);
  if (!has_block(options, model)) return kModelError;
  if (!sets_its_block(options, model)) return kUsage;
  Result<Simulation> simulation = Simulation::create(model, options.simulation);
  return simulation ? answer(*simulation) : without_answer(options, simulation.error());
}

}  // namespace mbc::tools
