// SPDX-License-Identifier: Apache-2.0
#include "api/model/expression.h"

#include <algorithm>
#include <cmath>

#include "api/model/c_header.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/ast/print_ast.h"
#include "compiler/graph/evaluate.h"
#include "compiler/parse/parse.h"

namespace mbc::api {

namespace {

std::vector<double> values_at(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes,
                              const LeafValues& values, const PlacesInState& places) {
  const LeafSpans known = values.spans();
  return graph::evaluate(graph, nodes, [&](const graph::Node& n) { return leaf_value(n.leaf, n.a, known, places); });
}

Needs needs_of(const graph::Graph& g, const std::vector<graph::NodeId>& nodes) {
  using graph::LeafKind;
  Needs needs;
  needs.rows = graph::holds(g, nodes, {LeafKind::accel, LeafKind::multiplier, LeafKind::ideal});
  needs.rates = graph::holds(g, nodes, {LeafKind::state_rate});
  for (const graph::Node& n : graph::leaves(g, nodes))
    if (n.leaf == LeafKind::input) needs.inputs = std::max(needs.inputs, std::size_t{n.a} + 1);
  return needs;
}

Result<Evaluated> checked(Evaluated found, const std::string& expression) {
  for (std::size_t k = 0; k < found.values.size(); ++k)
    if (!std::isfinite(found.values[k]))
      return Error{ErrorCode::undefined_value,
                   "the value of `" + printable(expression) + "` is undefined: " + text::number(found.values[k]),
                   {},
                   k};
  return found;
}

// Returns shape and unit of an expression; `values` are filled in later.
Evaluated described(const Answer& answer, const sema::Model& model) {
  const sema::Value& v = answer.value;
  Evaluated out;
  out.rows = v.nodes.size();
  if (v.type.shape == sema::Shape::matrix) {
    out.columns = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(v.nodes.size()))));
    out.rows = out.columns;
  }
  out.condition = v.type.shape == sema::Shape::boolean;
  if (!answer.unit.empty()) {
    out.unit = answer.unit;
    return out;
  }
  if (!out.condition && !v.type.any_dimension) out.unit = sema::to_text(v.type.dimension);
  if (!model.has_units && out.unit == "1") out.unit.clear();
  return out;
}

// An expression without its model, whose lock is no longer needed.
struct Alone {
  graph::Graph graph;
  std::vector<graph::NodeId> nodes;
  PlacesInState places;
  Evaluated found;
};

Alone alone(const Answer& answer, const sema::Model& model) {
  Alone out;
  out.nodes = graph::copy_into(model.graph, answer.value.nodes, out.graph,
                               [&](const graph::Node& n) { return out.graph.leaf(n.leaf, n.a); });
  out.places = PlacesInState(model);
  out.found = described(answer, model);
  return out;
}

// Elaborates the expression in a separate model, which is as large as the present one.
Result<Answer> elaborate_anew(const EquationVariant& variant, const Compilation& c, const std::string& expression,
                              sema::Model& model) {
  SourceSet sources = c.sources;
  const std::uint32_t file = sources.add("<input>", expression);
  Sink sink;
  const ast::File parsed = parse(sources, file, ParseMode::repl, sink);
  std::vector<sema::Query> queries;
  if (const ast::Shown* e = only_expression(parsed)) queries.push_back({e, {}});
  if (sink.has_errors() || queries.empty()) return not_an_expression(sink, sources, variant.how().colour);
  model = sema::elaborate(
      c.file, sources, c.modules, c.overrides, sink, &queries,
      {c.model.signals.block, c.model.bodies_default, nullptr, c.model.signals.inputs, variant.parameters_asked_for()});
  if (!sink.has_errors() && queries[0].answer.nodes.empty())
    sink.report(Kind::not_a_value, queries[0].expression->value->span,
                sema::describe_shape(queries[0].answer.type.shape));
  if (sink.has_errors()) return not_an_expression(sink, sources, variant.how().colour);
  return answer_of(*queries[0].expression, std::move(queries[0].answer), sources);
}

}  // namespace

Result<Elaborated> elaborate(const EquationVariant& variant, const std::string& expression) {
  const AnalysedText::Tree tree = variant.analysis().tree();
  Elaborated out;
  const Result<Answer> found = elaborate_anew(variant, tree.compilation, expression, out.model);
  if (!found) return found.error();
  out.nodes = found->value.nodes;
  return out;
}

std::vector<double> evaluate(const sema::Model& model, const std::vector<graph::NodeId>& nodes,
                             const LeafValues& values) {
  return values_at(model.graph, nodes, values, PlacesInState(model));
}

Result<Evaluated> value_of(const EquationVariant& variant, const std::string& expression,
                           const std::function<Result<LeafValues>(const Needs&)>& values) {
  const auto ask = [&]() -> Result<Alone> {
    const AnalysedText::Tree tree = variant.analysis().tree();
    if (Questions* open = variant.analysis().questions(tree, variant.how().colour)) {
      const Result<Answer> answer = open->ask(expression);
      if (!answer) return answer.error();
      return alone(*answer, open->model());
    }
    sema::Model model;
    const Result<Answer> answer = elaborate_anew(variant, tree.compilation, expression, model);
    if (!answer) return answer.error();
    return alone(*answer, model);
  };
  Result<Alone> asked = ask();
  if (!asked) return asked.error();
  const Result<LeafValues> known = values(needs_of(asked->graph, asked->nodes));
  if (!known) return known.error();
  Evaluated found = std::move(asked->found);
  found.values = values_at(asked->graph, asked->nodes, *known, asked->places);
  return checked(std::move(found), expression);
}

Result<Evaluated> value_of_constants(const EquationVariant& variant, const std::string& expression) {
  return value_of(variant, expression, [&](const Needs&) -> Result<LeafValues> {
    LeafValues values;
    values.params = sema::parameter_values(variant.analysis().tree().model());
    return values;
  });
}

Result<void> check_callable(const EquationVariant& variant) {
  if (!variant.layout().quasi) return {};
  return Error{
      ErrorCode::invalid_argument,
      "the functions of `formulation = " + std::string(variant.wanted().method->name) +
          "` need independent speeds that a run chooses: compile with `formulation = udwadia_kalaba`, or to an "
          "executable (`--emit=exe`), which runs the model as it is"};
}

Result<std::string> emit(const EquationVariant& variant, Stage stage, const std::string& prefix,
                         const std::string& processor) {
  jit::Artifact what = jit::Artifact::object;
  switch (stage) {
    case Stage::ast:
      return ast::print(variant.analysis().tree().compilation.file);
    case Stage::model:
      return sema::print(variant.analysis().tree().model());
    case Stage::system: {
      const AnalysedText::Tree tree = variant.analysis().tree();
      return lower::print(tree.compilation.system, tree.model());
    }
    case Stage::kernel:
      return kernel::print(variant.kernel());
    case Stage::jacobian:
      return kernel::print(variant.partials().partials.kernel);
    case Stage::llvm_ir:
      what = jit::Artifact::optimised_ir;
      break;
    case Stage::assembly:
      what = jit::Artifact::assembly;
      break;
    case Stage::header:
      return c_header(variant, prefix);
    case Stage::object:
      if (const Result<void> callable = check_callable(variant); !callable) return callable.error();
      break;
  }
  std::string error;
  jit::Engine* engine = variant.native()->engine(error);
  if (!engine) return Error{ErrorCode::no_native_code, error};
  jit::CompileOptions options;
  options.optimise = variant.how().optimise;
  options.cpu = processor;
  std::string text = engine->emit(variant.kernel(), what, prefix, options, error);
  if (!error.empty()) return Error{ErrorCode::internal, error};
  return text;
}

}  // namespace mbc::api
