// SPDX-License-Identifier: Apache-2.0
// The class of each word of the text, for colours. Names are known from the index; keywords are all other words.
#include <algorithm>
#include <array>
#include <set>

#include "tools/lsp/features.h"
#include "tools/lsp/scan.h"

namespace mbc::lsp {

namespace {

enum Type : unsigned {
  kComment,
  kString,
  kNumber,
  kKeyword,
  kOperator,
  kFunction,
  kClass,
  kVariable,
  kParameter,
  kProperty,
  kEnumMember,
  kNamespace,
  kType,
  kEvent,
  kNone
};
constexpr std::array kTypes{"comment",  "string",    "number",   "keyword",    "operator",  "function", "class",
                            "variable", "parameter", "property", "enumMember", "namespace", "type",     "event"};
enum Modifier : unsigned { kDeclaration = 1, kReadonly = 2, kBuiltin = 4, kDocumentation = 8 };
constexpr std::array kModifiers{"declaration", "readonly", "defaultLibrary", "documentation"};

struct Token {
  Type type = kNone;
  unsigned modifiers = 0;
};

// These types are those that symbol_kinds.def names.
constexpr Type kSymbolTypes[] = {
#define MBC_SYMBOL(name, text, word, outline, token) k##token,
#include "mbc/symbol_kinds.def"
};

using Words = std::set<std::string, std::less<>>;

Words names_of(const std::vector<BuiltinInfo>& list) {
  Words out;
  for (const BuiltinInfo& b : list) out.insert(b.name);
  return out;
}

bool is_function(std::string_view word) {
  static const Words all = names_of(vocabulary().functions);
  return all.contains(word);
}

bool is_value(std::string_view word) {
  static const Words all = names_of(vocabulary().values);
  return all.contains(word);
}

const Words& keywords() {
  static const Words all = [] {
    const Vocabulary& v = vocabulary();
    Words words;
    for (const auto* list : {&v.reserved, &v.modifiers, &v.entries, &v.actions})
      words.insert(list->begin(), list->end());
    for (const StatementInfo& s : v.statements) words.insert(s.word);
    return words;
  }();
  return all;
}

Token token_of_use(const Document& d, const IndexUse& use) {
  const unsigned declared = use.kind == UseKind::declaration ? kDeclaration : 0u;
  switch (use.kind) {
    case UseKind::module:
      return {kNamespace, 0};
    case UseKind::unit:
    case UseKind::type:
      return {kType, 0};
    case UseKind::choice:
      return {kEnumMember, kBuiltin};
    case UseKind::setting:
      return {kProperty, kBuiltin};
    case UseKind::argument:
      return {kParameter, 0};
    case UseKind::declaration:
    case UseKind::name:
    case UseKind::member:
      break;
  }
  if (use.symbol != kNoSymbol) {
    const IndexSymbol& s = d.symbol(use.symbol);
    if (use.kind == UseKind::member) return {s.kind == SymbolKind::label ? kEnumMember : kProperty, 0};
    const unsigned constant = s.kind == SymbolKind::parameter ? kReadonly : 0u;
    return {kSymbolTypes[static_cast<std::size_t>(s.kind)], declared | constant};
  }
  if (use.kind == UseKind::member) return {kProperty, kBuiltin};
  const std::string_view word = d.text_of(use.place);
  if (is_function(word)) return {kFunction, kBuiltin};
  return {kVariable, is_value(word) ? unsigned{kBuiltin | kReadonly} : declared};
}

// Classifies a word that is not a name: a keyword, the type of a parameter, or part of a statement with syntax errors.
// `before`: the sign or word before it.
Token of_word(std::string_view word, std::string_view before) {
  const std::vector<std::string>& types = vocabulary().types;
  if (before == ":" && std::find(types.begin(), types.end(), word) != types.end()) return {kType, 0};
  if (keywords().contains(word)) return {kKeyword, 0};
  if (is_function(word)) return {kFunction, kBuiltin};
  return {kVariable, is_value(word) ? unsigned{kBuiltin | kReadonly} : 0u};
}

Token of_sign(char c) {
  constexpr std::string_view kOperators = "+-*/^=<>!~'";
  return kOperators.find(c) == std::string_view::npos ? Token{} : Token{kOperator, 0};
}

}  // namespace

Json semantic_legend() { return {{"tokenTypes", kTypes}, {"tokenModifiers", kModifiers}}; }

Json semantic_tokens(const Document& document) {
  // Uses are in the order of the text, as the words are.
  auto use = document.index.uses.begin();
  const auto end = document.index.uses.end();
  std::vector<std::uint32_t> data;
  Point last;
  std::string_view before;
  for (const Lexeme& l : scan(document.text.str())) {
    const std::string_view word = std::string_view(document.text.str()).substr(l.begin, l.end - l.begin);
    Token token;
    while (use != end && use->place.file == 0 && use->place.begin < l.begin) ++use;
    const bool used = use != end && use->place.file == 0 && use->place.begin == l.begin;
    if (l.what == Lex::word) token = used ? token_of_use(document, *use) : of_word(word, before);
    if (l.what == Lex::number) token.type = kNumber;
    if (l.what == Lex::string) token.type = kString;
    if (l.what == Lex::comment) token.type = kComment;
    if (l.what == Lex::documentation) token = {kComment, kDocumentation};
    if (l.what == Lex::sign) token = of_sign(word.front());
    before = word;
    if (token.type == kNone) continue;
    const Point at = document.text.point(l.begin);
    data.insert(data.end(),
                {at.line - last.line, at.line == last.line ? at.character - last.character : at.character,
                 document.text.units(l.begin, l.end), static_cast<std::uint32_t>(token.type), token.modifiers});
    last = at;
  }
  return {{"data", std::move(data)}};
}

}  // namespace mbc::lsp
