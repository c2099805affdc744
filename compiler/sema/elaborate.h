// SPDX-License-Identifier: Apache-2.0
// Elaborates a syntax tree to a model.
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

// The names of the sources of such texts begin with these words, then the path.
inline constexpr const char* kSetSource = "--set ";
inline constexpr const char* kInputSource = "--input ";  // of `input.u`

// `--set PATH=VALUE`: a parameter (`R`), an argument of an instance (`long.L`), or a setting (`demo.time.end`).
struct Override {
  std::string path;
  const ast::Expr* value = nullptr;
  Span span;
  mutable bool used = false;
};

// An expression that is evaluated in the scope of the finished model (the REPL's `p.z`). A queried model may have no
// particles.
struct Query {
  const ast::Shown* expression = nullptr;
  Value answer;  // in the unit that the expression names
};

// The request of `mbc sweep`: the block, and what is varied and recorded besides its text.
struct SweepRequest {
  std::string name;  // of a `sweep` block, or, with ranges of its own, of a `simulate` block; "": the only one
  std::vector<const ast::Setting*> vary;
  std::vector<const ast::Shown*> records;
  std::vector<std::string> fixed;  // quantities that shape the model and have their value in these members from `--set`
};

// The choices that shape the model besides its text: the `simulate` block whose `bodies` and input signals are used
// ("": the first), or the representation itself.
struct Structure {
  std::string simulation;
  std::optional<Representation> bodies;
  const SweepRequest* sweep = nullptr;
  std::optional<std::vector<std::string>> inputs{};  // inputs with a signal from the block; unset: all that it gives
  std::vector<std::string> data{};  // arguments of instances that a host will set, besides those set or varied
  bool bodies_alike = false;        // `bodies` replaces the `coordinates` of every free body
};

// Returns the model as far as it was understood even if errors were reported; use it only if sink.has_errors() is
// false. Data files that the model names are added to `sources`. `observed` receives the types of the expressions;
// their nodes are those of the returned model.
Model elaborate(const ast::File& file, SourceSet& sources, const ModuleSet& modules,
                const std::vector<Override>& overrides, Sink& sink, std::vector<Query>* queries = nullptr,
                const Structure& structure = {}, Observed* observed = nullptr);

// A model that stays open: expressions are evaluated in the scope of its file, one by one, and nothing else is
// elaborated. It keeps everything that it was made from.
class OpenModel {
 public:
  // Returns null if the model has mistakes, and adds them to `sink`. `asked` is answered as a part of the model: it may
  // ask for multipliers of rows that a tree replaces, which are made for what the model asks alone.
  [[nodiscard]] static std::unique_ptr<OpenModel> open(const ast::File& file, SourceSet& sources,
                                                       const ModuleSet& modules, const std::vector<Override>& overrides,
                                                       const Structure& structure, Sink& sink, Query* asked = nullptr);
  OpenModel(const OpenModel&) = delete;
  OpenModel& operator=(const OpenModel&) = delete;
  ~OpenModel();

  // `expression` is in a text of `sources` and outlives the answer. Mistakes go to `sink`. Nodes are added to model().
  [[nodiscard]] Value answer(const ast::Shown& expression, Sink& sink);
  [[nodiscard]] const Model& model() const;

 private:
  struct Impl;
  explicit OpenModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Returns why a matrix of 2 x 2 or 3 x 3 entries is no rotation; "" if it is one.
std::string not_a_rotation_because(const std::vector<double>& R);
// Checks the entries at the present values of the parameters. A rotation that depends on parameters is kept, to check
// other values of them.
std::string check_constant_rotation(Model& model, const std::vector<NodeId>& R, const std::string& what, Span span);

// Returns the values of all parameters, in order; `set` replaces some by (index, value).
std::vector<double> parameter_values(const Model& model, const std::vector<std::pair<std::uint32_t, double>>& set = {});
// Returns the values of constant expressions for given parameters.
std::vector<double> constant_values(const Model& model, const std::vector<NodeId>& nodes,
                                    const std::vector<double>& params);

}  // namespace mbc::sema
