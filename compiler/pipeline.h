// SPDX-License-Identifier: Apache-2.0
// Text to kernel, top to bottom: the table of contents of the compiler. Each pass is one call, timed; the result of
// each is kept and can be printed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "compiler/ast/ast.h"
#include "compiler/formulate/formulate.h"
#include "compiler/lower/momenta.h"
#include "compiler/lower/system.h"
#include "compiler/sema/elaborate.h"

namespace mbc {

struct PassTime {
  std::string name;
  double seconds = 0;
  bool background = false;  // on a thread of its own, while something else went on
};

// What `mbc sweep` was given: names and texts as written.
struct SweepTexts {
  std::string name;
  std::vector<std::string> vary;    // "k = 1 .. 2 step 0.1"
  std::vector<std::string> record;  // "max_over(bead.z)"
};

struct PipelineOptions {
  std::vector<std::string> set;  // "path = expression"
  sema::Library library;         // where `use` finds files and modules
  sema::Structure structure;
  formulate::FormulateOptions formulate;
  std::optional<SweepTexts> sweep;
};

// Models of more coordinates are large: they are looked after where they take memory.
inline constexpr std::size_t kManyCoordinates = 10'000;

// One compilation; stages after a failed one are empty. ok() says whether the kernel is there.
struct Compilation {
  SourceSet sources;
  Sink sink;
  ast::File file;
  sema::ModuleSet modules;                // what it uses
  std::vector<ast::File> override_files;  // the parsed values of --set
  std::vector<sema::Override> overrides;  // what they set
  std::vector<ast::File> sweep_files;     // the parsed texts of a sweep
  sema::Model model;
  lower::System system;
  formulate::Formulated formulated;
  std::optional<lower::Momenta> momenta;  // found when first asked for
  bool large = false;                     // the passes give memory back to the system between them
  Span too_many_at;                       // the first row beyond what is solved as a full matrix, or the last one
  std::vector<PassTime> times;

  [[nodiscard]] bool ok() const { return !sink.has_errors(); }
};

// `text` under `name`; the result owns everything.
Compilation compile(std::string name, std::string text, const PipelineOptions& options);
// Its two halves: to the system, and from there to the kernel, which looks at nothing else.
Compilation analyse(std::string name, std::string text, const PipelineOptions& options);
void add_kernel(Compilation& compilation, const formulate::FormulateOptions& options);

// Gives memory that a large model no longer needs back to the system.
void trim(const Compilation& compilation);

// Reports what was too large to be formulated.
void check_size(Compilation& compilation);

// The conserved momenta of the model; those that a formulation takes as rows.
const lower::Momenta& momenta_of(Compilation& compilation);
std::vector<lower::MomentumDirection> momenta_for(Compilation& compilation, const formulate::Formulation& method);

}  // namespace mbc
