// SPDX-License-Identifier: Apache-2.0
#include "api/model/questions.h"

#include <utility>

#include "base/diagnostics/render.h"
#include "compiler/parse/parse.h"

namespace mbc::api {

Error not_an_expression(const Sink& sink, const SourceSet& sources, bool colour) {
  Error error{ErrorCode::invalid_argument, "not an expression"};
  if (!sink.has_errors()) return error;
  error.message = render_text(sink, sources, {colour});
  if (error.message.ends_with('\n')) error.message.pop_back();
  for (const Diagnostic& d : sink.sorted()) error.diagnostics.push_back(to_info(d, sources));
  return error;
}

const ast::Expr* only_expression(const ast::File& file) {
  const ast::Expr* found = nullptr;
  for (const ast::StmtPtr& s : file.statements) {
    const auto* e = std::get_if<ast::ExprStmt>(&s->node);
    if (!e || found) return nullptr;
    found = e->value.get();
  }
  return found;
}

Questions::Questions(const Compilation& c, std::vector<std::string> parameters, bool colour)
    : colour_(colour), sources_(c.sources) {
  sema::Structure structure{c.model.signals.block, c.model.bodies_default, nullptr, c.model.signals.inputs,
                            std::move(parameters)};
  model_ = sema::OpenModel::open(c.file, sources_, c.modules, c.overrides, structure);
}

Result<sema::Value> Questions::ask(const std::string& expression) {
  const std::uint32_t file = sources_.add("<input>", expression);
  Sink sink;
  asked_.push_back(parse(sources_, file, ParseMode::repl, sink));
  const ast::Expr* written = only_expression(asked_.back());
  if (sink.has_errors() || !written) return not_an_expression(sink, sources_, colour_);
  sema::Value value = model_->answer(*written, sink);
  if (!sink.has_errors() && value.nodes.empty())
    sink.report(Kind::not_a_value, written->span, sema::describe_shape(value.type.shape));
  if (sink.has_errors()) return not_an_expression(sink, sources_, colour_);
  return value;
}

}  // namespace mbc::api
