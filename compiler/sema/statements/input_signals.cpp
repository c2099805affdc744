// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/input_signals.h"

#include <algorithm>

#include "base/text.h"

namespace mbc::sema {

using Method = kernel::DataTable::Method;

namespace {

const ast::Call* table_call(const ast::Expr& e) {
  const auto* call = std::get_if<ast::Call>(&e.node);
  const auto* callee = call ? std::get_if<ast::Name>(&call->callee->node) : nullptr;
  return callee && callee->text == "table" ? call : nullptr;
}

}  // namespace

std::optional<InputSignal> read_signal(const ast::Expr& e, const std::string& input, const Scope& scope,
                                       Evaluator& evaluator, Sink& sink) {
  InputSignal out;
  const ast::Call* table = table_call(e);
  if (!table) {
    out.value = evaluator.evaluate(e, scope);
    out.type = out.value.type;
  } else {
    const std::optional<TablePoints> points =
        evaluator.tables().points(*table, e.span, scope, {Method::hold, input}, out.value);
    if (!points) return {};
    out.type = points->value;
    out.angle = points->angle;
    if (points->data->method() == Method::hold) {
      out.samples = points->data;
      if (evaluator.is_time(out.value)) return out;
      return mbc::refuse(sink, Kind::input_samples, table->args[0].value->span, printable(input));
    }
    if (points->data->method() == Method::linear && evaluator.is_time(out.value)) out.kinks = points->data;
    out.value = evaluator.tables().at(*points, out.value, e.span);
  }
  const std::string what = "the signal of the input " + quoted(input);
  if (!evaluator.expect_scalar(out.value, what)) return {};
  out.angle = out.value.angle || evaluator.moves_with_model(out.value);
  return out;
}

std::vector<std::string> inputs_with_signal(const Model& model, const std::vector<std::string>& in_block,
                                            const std::vector<Override>& overrides) {
  std::vector<std::string> out;
  for (const Input& i : model.inputs) {
    const bool here = std::find(in_block.begin(), in_block.end(), i.name) != in_block.end();
    if (given_outside(overrides, kInputPrefix + i.name) || (here && !given_outside(overrides, i.name)))
      out.push_back(i.name);
  }
  return out;
}

}  // namespace mbc::sema
