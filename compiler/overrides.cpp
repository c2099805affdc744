// SPDX-License-Identifier: Apache-2.0
#include "compiler/overrides.h"

#include <algorithm>

#include "base/diagnostics/refusal.h"
#include "base/text.h"
#include "compiler/parse/parse.h"
#include "compiler/sema/course_texts.h"

namespace mbc {

namespace {

// "R = 0.4 [m]", parsed; what it sets is found in the tree later. Nothing when the text was refused.
std::optional<sema::Override> parse_override(const std::string& text, SourceSet& sources, Sink& sink,
                                             std::vector<ast::File>& files) {
  const std::size_t equals = text.find('=');
  // only blanks: a name with another sign in it, such as the end of a line of Windows, is said to be none
  std::string path = text.substr(0, equals);
  path.erase(path.find_last_not_of(" \t") + 1);
  path.erase(0, std::min(path.find_first_not_of(" \t"), path.size()));
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool input = path.starts_with(sema::kInputPrefix);
  const std::uint32_t file =
      sources.add(input ? sema::kInputSource + printable(path.substr(std::string_view(sema::kInputPrefix).size()), 60)
                        : sema::kSetSource + printable(path, 60),
                  value);
  const Span whole{file, 0, static_cast<std::uint32_t>(value.size())};
  if (path.empty() || trimmed(value).empty())
    return mbc::refuse(sink, Kind::override_value, Span{file, 0, 0}, printable(text, 60), "expected NAME=VALUE");
  if (path == "time" || path.ends_with(".time"))
    return mbc::refuse(sink, Kind::override_value, whole, printable(path), "a time span is set part by part")
        .hint("use time.begin, time.end and time.step");
  files.push_back(parse(sources, file, ParseMode::repl, sink));
  return sema::Override{path, nullptr, whole};
}

// "k = 1 .. 2 step 0.1" is the inside of a `sweep` block and is parsed as that; the head of the block is a hidden line.
void parse_vary(const std::string& text, SourceSet& sources, Sink& sink, std::vector<ast::File>& files,
                sema::SweepRequest& out) {
  const std::uint32_t file = sources.add("--vary", "sweep vary over command {\n" + text + "\n}", 1);
  const std::size_t errors = sink.error_count();
  files.push_back(parse(sources, file, ParseMode::repl, sink));
  if (sink.error_count() != errors) return;
  const ast::File& parsed = files.back();
  const auto* sweep = parsed.statements.size() == 1 ? std::get_if<ast::Sweep>(&parsed.statements[0]->node) : nullptr;
  if (!sweep || sweep->settings.empty() || !sweep->records.empty()) {
    sink.report(Kind::sweep_text, Span{}, "--vary " + printable(text, 60))
        .hint("write `NAME = FIRST .. LAST step H`, `NAME = FIRST .. LAST count N` or `NAME = (A, B, C)`");
    return;
  }
  for (const ast::Setting& s : sweep->settings) out.vary.push_back(&s);
}

void parse_record(const std::string& text, SourceSet& sources, Sink& sink, std::vector<ast::File>& files,
                  sema::SweepRequest& out) {
  const std::uint32_t file = sources.add("--record", text);
  const std::size_t errors = sink.error_count();
  files.push_back(parse(sources, file, ParseMode::repl, sink));
  if (sink.error_count() != errors) return;
  const ast::File& parsed = files.back();
  for (const ast::StmtPtr& s : parsed.statements) {
    const auto* e = std::get_if<ast::ExprStmt>(&s->node);
    if (e && e->value && parsed.statements.size() == 1) return out.records.push_back(e->value.get());
  }
  sink.report(Kind::sweep_text, Span{}, "--record " + printable(text, 60)).hint("write one expression");
}

}  // namespace

std::vector<sema::Override> parse_overrides(const std::vector<std::string>& set, SourceSet& sources, Sink& sink,
                                            std::vector<ast::File>& files) {
  std::vector<sema::Override> result;
  for (const std::string& text : set)
    if (const std::optional<sema::Override> made = parse_override(text, sources, sink, files)) result.push_back(*made);
  for (std::size_t k = 0; k < result.size(); ++k) {
    const ast::File& file = files[k];
    const ast::ExprStmt* e =
        file.statements.size() == 1 ? std::get_if<ast::ExprStmt>(&file.statements[0]->node) : nullptr;
    if (e && e->value)
      result[k].value = e->value.get();
    else if (!sink.has_errors())
      sink.report(Kind::override_value, result[k].span, printable(result[k].path), "the value must be one expression");
  }
  return result;
}

sema::SweepRequest parse_sweep(const SweepTexts& texts, SourceSet& sources, Sink& sink, std::vector<ast::File>& files) {
  sema::SweepRequest out;
  out.name = texts.name;
  out.fixed = texts.fixed;
  for (const std::string& text : texts.vary) parse_vary(text, sources, sink, files, out);
  for (const std::string& text : texts.record) parse_record(text, sources, sink, files, out);
  return out;
}

}  // namespace mbc
