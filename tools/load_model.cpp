// SPDX-License-Identifier: Apache-2.0
// Loads the model that the command line names, and begins its motion.
#include <algorithm>
#include <filesystem>
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
  if (options.imported) {
    compile.folder = std::filesystem::path(options.file).parent_path().string();
    return Model::from_string(*options.imported, options.file + " as a model", compile);
  }
  if (options.file != "-") return Model::from_file(options.file, compile);
  return Model::from_string(piped_model(), "<stdin>", compile);
}

bool sets_its_block(const Options& options, const std::string& runs, const std::string& piped) {
  const auto has_path = [](const std::string& set) { return set.find('.') < set.find('='); };
  if (std::none_of(options.set.begin(), options.set.end(), has_path)) return true;
  Options looks = options;
  looks.simulation = runs;
  const Model model =
      options.file == "-" ? Model::from_string(piped, "<stdin>", compile_options(options)) : load_model(options, true);
  return !model.ok() || sets_its_block(looks, model);
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
