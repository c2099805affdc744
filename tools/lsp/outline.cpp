// SPDX-License-Identifier: Apache-2.0
// The structure of a text: declarations, parts that can be folded, blocks that can be run.
#include <algorithm>
#include <map>

#include "tools/lsp/features.h"
#include "tools/lsp/scan.h"

namespace mbc::lsp {

namespace {

// These kinds of the protocol are those that symbol_kinds.def names.
int outline_kind(SymbolKind kind) {
  enum {
    kClass = 5,
    kField = 8,
    kConstructor = 9,
    kInterface = 11,
    kFunction = 12,
    kVariable = 13,
    kConstant = 14,
    kObject = 19,
    kEnumMember = 22,
    kEvent = 24,
    kOperator = 25
  };
  static constexpr int kKinds[] = {
#define MBC_SYMBOL(name, text, word, outline, token) k##outline,
#include "mbc/symbol_kinds.def"
  };
  return kKinds[static_cast<std::size_t>(kind)];
}

bool is_shown(const IndexSymbol& s) {
  return s.place.file == 0 && !s.local && s.kind != SymbolKind::argument && s.kind != SymbolKind::label;
}

Json symbol_json(const Document& d, const IndexSymbol& s, Json children) {
  const std::uint32_t begin = std::min(s.statement.begin, s.place.begin), end = std::max(s.statement.end, s.place.end);
  Json out = {{"name", s.name.empty() ? "(" + std::string(to_text(s.kind)) + ")" : s.name},
              {"detail", to_text(s.kind)},
              {"kind", outline_kind(s.kind)},
              {"range", range_json(d.text, begin, end)},
              {"selectionRange", range_json(d.text, s.place.begin, s.place.end)}};
  if (!children.empty()) out["children"] = std::move(children);
  return out;
}

Json lens(const Document& d, const IndexSymbol& s, const char* title, const char* command) {
  return {{"range", range_json(d.text, s.place.begin, s.place.end)},
          {"command", {{"title", title}, {"command", command}, {"arguments", Json::array({d.uri, s.name})}}}};
}

}  // namespace

Json document_symbols(const Document& document) {
  std::map<std::uint32_t, Json> inside;
  const std::vector<IndexSymbol>& all = document.index.symbols;
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 0; id < all.size(); ++id)
    if (is_shown(all[id])) order.push_back(id);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return all[a].place.begin < all[b].place.begin; });
  // The order is from the back, so that children are complete before their parents.
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    Json& list = inside[all[*id].owner];
    if (list.is_null()) list = Json::array();
    Json children = inside.contains(*id) ? std::move(inside[*id]) : Json::array();
    std::reverse(children.begin(), children.end());
    list.push_back(symbol_json(document, all[*id], std::move(children)));
  }
  const auto top = inside.find(kNoSymbol);
  if (top != inside.end()) std::reverse(top->second.begin(), top->second.end());
  return top == inside.end() ? Json::array() : std::move(top->second);
}

Json folding_ranges(const Document& document) {
  Json out = Json::array();
  const auto put = [&](std::uint32_t first, std::uint32_t last, const char* kind) {
    if (last <= first) return;
    Json made = {{"startLine", first}, {"endLine", last}};
    if (kind) made["kind"] = kind;
    out.push_back(std::move(made));
  };
  std::vector<std::uint32_t> open;
  std::uint32_t comment_begin = 0, comment_end = 0;
  bool in_comments = false;
  for (const Lexeme& l : scan(document.text.str())) {
    const std::uint32_t line = document.text.line_of(l.begin);
    const bool comment = (l.what == Lex::comment || l.what == Lex::documentation) && l.line_start;
    if (comment && in_comments && line == comment_end + 1) {
      comment_end = line;
      continue;
    }
    if (in_comments) put(comment_begin, comment_end, "comment");
    in_comments = comment;
    comment_begin = comment_end = line;
    if (l.what != Lex::sign) continue;
    const char c = document.text.str()[l.begin];
    if (c == '{') open.push_back(line);
    if (c == '}' && !open.empty()) {
      put(open.back(), line > 0 ? line - 1 : 0, nullptr);  // the line of the brace stays
      open.pop_back();
    }
  }
  if (in_comments) put(comment_begin, comment_end, "comment");
  return out;
}

Json code_lenses(const Document& document) {
  Json out = Json::array();
  if (document.path.empty()) return out;  // no file can be run
  for (const IndexSymbol& s : document.index.symbols) {
    if (s.place.file != 0) continue;
    if (s.kind == SymbolKind::simulation) {
      out.push_back(lens(document, s, "run", "mbc.run"));
      out.push_back(lens(document, s, "view", "mbc.view"));
    }
    if (s.kind == SymbolKind::test) out.push_back(lens(document, s, "test", "mbc.test"));
    if (s.kind == SymbolKind::sweep) out.push_back(lens(document, s, "sweep", "mbc.sweep"));
  }
  return out;
}

}  // namespace mbc::lsp
