// SPDX-License-Identifier: Apache-2.0
// Parses text in tests.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics/render.h"
#include "compiler/ast/print_ast.h"
#include "compiler/parse/parse.h"

namespace mbc::test {

struct Parsed {
  SourceSet sources;
  Sink sink;
  ast::File file;

  explicit Parsed(std::string text, ParseMode mode = ParseMode::file) {
    const std::uint32_t id = sources.add("m.mbd", std::move(text));
    file = parse(sources, id, mode, sink);
  }
  // Returns "2:5 E0121 message" for each error.
  [[nodiscard]] std::vector<std::string> errors() const {
    std::vector<std::string> out;
    for (const Diagnostic& d : sink.sorted()) {
      const Position p = sources[d.span.file].position(d.span.begin);
      out.push_back(std::to_string(p.line) + ":" + std::to_string(p.column) + " " + std::string(info(d.kind).code) +
                    " " + d.message());
    }
    return out;
  }
  [[nodiscard]] std::string first_code() const {
    return sink.sorted().empty() ? "" : std::string(info(sink.sorted().front().kind).code);
  }
};

// Returns an expression in one line, (op operand ...), from the syntax tree.
std::string shape(const std::string& expression);

}  // namespace mbc::test
