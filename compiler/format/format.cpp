// SPDX-License-Identifier: Apache-2.0
#include "compiler/format/format.h"

#include "base/diagnostics/refusal.h"
#include "compiler/ast/print_ast.h"
#include "compiler/format/align.h"
#include "compiler/format/layout.h"
#include "compiler/parse/parse.h"

namespace mbc::format {

namespace {

std::string to_text(const std::vector<Line>& lines) {
  std::string out;
  for (const Line& line : lines) {
    if (line.after_blank_line) out += '\n';
    out.append(line.indent, ' ');
    for (const Piece& p : line.pieces) {
      out.append(p.gap, ' ');
      out += p.text;
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::optional<std::string> format(const std::string& text, const std::string& name, SourceSet& sources, Sink& sink) {
  const std::uint32_t file = sources.add(name, text);
  const ast::File before = parse(sources, file, ParseMode::file, sink);
  if (sink.has_errors()) return {};
  const std::vector<syntax::ClassifiedToken> tokens = syntax::classified_tokens(sources, file, sink);
  if (tokens.empty()) return {};
  std::vector<Line> lines = lay_out(sources[file].text(), tokens);
  align(lines);
  std::string out = to_text(lines);
  // the result is used only if it has the same meaning
  Sink again;
  SourceSet others;
  const ast::File after = parse(others, others.add(name, out), ParseMode::file, again);
  if (!again.has_errors() && ast::print(after) == ast::print(before)) return out;
  return mbc::refuse(sink, Kind::internal_error, Span{file, 0, 0}, "the layout would change the meaning");
}

}  // namespace mbc::format
