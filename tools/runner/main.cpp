// SPDX-License-Identifier: Apache-2.0
// The program that executables of models are copies of (`mbc compile model.mbd -o model --emit exe`): `mbc run` of the
// model it contains, with the native code it contains. It needs only the C library and its mathematics.
#include <malloc.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "api/prebuilt/prebuilt.h"
#include "base/read_file.h"
#include "base/text.h"
#include "tools/commands.h"
#include "tools/link/executable.h"
#include "tools/options.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

const Embedded* held = nullptr;  // during the life of the program

std::string name_of(const std::string& setting) { return trimmed(setting.substr(0, setting.find('='))); }

// Settings of the user replace those of the executable.
std::vector<std::string> settings(const std::vector<std::string>& given) {
  std::vector<std::string> all;
  for (const std::string& s : held->set)
    if (std::none_of(given.begin(), given.end(), [&](const std::string& g) { return name_of(g) == name_of(s); }))
      all.push_back(s);
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

int answer(int argc, char** argv) {
  std::string bytes, error;
  std::optional<Embedded> embedded;
  if (read_file("/proc/self/exe", bytes, error, std::numeric_limits<std::size_t>::max())) embedded = embedded_in(bytes);
  bytes = {};
  if (!embedded) {
    print_error("mbc: this program holds no model: `mbc compile model.mbd -o model --emit exe` makes one that does\n");
    return kUsage;
  }
  held = &*embedded;
  CommandLine line = parse_program_line(argc, argv, embedded->name);
  if (!line.options && line.exit_code == kOk) return print_output(line.text);
  if (!line.options) {
    print_error(line.text);
    return line.exit_code;
  }
  if (line.options->simulation.empty()) line.options->simulation = embedded->simulation;
  line.options->set = settings(line.options->set);
  if (!line.options->interpret && !prebuilt::use(embedded->code, embedded->features, error))
    Report(*line.options).failure("no_native_code", "the model is interpreted: " + error);
  embedded->code = {};
  return run_model(*line.options);
}

}  // namespace

Model load_model(const Options& options, bool interpret) {
  CompileOptions compile;
  compile.set = options.set;
  compile.interpret = interpret;
  compile.native_at_once = options.native;
  compile.cache = false;
  compile.colour = options.colour && !options.json;
  compile.folder = ".";  // `save` writes to this folder
  compile.loader = [](const std::string& file) -> std::optional<std::string> {
    const auto found = std::find(held->file_names.begin(), held->file_names.end(), file);
    if (found == held->file_names.end()) return std::nullopt;
    return held->file_texts[static_cast<std::size_t>(found - held->file_names.begin())];
  };
  return Model::from_string(held->text, held->name, compile);
}

}  // namespace mbc::tools

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mbc::tools::prepare_streams();
  try {
    return mbc::tools::answer(argc, argv);
  } catch (const std::exception& e) {
    mbc::tools::print_error(std::string("mbc: internal error: ") + e.what() + "\n");
  }
  return mbc::tools::kInternalError;
}
