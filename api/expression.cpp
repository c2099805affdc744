// SPDX-License-Identifier: Apache-2.0
#include "api/expression.h"

#include <cmath>
#include <limits>

#include "api/c_header.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/ast/print_ast.h"
#include "compiler/graph/evaluate.h"
#include "compiler/parse/parse.h"

namespace mbc::api {

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

double at(std::span<const double> values, std::size_t k) { return k < values.size() ? values[k] : kUndefined; }

double leaf(const graph::Node& n, const LeafValues& v, std::size_t n_q, std::size_t states_at) {
  using graph::LeafKind;
  switch (n.leaf) {
    case LeafKind::time:
      return v.time;
    case LeafKind::coordinate:
      return at(v.y, n.a);
    case LeafKind::speed:
      return at(v.y, n_q + n.a);
    case LeafKind::accel:
      return at(v.accelerations, n.a);
    case LeafKind::multiplier:
      return at(v.multipliers, n.a);
    case LeafKind::ideal:
      return at(v.ideal, n.a);
    case LeafKind::state:
      return at(v.y, states_at + n.a);
    case LeafKind::state_rate:
      return at(v.rates, states_at + n.a);
    case LeafKind::input:
      return at(v.inputs, n.a);
    case LeafKind::param:
      return at(v.params, n.a);
    default:
      return kUndefined;
  }
}

std::string without_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Error not_an_expression(const Sink& sink, const SourceSet& sources, bool colour) {
  Error error{ErrorCode::invalid_argument, "not an expression"};
  if (!sink.has_errors()) return error;
  error.message = without_end(render_text(sink, sources, {colour}));
  for (const Diagnostic& d : sink.sorted()) error.diagnostics.push_back(to_info(d, sources));
  return error;
}

Result<std::vector<double>> checked(std::vector<double> values, const std::string& expression) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      return Error{ErrorCode::undefined_value,
                   "the value of `" + printable(expression) + "` is undefined: " + text::number(values[k]),
                   {},
                   k};
  return values;
}

}  // namespace

Result<Elaborated> elaborate(const Shape& shape, const std::string& expression) {
  Elaborated out;
  std::vector<sema::Query> queries;
  const Analysis::Tree tree = shape.analysis().tree();
  const Compilation& c = tree.compilation;
  SourceSet sources = c.sources;
  const std::uint32_t file = sources.add("<input>", expression);
  Sink sink;
  const ast::File parsed = parse(sources, file, ParseMode::repl, sink);
  for (const ast::StmtPtr& s : parsed.statements)
    if (const auto* e = std::get_if<ast::ExprStmt>(&s->node)) queries.push_back({e->value.get(), {}});
  if (!sink.has_errors() && queries.size() == 1)
    out.model = sema::elaborate(
        c.file, sources, c.modules, c.overrides, sink, &queries,
        {c.model.courses.block, c.model.bodies_default, nullptr, c.model.courses.inputs, shape.parameters_asked_for()});
  if (!sink.has_errors() && queries.size() == 1 && queries[0].answer.nodes.empty())
    sink.report(Kind::not_a_value, queries[0].expression->span, sema::describe_shape(queries[0].answer.type.shape));
  if (sink.has_errors() || queries.size() != 1) return not_an_expression(sink, sources, shape.how().colour);
  out.nodes = queries[0].answer.nodes;
  return out;
}

std::vector<double> evaluate(const sema::Model& model, const std::vector<graph::NodeId>& nodes,
                             const LeafValues& values) {
  const std::size_t n_q = model.coordinates.size(), states_at = n_q + model.speeds.size();
  return graph::evaluate(model.graph, nodes, [&](const graph::Node& n) { return leaf(n, values, n_q, states_at); });
}

Result<std::vector<double>> value_of(const Shape& shape, const std::string& expression,
                                     const std::function<Result<LeafValues>(const sema::Model&)>& values) {
  const Result<Elaborated> made = elaborate(shape, expression);
  if (!made) return made.error();
  const Result<LeafValues> known = values(made->model);
  if (!known) return known.error();
  return checked(evaluate(made->model, made->nodes, *known), expression);
}

Result<std::vector<double>> value_of_constants(const Shape& shape, const std::string& expression) {
  return value_of(shape, expression, [](const sema::Model& model) -> Result<LeafValues> {
    LeafValues values;
    values.params = sema::parameter_values(model);
    return values;
  });
}

Result<std::string> emit(const Shape& shape, Stage stage, const std::string& prefix, const std::string& processor) {
  jit::Artifact what = jit::Artifact::object;
  switch (stage) {
    case Stage::ast:
      return ast::print(shape.analysis().tree().compilation.file);
    case Stage::model:
      return sema::print(shape.analysis().tree().model());
    case Stage::system: {
      const Analysis::Tree tree = shape.analysis().tree();
      return lower::print(tree.compilation.system, tree.model());
    }
    case Stage::kernel:
      return kernel::print(shape.kernel());
    case Stage::jacobian:
      return kernel::print(shape.partials().partials.kernel);
    case Stage::llvm_ir:
      what = jit::Artifact::optimised_ir;
      break;
    case Stage::assembly:
      what = jit::Artifact::assembly;
      break;
    case Stage::header:
      return c_header(shape, prefix);
    case Stage::object:
      break;
  }
  std::string error;
  jit::Engine* engine = shape.native()->engine(error);
  if (!engine) return Error{ErrorCode::no_native_code, error};
  jit::CompileOptions options;
  options.optimise = shape.how().optimise;
  options.cpu = processor;
  std::string text = engine->emit(shape.kernel(), what, prefix, options, error);
  if (!error.empty()) return Error{ErrorCode::internal, error};
  return text;
}

}  // namespace mbc::api
