// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions in one model, one after the other: the model stays open, and only the expression is elaborated.
#pragma once
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "compiler/ast/ast.h"
#include "compiler/pipeline.h"
#include "compiler/sema/elaborate.h"
#include "mbc/result.h"

namespace mbc::api {

// After this many expressions the model is opened anew, because each leaves its text and its nodes behind.
inline constexpr std::size_t kMostQuestions = 1000;

struct Answer {
  sema::Value value;
  std::string unit{};  // of `hinge.angle in [deg]`; "": SI
};

class Questions {
 public:
  // Reads `compilation` during its lifetime: its tree, modules and overrides. open() returns false if the model cannot
  // be opened because it has errors.
  Questions(const Compilation& compilation, std::vector<std::string> parameters, bool colour);

  [[nodiscard]] bool open() const { return model_ != nullptr; }
  [[nodiscard]] bool tired() const { return asked_.size() >= kMostQuestions; }
  // Nodes of model(), or a message of the compiler if the text is no expression or has no value.
  [[nodiscard]] Result<Answer> ask(const std::string& expression);
  [[nodiscard]] const sema::Model& model() const { return model_->model(); }

 private:
  sema::Value ask_as_part(const ast::Shown& expression, Sink& said);

  bool colour_;
  const Compilation& compilation_;
  sema::Structure structure_;
  SourceSet sources_;
  std::list<ast::File> asked_;
  std::unique_ptr<sema::OpenModel> model_;
};

// Returns the answer with the unit that the expression names.
[[nodiscard]] Answer answer_of(const ast::Shown& expression, sema::Value value, const SourceSet& sources);
// Returns the compiler's message for a text that is not an expression with a value.
[[nodiscard]] Error not_an_expression(const Sink& sink, const SourceSet& sources, bool colour);
// Returns the only expression of the tree; null if the tree is anything else.
[[nodiscard]] const ast::Shown* only_expression(const ast::File& file);

}  // namespace mbc::api
