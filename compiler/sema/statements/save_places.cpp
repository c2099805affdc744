// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/save_places.h"

#include <filesystem>

#include "base/row_format.h"
#include "base/text.h"
#include "compiler/sema/confined_path.h"

namespace mbc::sema {

namespace fs = std::filesystem;

namespace {

// Returns whether the path is one of the files that the model was read from.
bool is_source(const std::string& path, const SourceSet& sources) {
  for (std::uint32_t k = 0; k < sources.size(); ++k) {
    std::error_code none;  // equivalent() fails for a text that is no file
    if (fs::equivalent(path, sources[k].name(), none)) return true;
  }
  return false;
}

}  // namespace

void find_save_places(Model& model, const SourceSet& sources, const ModuleSet& modules, Sink& sink) {
  for (Simulation& s : model.simulations) {
    if (s.save.empty() || !s.save_span.known()) continue;
    const auto refuse = [&](const std::string& why) -> Diagnostic& {
      return sink.report(Kind::save_place, s.save_span, printable(s.save), why);
    };
    const std::string& folder = modules.folder();
    const std::optional<std::string> path = confined_path(s.save, folder, folder);
    if (!path) {
      refuse(kNotConfined).hint("name a file in it or below, or leave `save` out and write `mbc run -o FILE.csv`");
    } else if (is_source(*path, sources)) {
      refuse("the model is read from this file").hint("name another file, that ends in .csv");
    } else if (is_hidden(fs::path(s.save).lexically_normal().string())) {
      refuse(kHidden).hint("name a file that ends in .csv");
    } else if (!names_rows(*path)) {
      refuse(ending_of(*path).empty() ? kNoEnding : kNoSuchFormat).hint("name a file that ends in .csv");
    } else {
      s.save = *path;
    }
  }
}

}  // namespace mbc::sema
