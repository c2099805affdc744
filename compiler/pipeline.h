// SPDX-License-Identifier: Apache-2.0
// From text to kernel: the table of contents of the compiler. Each pass is one timed call; its result is kept and can
// be printed.
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
#include "compiler/overrides.h"
#include "compiler/sema/elaborate.h"

namespace mbc {

struct PassTime {
  std::string name;
  double seconds = 0;
  bool background = false;  // on a thread of its own, beside other work
};

struct PipelineOptions {
  std::vector<std::string> set;  // "path = expression"
  sema::Library library;         // where `use` finds files and modules
  sema::Structure structure;
  formulate::FormulateOptions formulate;
  std::optional<SweepTexts> sweep;
  sema::Observed* observed = nullptr;  // receives the kinds of the expressions
};

// Models with more coordinates count as large; the passes then give memory back between them.
inline constexpr std::size_t kManyCoordinates = 10'000;

// One compilation. The stages after a failed one are empty; ok() tells whether the kernel is there.
struct Compilation {
  SourceSet sources;
  Sink sink;
  ast::File file;
  sema::ModuleSet modules;                // the modules it uses
  std::vector<ast::File> override_files;  // the parsed values of --set
  std::vector<sema::Override> overrides;  // the settings they make
  std::vector<ast::File> sweep_files;     // the parsed texts of a sweep
  sema::Model model;
  lower::System system;
  formulate::Formulated formulated;
  std::optional<lower::Momenta> momenta;  // found when first asked for
  bool large = false;                     // the passes give memory back to the system between them
  Span too_many_at;                       // the first row beyond the limit for a full matrix, or the last one
  std::vector<PassTime> times;

  [[nodiscard]] bool ok() const { return !sink.has_errors(); }
};

// The passes, in order. A host that runs a model calls them one by one: after the first it takes from the model what a
// run needs, and may then drop the tree and the model.
//
// 1. From `text` under `name` to the system of equations: parse, elaborate, lower. The result owns everything.
Compilation analyse(std::string name, std::string text, const PipelineOptions& options);
// 2. Chooses the equations that a `simulate` block wants: its formulation, the momenta that this keeps, Baumgarte's
// terms. It reads the model only if momenta are kept that are not known yet.
void choose_equations(Compilation& compilation, const sema::Simulation& run, formulate::FormulateOptions& options);
// 3. From the system, which is all it reads, to the kernel.
void add_kernel(Compilation& compilation, const formulate::FormulateOptions& options);

// Passes 1 and 3, with the equations that `options` names.
Compilation compile(std::string name, std::string text, const PipelineOptions& options);

// Returns the block that shapes a model: the one of this name, else the first one; null if there is none.
const sema::Simulation* shaping_block(const std::vector<sema::Simulation>& runs, const std::string& name);

// Gives memory that a large model no longer needs back to the system.
void trim(const Compilation& compilation);

// Reports a model that is too large to be formulated.
void check_size(Compilation& compilation);

// Return the conserved momenta of the model, and those that a formulation takes as rows.
const lower::Momenta& momenta_of(Compilation& compilation);
std::vector<lower::MomentumDirection> momenta_for(Compilation& compilation, const formulate::Formulation& method);

}  // namespace mbc
