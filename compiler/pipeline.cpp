// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline.h"

#include <malloc.h>

#include <chrono>
#include <optional>

#include "base/text.h"
#include "compiler/parse/parse.h"

namespace mbc {

namespace {

template <class Pass>
auto timed(Compilation& c, const char* name, Pass&& pass) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = pass();
  c.times.push_back({name, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()});
  return result;
}

// "R = 0.4 [m]": the value is parsed as an expression of the language, as a source of its own.
std::vector<sema::Override> overrides(Compilation& c, const std::vector<std::string>& set) {
  std::vector<sema::Override> result;
  std::vector<std::uint32_t> files;
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    const std::string path = trimmed(text.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    const std::uint32_t file = c.sources.add("--set " + printable(path, 60), value);
    if (path.empty() || trimmed(value).empty()) {
      c.sink.report(Kind::override_value, Span{file, 0, 0}, printable(text, 60), std::string("expected NAME=VALUE"));
      continue;
    }
    if (path == "time" || path.ends_with(".time")) {
      c.sink
          .report(Kind::override_value, Span{file, 0, static_cast<std::uint32_t>(value.size())}, printable(path),
                  std::string("a time span is set part by part"))
          .hint("use time.begin, time.end and time.step");
      continue;
    }
    c.override_files.push_back(parse(c.sources, file, ParseMode::repl, c.sink));
    files.push_back(file);
    result.push_back({path, nullptr, Span{file, 0, static_cast<std::uint32_t>(value.size())}});
  }
  for (std::size_t k = 0; k < result.size(); ++k) {
    const ast::File& file = c.override_files[k];
    const ast::ExprStmt* e =
        file.statements.size() == 1 ? std::get_if<ast::ExprStmt>(&file.statements[0]->node) : nullptr;
    if (e && e->value)
      result[k].value = e->value.get();
    else if (!c.sink.has_errors())
      c.sink.report(Kind::override_value, result[k].span, printable(result[k].path),
                    std::string("the value must be one expression"));
  }
  return result;
}

// "k = 1 .. 2 step 0.1" is the inside of a `sweep` block and is parsed as that; the head of the block is a hidden line.
void parse_vary(Compilation& c, const std::string& text, sema::SweepRequest& out) {
  const std::uint32_t file = c.sources.add("--vary", "sweep vary over command {\n" + text + "\n}", 1);
  const std::size_t errors = c.sink.error_count();
  c.sweep_files.push_back(parse(c.sources, file, ParseMode::repl, c.sink));
  if (c.sink.error_count() != errors) return;
  const ast::File& parsed = c.sweep_files.back();
  const auto* sweep = parsed.statements.size() == 1 ? std::get_if<ast::Sweep>(&parsed.statements[0]->node) : nullptr;
  if (!sweep || sweep->settings.empty() || !sweep->records.empty()) {
    c.sink.report(Kind::sweep_text, Span{}, "--vary " + printable(text, 60))
        .hint("write `NAME = FIRST .. LAST step H`, `NAME = FIRST .. LAST count N` or `NAME = (A, B, C)`");
    return;
  }
  for (const ast::Setting& s : sweep->settings) out.vary.push_back(&s);
}

void parse_record(Compilation& c, const std::string& text, sema::SweepRequest& out) {
  const std::uint32_t file = c.sources.add("--record", text);
  const std::size_t errors = c.sink.error_count();
  c.sweep_files.push_back(parse(c.sources, file, ParseMode::repl, c.sink));
  if (c.sink.error_count() != errors) return;
  const ast::File& parsed = c.sweep_files.back();
  for (const ast::StmtPtr& s : parsed.statements) {
    const auto* e = std::get_if<ast::ExprStmt>(&s->node);
    if (e && e->value && parsed.statements.size() == 1) return out.records.push_back(e->value.get());
  }
  c.sink.report(Kind::sweep_text, Span{}, "--record " + printable(text, 60)).hint("write one expression");
}

sema::SweepRequest request_of(Compilation& c, const SweepTexts& texts) {
  sema::SweepRequest out;
  out.name = texts.name;
  for (const std::string& text : texts.vary) parse_vary(c, text, out);
  for (const std::string& text : texts.record) parse_record(c, text, out);
  return out;
}

}  // namespace

const lower::Momenta& momenta_of(Compilation& c) {
  if (!c.momenta) c.momenta = lower::find_momenta(c.model, sema::parameter_values(c.model, {}));
  return *c.momenta;
}

std::vector<lower::MomentumDirection> momenta_for(Compilation& c, const formulate::Method& method) {
  std::vector<lower::MomentumDirection> out;
  if (method.momenta == formulate::Momenta::none) return out;
  for (const lower::MomentumDirection& d : momenta_of(c).found)
    if (d.single || method.momenta == formulate::Momenta::directions) out.push_back(d);
  return out;
}

namespace {

// Formulations that have no equations for this model are refused where they are chosen.
void check_formulations(Compilation& c) {
  std::optional<formulate::SystemFacts> facts;
  for (const sema::Simulation& s : c.model.simulations) {
    const formulate::Method* method = formulate::find_method(s.formulation.name);
    if (!method || method->refuses == formulate::always_applies) continue;
    if (!facts) facts = formulate::facts_of(c.system);
    facts->momenta = static_cast<std::uint32_t>(momenta_for(c, *method).size());
    if (const char* reason = method->refuses(*facts))
      c.sink.report(Kind::formulation_unfit, s.formulation.span, std::string(method->name), std::string(reason))
          .hint("`udwadia_kalaba`, `augmented`, `projection` and `maggi` apply to every model");
  }
}

}  // namespace

constexpr std::size_t kLongText = 1 << 20;  // bytes

void trim(const Compilation& c) {
  if (c.large) malloc_trim(0);
}

void check_size(Compilation& c) {
  if (c.formulated.too_large.empty()) return;
  c.sink.report(Kind::too_many_rows, c.too_many_at, std::to_string(c.system.n_rows), c.formulated.too_large);
}

Compilation analyse(std::string name, std::string text, const PipelineOptions& options) {
  Compilation c;
  const std::uint32_t file = c.sources.add(std::move(name), std::move(text));
  c.file = timed(c, "parse", [&] { return parse(c.sources, file, ParseMode::file, c.sink); });
  c.large = c.sources[file].text().size() > kLongText;
  trim(c);
  if (!c.sink.has_errors()) c.modules.load(c.file, options.library, c.sources, c.sink);
  c.overrides = overrides(c, options.set);
  sema::Structure structure = options.structure;
  std::optional<sema::SweepRequest> sweep;
  if (options.sweep) {
    sweep = request_of(c, *options.sweep);
    structure.sweep = &*sweep;
  }
  // A file with syntax errors is not elaborated: what is missing from it would be reported as unknown.
  if (c.sink.has_errors()) return c;
  c.model = timed(c, "elaborate", [&] {
    return sema::elaborate(c.file, c.sources, c.modules, c.overrides, c.sink, nullptr, structure);
  });
  if (c.sink.has_errors()) return c;
  c.large = c.large || c.model.coordinates.size() > kManyCoordinates;
  trim(c);  // elaborating takes twice what it leaves
  c.system = timed(c, "lower", [&] { return lower::lower(c.model); });
  check_formulations(c);
  graph::forget_marks();  // templates are small
  const std::vector<sema::Equation>& rows = c.model.equations;
  if (!rows.empty()) c.too_many_at = rows[std::min<std::size_t>(rows.size() - 1, kernel::kMaxDenseRows)].span;
  return c;
}

void add_kernel(Compilation& c, const formulate::FormulateOptions& options) {
  c.formulated = timed(c, "formulate", [&] { return formulate::formulate(c.system, options); });
  c.formulated.kernel.name = c.sources[0].name();
  check_size(c);
}

Compilation compile(std::string name, std::string text, const PipelineOptions& options) {
  Compilation c = analyse(std::move(name), std::move(text), options);
  if (c.ok()) add_kernel(c, options.formulate);
  return c;
}

}  // namespace mbc
