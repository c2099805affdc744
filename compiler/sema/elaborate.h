// SPDX-License-Identifier: Apache-2.0
// Syntax tree to model.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "compiler/ast/ast.h"
#include "compiler/sema/model.h"
#include "compiler/sema/modules.h"
#include "compiler/sema/names.h"
#include "compiler/sema/observed.h"

namespace mbc::sema {

// How the source of such a text is called, before its path.
inline constexpr const char* kSetSource = "--set ";
inline constexpr const char* kInputSource = "--input ";  // of `input.u`

// `--set PATH=VALUE`: a parameter (`R`), an argument of an instance (`long.L`), or a setting (`demo.time.end`).
struct Override {
  std::string path;
  const ast::Expr* value = nullptr;
  Span span;
  mutable bool used = false;
};

// Expressions evaluated in the scope of the finished model (the REPL's `p.z`); a model queried may be without
// particles.
struct Query {
  const ast::Expr* expression = nullptr;
  Value answer;
};

// `mbc sweep`: which block, and what is varied and recorded besides what it says.
struct SweepRequest {
  std::string name;  // of a `sweep` block, or, with ranges of its own, of a `simulate` block; "": the only one
  std::vector<const ast::Setting*> vary;
  std::vector<const ast::Expr*> records;
  std::vector<std::string> fixed;  // what shapes the model, and has its value in these members from `--set`
};

// What shapes the model besides its text: the `simulate` block whose `bodies` and signals of inputs count ("": the
// first), or the representation itself.
struct Structure {
  std::string simulation;
  std::optional<Representation> bodies;
  const SweepRequest* sweep = nullptr;
  std::optional<std::vector<std::string>> inputs{};  // that have their signal from the block; unset: all it says
  std::vector<std::string> data{};  // arguments of instances that a host will set, besides those set or varied
  bool bodies_alike = false;        // bodies that name coordinates of their own have those of `bodies` as well
};

// What could be understood is returned even when errors were reported; use it only when sink.has_errors() is false.
// Data files that the model names are added to `sources`. `observed` is told what the expressions were found to be;
// nodes are those of the model that is returned.
Model elaborate(const ast::File& file, SourceSet& sources, const ModuleSet& modules,
                const std::vector<Override>& overrides, Sink& sink, std::vector<Query>* queries = nullptr,
                const Structure& structure = {}, Observed* observed = nullptr);

// A model that stays open: expressions are evaluated in the scope of its file, one after the other, and nothing but
// them is elaborated. It holds on to all that it was made of.
class OpenModel {
 public:
  // Null where the model has mistakes.
  [[nodiscard]] static std::unique_ptr<OpenModel> open(const ast::File& file, SourceSet& sources,
                                                       const ModuleSet& modules, const std::vector<Override>& overrides,
                                                       const Structure& structure);
  OpenModel(const OpenModel&) = delete;
  OpenModel& operator=(const OpenModel&) = delete;
  ~OpenModel();

  // The expression is a text of `sources`, which lives as long. Mistakes go to `sink`. Nodes are added to model().
  [[nodiscard]] Value answer(const ast::Expr& expression, Sink& sink);
  [[nodiscard]] const Model& model() const;

 private:
  struct Impl;
  explicit OpenModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Why a matrix of 2 x 2 or 3 x 3 entries is no rotation; "" when it is one.
std::string not_a_rotation_because(const std::vector<double>& R);
// The same at their present values; what is one, and holds parameters, is kept for other values of them.
std::string check_constant_rotation(Model& model, const std::vector<NodeId>& R, const std::string& what, Span span);

// Values of all parameters, in order; `set` replaces some by (index, value).
std::vector<double> parameter_values(const Model& model, const std::vector<std::pair<std::uint32_t, double>>& set = {});
// Value of constant expressions at given parameter values.
std::vector<double> constant_values(const Model& model, const std::vector<NodeId>& nodes,
                                    const std::vector<double>& params);

}  // namespace mbc::sema
