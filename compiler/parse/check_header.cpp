// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/check_header.h"

#include <string>

#include "MbcLexer.h"
#include "base/diagnostics/refusal.h"
#include "base/diagnostics/render.h"

namespace mbc::syntax {
namespace {

using L = MbcLexer;

}  // namespace

bool check_header(TokenList& list, Sink& sink) {
  Token& first = list.tokens.front();
  if (first.type == kEndOfFile) return mbc::refuse(sink, Kind::empty_file, list.span(first)).hint("begin with `mbd 1`");
  if (first.type != L::MBD) {
    const std::string found = quoted(list.text(first), kExcerpt);
    sink.report(Kind::missing_header, list.span(first), found).hint("write `mbd 1` as the first line");
    return true;
  }
  Token& version = list.tokens[1];
  if (version.type != L::NUMBER || version.line_start) {
    const Span after{list.file, first.end, first.end};
    sink.report(Kind::expected_token, after, "the version of the language", "after `mbd`",
                version.line_start || version.type == kEndOfFile ? std::string("the end of the line")
                                                                 : quoted(list.text(version), kExcerpt))
        .hint("write `mbd 1`");
    first.broken = true;
    return true;
  }
  if (list.text(version) != std::to_string(kLanguageVersion))
    return mbc::refuse(sink, Kind::unknown_version, list.span(version), printable(list.text(version), kExcerpt))
        .hint("this compiler reads `mbd " + std::to_string(kLanguageVersion) + "`");
  return true;
}

}  // namespace mbc::syntax
