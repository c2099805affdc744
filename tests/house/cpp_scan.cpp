// SPDX-License-Identifier: Apache-2.0
#include "tests/house/cpp_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>

namespace mbc::house {

namespace {

struct Token {
  std::string_view text;
  int line;
};

// Words, numbers, brackets and operators; comments, texts and preprocessor lines leave nothing or an empty text.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
        line_start_ = true;
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        ++at_;
      } else if (c == '#' && line_start_) {
        skip_directive();
      } else if (starts("//")) {
        skip_to(text_.find('\n', at_));
      } else if (starts("/*")) {
        skip_to(text_.find("*/", at_) + 2);
      } else {
        line_start_ = false;
        next();
      }
    }
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void skip_to(std::size_t end) {
    end = std::min(end, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void skip_directive() {
    std::size_t end = at_;
    do {
      end = std::min(text_.find('\n', end + 1), text_.size());
    } while (end < text_.size() && text_[end - 1] == '\\');
    skip_to(end);
  }

  void push(std::size_t size) {
    tokens_.push_back({text_.substr(at_, size), line_});
    at_ += size;
  }

  void next() {
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c))) return push(size_of_number());
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') return word();
    if (c == '"' || c == '\'') return quoted(c);
    constexpr std::array<std::string_view, 14> kOperators = {
        "::", "->", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "&&", "||", "|=", "&="};
    const auto found = std::find_if(kOperators.begin(), kOperators.end(), [&](auto o) { return starts(o); });
    push(found == kOperators.end() ? 1 : found->size());
  }

  [[nodiscard]] std::size_t size_of_number() const {
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '\'' ||
                                  text_[end] == '.' || text_[end] == '_'))
      ++end;
    return end - at_;
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '"' && word.ends_with('R')) {
      const std::size_t open = text_.find('(', end);
      const std::string close = ")" + std::string(text_.substr(end + 1, open - end - 1)) + "\"";
      const std::size_t last = text_.find(close, open) + close.size();
      tokens_.push_back({"\"\"", line_});
      return skip_to(last);
    }
    push(word.size());
  }

  void quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    tokens_.push_back({"\"\"", line_});
    skip_to(end + 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_start_ = true;
  std::vector<Token> tokens_;
};

bool is_word(std::string_view text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_');
}

// One declaration: its tokens at the outermost level. A bracketed group is its first bracket alone.
struct Declaration {
  std::vector<Token> tokens;
  std::size_t parameters = 0;  // index of the `(` of a function's parameters; 0 when there is none
  bool assigned = false;       // an `=` before any parameters
  bool initialised = false;    // a `:` after the parameters: the member initialisers of a constructor

  [[nodiscard]] bool has(std::string_view word) const {
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& t) { return t.text == word; });
  }
  [[nodiscard]] bool first_is(std::string_view word) const { return !tokens.empty() && tokens[0].text == word; }
  [[nodiscard]] bool is_type() const {
    return parameters == 0 && !assigned && (has("class") || has("struct") || has("union") || has("enum"));
  }
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : tokens_(Tokenizer(text).run()) {}

  CppSizes run() {
    while (at_ < tokens_.size()) scope(nullptr);
    lambdas();
    return std::move(sizes_);
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t at) const { return at < tokens_.size() ? tokens_[at].text : ""; }

  // Behind the bracket that closes the one at `at`.
  [[nodiscard]] std::size_t behind_group(std::size_t at) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      const std::string_view t = tokens_[at].text;
      if (t == "(" || t == "[" || t == "{") ++depth;
      if ((t == ")" || t == "]" || t == "}") && --depth == 0) return at + 1;
    }
    return at;
  }

  // Behind the `>` of template arguments that begin at `at`, or `at` where it is a comparison.
  [[nodiscard]] std::size_t behind_angles(std::size_t at) const {
    int depth = 0;
    for (std::size_t k = at; k < tokens_.size();) {
      const std::string_view t = tokens_[k].text;
      if (t == "(" || t == "[" || t == "{") {
        k = behind_group(k);
        continue;
      }
      if (t == ";" || t == ")" || t == "}") return at;
      if (t == "<") ++depth;
      if (t == ">" && --depth == 0) return k + 1;
      ++k;
    }
    return at;
  }

  // Declarations up to the end of the scope; `owner` is the index of the class whose body it is, null for a namespace.
  void scope(const std::size_t* owner) {
    Declaration d;
    while (at_ < tokens_.size()) {
      const std::string_view t = text(at_);
      if (t == "}") {
        ++at_;
        return;
      }
      if (t == ";") {
        finish(d, owner);
        d = {};
        ++at_;
      } else if (t == "{") {
        if (open_brace(d, owner)) d = {};
      } else if ((t == "public" || t == "private" || t == "protected") && text(at_ + 1) == ":") {
        at_ += 2;
      } else {
        extend(d);
      }
    }
  }

  // One more token, or group, of a declaration.
  void extend(Declaration& d) {
    const Token token = tokens_[at_];
    const std::string_view before = d.tokens.empty() ? "" : d.tokens.back().text;
    const bool named_operator = before == "operator";
    if (token.text == "<" && !named_operator && (is_word(before) || before == "::")) {
      const std::size_t behind = behind_angles(at_);
      at_ = behind == at_ ? at_ + 1 : behind;
      return;
    }
    if (token.text == "(" && d.parameters == 0 && !d.assigned && begins_parameters(before)) {
      if (named_operator && text(at_ + 1) == ")" && text(at_ + 2) == "(") at_ += 2;  // operator()
      d.parameters = d.tokens.size();
    }
    if (token.text == "=" && d.parameters == 0 && !named_operator) d.assigned = true;
    if (token.text == ":" && d.parameters > 0) d.initialised = true;
    d.tokens.push_back(token);
    at_ = token.text == "(" || token.text == "[" ? behind_group(at_) : at_ + 1;
  }

  [[nodiscard]] bool begins_parameters(std::string_view before) const {
    if (text(at_ + 1) == "*" || before == "(") return false;  // a pointer to a function
    for (std::string_view word : {"alignas", "decltype", "noexcept", "requires", "explicit", "__attribute__"})
      if (before == word) return false;
    return true;
  }

  // At a `{`: whether the declaration ends with the group it opens.
  bool open_brace(Declaration& d, const std::size_t* owner) {
    if (d.has("namespace") || (d.first_is("extern") && d.parameters == 0)) {
      ++at_;
      scope(nullptr);
      return true;
    }
    if (d.is_type()) {
      type(d);
      return false;
    }
    const std::string_view before = d.tokens.empty() ? "" : d.tokens.back().text;
    const bool initialiser = d.parameters == 0 || (d.initialised && (is_word(before) || before == ">"));
    if (initialiser) {
      d.tokens.push_back(tokens_[at_]);
      at_ = behind_group(at_);
      return false;
    }
    body(d);
    if (owner != nullptr && !d.has("friend")) ++sizes_.classes[*owner].methods;
    return true;
  }

  void type(const Declaration& d) {
    if (d.has("enum")) {
      at_ = behind_group(at_);
      return;
    }
    ClassSize found;
    found.has_invariants = d.has("class");
    for (std::size_t k = 0; k + 1 < d.tokens.size(); ++k)
      if (d.tokens[k].text == "class" || d.tokens[k].text == "struct") {
        found.name = d.tokens[k + 1].text;
        found.line = d.tokens[k + 1].line;
      }
    const std::size_t index = sizes_.classes.size();
    sizes_.classes.push_back(std::move(found));
    ++at_;
    scope(&index);
  }

  void body(const Declaration& d) {
    const std::size_t end = behind_group(at_);
    const Token& name = d.tokens[d.parameters - (d.parameters > 0 ? 1 : 0)];
    sizes_.functions.push_back({std::string(name.text), name.line, tokens_[end - 1].line - name.line + 1});
    at_ = end;
  }

  // Lambdas are found in all the text at once: a `[` that is no subscript, and a body behind it.
  void lambdas() {
    for (std::size_t k = 1; k < tokens_.size(); ++k) {
      const std::string_view before = text(k - 1);
      const bool value_before = (is_word(before) && before != "return") || before == ")" || before == "]";
      if (text(k) != "[" || text(k + 1) == "[" || before == "[" || value_before) continue;
      std::size_t open = behind_group(k);
      if (text(open) == "(") open = behind_group(open);
      while (text(open) != "{" && (is_word(text(open)) || text(open) == "->" || text(open) == "::" ||
                                   text(open) == "*" || text(open) == "&" || text(open) == "<"))
        open = text(open) == "<" ? behind_angles(open) : open + 1;
      if (text(open) != "{") continue;
      const int last = tokens_[behind_group(open) - 1].line;
      sizes_.functions.push_back({"lambda", tokens_[k].line, last - tokens_[k].line + 1});
    }
  }

  // At the `;` of a declaration: a member of the class it stands in?
  void finish(const Declaration& d, const std::size_t* owner) {
    if (owner == nullptr || d.tokens.empty()) return;
    for (std::string_view word : {"using", "typedef", "friend", "static_assert"})
      if (d.first_is(word)) return;
    if (d.parameters > 0) {
      if (!d.has("default") && !d.has("delete")) ++sizes_.classes[*owner].methods;
      return;
    }
    if (d.has("static") || d.is_type()) return;
    sizes_.classes[*owner].members +=
        1 + static_cast<int>(std::count_if(d.tokens.begin(), d.tokens.end(), [](auto& t) { return t.text == ","; }));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  CppSizes sizes_;
};

}  // namespace

CppSizes scan_cpp(std::string_view text) { return Scanner(text).run(); }

}  // namespace mbc::house
