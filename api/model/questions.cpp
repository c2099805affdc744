// SPDX-License-Identifier: Apache-2.0
#include "api/model/questions.h"

#include <algorithm>
#include <utility>

#include "base/diagnostics/render.h"
#include "base/text.h"
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

const ast::Shown* only_expression(const ast::File& file) {
  const ast::Shown* found = nullptr;
  for (const ast::StmtPtr& s : file.statements) {
    const auto* e = std::get_if<ast::ExprStmt>(&s->node);
    if (!e || found) return nullptr;
    found = &e->shown;
  }
  return found;
}

Answer answer_of(const ast::Shown& expression, sema::Value value, const SourceSet& sources) {
  if (!expression.unit) return {std::move(value)};
  std::string_view text = sources.text(expression.unit->span);
  if (text.starts_with('[')) text.remove_prefix(1);
  if (text.ends_with(']')) text.remove_suffix(1);
  return {std::move(value), trimmed(text)};
}

Questions::Questions(const Compilation& c, std::vector<std::string> parameters, bool colour)
    : colour_(colour),
      compilation_(c),
      structure_{c.model.signals.block, c.model.bodies_default, nullptr, c.model.signals.inputs, std::move(parameters)},
      sources_(c.sources) {
  Sink sink;
  model_ = sema::OpenModel::open(c.file, sources_, c.modules, c.overrides, structure_, sink);
}

Result<Answer> Questions::ask(const std::string& expression) {
  const std::uint32_t file = sources_.add("<input>", expression);
  Sink sink;
  asked_.push_back(parse(sources_, file, ParseMode::repl, sink));
  const ast::Shown* written = only_expression(asked_.back());
  if (sink.has_errors() || !written) return not_an_expression(sink, sources_, colour_);
  Sink said;
  sema::Value value = model_->answer(*written, said);
  const auto of_gone_row = [](const Diagnostic& d) { return d.kind == Kind::row_of_tree; };
  if (std::ranges::any_of(said.sorted(), of_gone_row)) value = ask_as_part(*written, said);
  for (const Diagnostic& d : said.sorted()) sink.add(d);
  if (!sink.has_errors() && value.nodes.empty())
    sink.report(Kind::not_a_value, written->value->span, sema::describe_shape(value.type.shape));
  if (sink.has_errors()) return not_an_expression(sink, sources_, colour_);
  return answer_of(*written, std::move(value), sources_);
}

// The model is opened anew with the expression as a part of it.
sema::Value Questions::ask_as_part(const ast::Shown& expression, Sink& said) {
  const Compilation& c = compilation_;
  sema::Query query{&expression, {}};
  said.clear();
  auto opened = sema::OpenModel::open(c.file, sources_, c.modules, c.overrides, structure_, said, &query);
  if (opened) model_ = std::move(opened);
  return query.answer;
}

}  // namespace mbc::api
