// SPDX-License-Identifier: Apache-2.0
// The parts of the standard library, from the index of its texts.
#include "mbc/source_index.h"
#include "mbc/texts.h"

namespace mbc {

namespace {

std::vector<LibraryPart> find_parts() {
  std::vector<LibraryPart> out;
  for (const LibraryModule& module : library_modules()) {
    const Model model = Model::from_string(module.text, module.name + ".mbd", {.interpret = true, .cache = false});
    const Result<SourceIndex> index = source_index(model);
    if (!index) continue;
    for (const IndexSymbol& s : index->symbols) {
      const bool part = s.kind == SymbolKind::function || s.kind == SymbolKind::joint || s.kind == SymbolKind::model ||
                        s.kind == SymbolKind::value;
      if (!part || s.owner != kNoSymbol || s.place.file != 0) continue;
      LibraryPart made{module.name, s, {}};
      for (const std::uint32_t id : s.arguments) made.arguments.push_back(index->symbols[id]);
      out.push_back(std::move(made));
    }
  }
  return out;
}

}  // namespace

const std::vector<LibraryPart>& library_parts() {
  static const std::vector<LibraryPart> parts = find_parts();
  return parts;
}

}  // namespace mbc
