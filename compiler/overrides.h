// SPDX-License-Identifier: Apache-2.0
// The texts that the command line adds to a model: `--set NAME=VALUE`, and the `--vary` and `--record` of a sweep. Each
// text is parsed as a source of its own, so that its mistakes are shown in it.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "compiler/ast/ast.h"
#include "compiler/sema/elaborate.h"

namespace mbc {

// The arguments of `mbc sweep`: names and texts as written.
struct SweepTexts {
  std::string name;
  std::vector<std::string> vary;     // "k = 1 .. 2 step 0.1"
  std::vector<std::string> record;   // "max_over(bead.z)"
  std::vector<std::string> fixed{};  // names with a value from `--set` for the members at hand
};

// The trees are put into `files`, which has to live as long as the result, since that points into them. Mistakes are
// reported.
std::vector<sema::Override> parse_overrides(const std::vector<std::string>& set, SourceSet& sources, Sink& sink,
                                            std::vector<ast::File>& files);
sema::SweepRequest parse_sweep(const SweepTexts& texts, SourceSet& sources, Sink& sink, std::vector<ast::File>& files);

}  // namespace mbc
