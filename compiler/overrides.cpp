// SPDX-License-Identifier: Apache-2.0
#include "compiler/overrides.h"

#include <algorithm>

#include "base/diagnostics/refusal.h"
#include "base/text.h"
#include "compiler/parse/parse.h"
#include "compiler/sema/signal_texts.h"

namespace mbc {

namespace {

// Parses "R = 0.4 [m]"; its target is found in the tree later. Returns nothing if the text is refused.
std::optional<sema::Override> parse_override(const std::string& text, SourceSet& sources, Sink& sink,
                                             std::vector<ast::File>& files) {
  const std::size_t equals = text.find('=');
  // only blanks are trimmed: another character, such as the end of a Windows line, makes the name invalid
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

// Parses the text as statements. Returns null if it has mistakes.
const ast::File* parsed(std::string name, std::string text, std::uint32_t hidden, SourceSet& sources, Sink& sink,
                        std::vector<ast::File>& files) {
  const std::uint32_t file = sources.add(std::move(name), std::move(text), hidden);
  const std::size_t errors = sink.error_count();
  files.push_back(parse(sources, file, ParseMode::repl, sink));
  return sink.error_count() == errors ? &files.back() : nullptr;
}

// Returns the expression of a text that is one expression, else null.
const ast::Shown* only_expression(const ast::File& file) {
  const auto* e = file.statements.size() == 1 ? std::get_if<ast::ExprStmt>(&file.statements[0]->node) : nullptr;
  return e ? &e->shown : nullptr;
}

// Parses "k = 1 .. 2 step 0.1" as the inside of a `sweep` block; the head of the block is a hidden line.
void parse_vary(const std::string& text, SourceSet& sources, Sink& sink, std::vector<ast::File>& files,
                sema::SweepRequest& out) {
  const ast::File* file = parsed("--vary", "sweep vary over command {\n" + text + "\n}", 1, sources, sink, files);
  if (!file) return;
  const auto* sweep = file->statements.size() == 1 ? std::get_if<ast::Sweep>(&file->statements[0]->node) : nullptr;
  if (!sweep || sweep->settings.empty() || !sweep->records.empty()) {
    sink.report(Kind::sweep_text, Span{}, "--vary " + printable(text, 60))
        .hint("write `NAME = FIRST .. LAST step H`, `NAME = FIRST .. LAST count N` or `NAME = (A, B, C)`");
    return;
  }
  for (const ast::Setting& s : sweep->settings) out.vary.push_back(&s);
}

void parse_record(const std::string& text, SourceSet& sources, Sink& sink, std::vector<ast::File>& files,
                  sema::SweepRequest& out) {
  const ast::File* file = parsed("--record", text, 0, sources, sink, files);
  if (!file) return;
  if (const ast::Shown* e = only_expression(*file)) return out.records.push_back(e);
  sink.report(Kind::sweep_text, Span{}, "--record " + printable(text, 60)).hint("write one expression");
}

}  // namespace

std::vector<sema::Override> parse_overrides(const std::vector<std::string>& set, SourceSet& sources, Sink& sink,
                                            std::vector<ast::File>& files) {
  std::vector<sema::Override> result;
  for (const std::string& text : set)
    if (const std::optional<sema::Override> made = parse_override(text, sources, sink, files)) result.push_back(*made);
  for (std::size_t k = 0; k < result.size(); ++k) {
    const ast::Shown* written = only_expression(files[k]);
    result[k].value = written && !written->unit ? written->value.get() : nullptr;
    if (!result[k].value && !sink.has_errors())
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
