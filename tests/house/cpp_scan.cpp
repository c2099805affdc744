// SPDX-License-Identifier: Apache-2.0
#include "tests/house/cpp_scan.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "tests/house/cpp_tokens.h"

namespace mbc::house {

namespace {

// A Declaration holds its tokens at the outermost level. A bracketed group is represented by its first bracket.
struct Declaration {
  std::vector<Token> tokens;
  std::size_t parameters = 0;  // index of the `(` of a function's parameters; 0 if there is none
  bool assigned = false;       // an `=` precedes any parameters
  bool initialised = false;    // A `:` after the parameters starts the member initialisers of a constructor.

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
  explicit Scanner(std::string_view text) : tokens_(tokens_of(text)) {}

  CppSizes run() {
    while (at_ < tokens_.size()) scope(nullptr);
    lambdas();
    return std::move(sizes_);
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t at) const { return at < tokens_.size() ? tokens_[at].text : ""; }

  // Returns the position after the bracket that closes the one at `at`.
  [[nodiscard]] std::size_t behind_group(std::size_t at) const { return house::behind_group(tokens_, at); }

  // Returns the position after the `>` of template arguments that begin at `at`, or `at` if it is a comparison.
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

  // Reads declarations up to the end of the scope. `owner` is the index of the class whose body it is, or null for a
  // namespace.
  void scope(const std::size_t* owner) {
    Declaration d;
    bool open = owner != nullptr && !sizes_.classes[*owner].has_invariants;  // The following members are public.
    while (at_ < tokens_.size()) {
      const std::string_view t = text(at_);
      if (t == "}") {
        ++at_;
        return;
      }
      if (t == ";") {
        finish(d, owner, open);
        d = {};
        ++at_;
      } else if (t == "{") {
        if (open_brace(d, owner)) d = {};
      } else if ((t == "public" || t == "private" || t == "protected") && text(at_ + 1) == ":") {
        open = t == "public";
        at_ += 2;
      } else {
        extend(d);
      }
    }
  }

  // Appends one token or group to a declaration.
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
      if (named_operator && text(at_ + 1) == ")" && text(at_ + 2) == "(") at_ += 2;  // This is operator().
      d.parameters = d.tokens.size();
    }
    if (token.text == "=" && d.parameters == 0 && !named_operator) d.assigned = true;
    if (token.text == ":" && d.parameters > 0) d.initialised = true;
    d.tokens.push_back(token);
    at_ = token.text == "(" || token.text == "[" ? behind_group(at_) : at_ + 1;
  }

  [[nodiscard]] bool begins_parameters(std::string_view before) const {
    if (text(at_ + 1) == "*" || before == "(") return false;  // This is a pointer to a function.
    for (std::string_view word : {"alignas", "decltype", "noexcept", "requires", "explicit", "__attribute__"})
      if (before == word) return false;
    return true;
  }

  // At a `{`: returns whether the declaration ends with the group that it opens.
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
    found.bases = bases_of(d);
    const std::size_t index = sizes_.classes.size();
    sizes_.classes.push_back(std::move(found));
    ++at_;
    scope(&index);
  }

  // Returns the base classes after the `:` without template arguments, for example "nlohmann::json_sax".
  static std::vector<std::string> bases_of(const Declaration& d) {
    std::vector<std::string> bases;
    auto at = std::find_if(d.tokens.begin(), d.tokens.end(), [](const Token& t) { return t.text == ":"; });
    for (bool fresh = true; at != d.tokens.end() && ++at != d.tokens.end();) {
      const std::string_view t = at->text;
      if (t == "public" || t == "private" || t == "protected" || t == "virtual") continue;
      if (fresh && is_word(t)) bases.emplace_back();
      if (t != ",") bases.back() += t;
      fresh = t == ",";
    }
    return bases;
  }

  void body(const Declaration& d) {
    const std::size_t end = behind_group(at_);
    const Token& name = d.tokens[d.parameters - (d.parameters > 0 ? 1 : 0)];
    sizes_.functions.push_back({std::string(name.text), name.line, tokens_[end - 1].line - name.line + 1});
    at_ = end;
  }

  // Finds the lambdas in the whole text at once: a `[` that is not a subscript, followed by a body.
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

  // At the `;` of a declaration: decides whether it is a member of the surrounding class.
  void finish(const Declaration& d, const std::size_t* owner, bool open) {
    if (owner == nullptr || d.tokens.empty()) return;
    ClassSize& c = sizes_.classes[*owner];
    if (d.first_is("friend") && d.parameters == 0) c.friends.emplace_back(d.tokens.back().text);
    for (std::string_view word : {"using", "typedef", "friend", "static_assert"})
      if (d.first_is(word)) return;
    if (d.parameters > 0) {
      if (!d.has("default") && !d.has("delete")) ++c.methods;
      if (d.has("virtual") && d.tokens.back().text == "0") ++c.pure;
      return;
    }
    if (d.has("static") || d.is_type()) return;
    const int count =
        1 + static_cast<int>(std::count_if(d.tokens.begin(), d.tokens.end(), [](auto& t) { return t.text == ","; }));
    c.members += count;
    if (open && !d.has("const") && !d.has("constexpr")) c.open_members += count;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  CppSizes sizes_;
};

}  // namespace

CppSizes scan_cpp(std::string_view text) { return Scanner(text).run(); }

}  // namespace mbc::house
