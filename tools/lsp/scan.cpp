// SPDX-License-Identifier: Apache-2.0
#include "tools/lsp/scan.h"

#include <algorithm>
#include <array>

#include "base/digits.h"

namespace mbc::lsp {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80u;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Lexeme> run() {
    while (at_ < text_.size()) next();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void next() {
    const char c = peek();
    if (c == '\n' || c == '\r') {
      line_start_ = true;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      const bool doc = peek(2) == '/' && peek(3) != '/';
      put(doc ? Lex::documentation : Lex::comment, to_line_end(at_));
    } else if (c == '"') {
      const std::size_t line = to_line_end(at_), close = text_.find('"', at_ + 1);
      put(Lex::string, std::min(line, close == std::string_view::npos ? line : close + 1));
    } else if (is_letter(c)) {
      std::size_t end = at_;
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
      put(Lex::word, end);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      put(Lex::number, number_end());
    } else {
      constexpr std::array<std::string_view, 5> kPairs{"..", "==", "<=", ">=", "!="};
      const bool pair = std::find(kPairs.begin(), kPairs.end(), text_.substr(at_, 2)) != kPairs.end();
      put(Lex::sign, at_ + (pair ? 2 : 1));
    }
  }

  // `1.` is not a number: in `1..n` the dots are a range.
  [[nodiscard]] std::size_t number_end() const {
    const auto digits = [&](std::size_t k) {
      while (k < text_.size() && is_digit(text_[k])) ++k;
      return k;
    };
    const auto digit_at = [&](std::size_t k) { return k < text_.size() && is_digit(text_[k]); };
    std::size_t end = digits(at_);
    if (end < text_.size() && text_[end] == '.' && digit_at(end + 1)) end = digits(end + 1);
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const std::size_t sign = end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-') ? 2 : 1;
      if (digit_at(end + sign)) end = digits(end + sign);
    }
    return end;
  }

  [[nodiscard]] std::size_t to_line_end(std::size_t from) const {
    return std::min(text_.find_first_of("\r\n", from), text_.size());
  }

  void put(Lex what, std::size_t end) {
    out_.push_back({what, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end), line_start_});
    line_start_ = false;
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  std::vector<Lexeme> out_;
};

// Finds the context of a place: it reads the text forwards once for blocks and backwards for the rest.
class Look {
 public:
  Look(std::string_view text, std::uint32_t place) : text_(text), place_(place) {
    for (const Lexeme& l : scan(text.substr(0, place))) all_.push_back(l);
  }

  Surroundings run() {
    out_.word = place_;
    if (!all_.empty() && all_.back().end == place_ && inside_text(all_.back())) {
      out_.where = Surroundings::Where::nothing;
      return out_;
    }
    std::erase_if(all_, [](const Lexeme& l) { return l.what == Lex::comment || l.what == Lex::documentation; });
    blocks();
    bool begins = place_on_new_line();
    if (!all_.empty() && all_.back().what == Lex::word && all_.back().end == place_) {
      out_.word = all_.back().begin;
      begins = all_.back().line_start;
      all_.pop_back();
    }
    called();
    classify(begins);
    return std::move(out_);
  }

 private:
  using Where = Surroundings::Where;

  [[nodiscard]] std::string_view word(const Lexeme& l) const { return text_.substr(l.begin, l.end - l.begin); }
  [[nodiscard]] bool sign(std::size_t k, std::string_view s) const {
    return all_[k].what == Lex::sign && word(all_[k]) == s;
  }
  [[nodiscard]] bool last(std::string_view s) const { return !all_.empty() && sign(all_.size() - 1, s); }
  [[nodiscard]] bool inside_text(const Lexeme& l) const {
    if (l.what == Lex::comment || l.what == Lex::documentation) return true;
    return l.what == Lex::string && (l.end - l.begin < 2 || text_[l.end - 1] != '"');
  }
  [[nodiscard]] bool place_on_new_line() const {
    const std::size_t from = all_.empty() ? 0 : all_.back().end;
    return all_.empty() || text_.substr(from, place_ - from).find_first_of("\r\n") != std::string_view::npos;
  }
  // Returns whether the statement continues in the next line after these signs.
  [[nodiscard]] bool goes_on() const {
    if (all_.empty() || all_.back().what != Lex::sign) return false;
    return std::string_view("+-*/^,:=~(['.<>").find(word(all_.back()).front()) != std::string_view::npos &&
           word(all_.back()) != "'";
  }

  void blocks() {
    struct Block {
      std::string word, name;
    };
    std::vector<Block> open;
    std::string head, name;
    int parentheses = 0;
    bool fresh = true;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const Lexeme& l = all_[k];
      if (l.what == Lex::sign) {
        const char c = text_[l.begin];
        if (c == '(' || c == '[') ++parentheses;
        if ((c == ')' || c == ']') && parentheses > 0) --parentheses;
        if (c == '{') {
          const bool nonideal = k > 0 && word(all_[k - 1]) == "nonideal";
          open.push_back({nonideal ? "nonideal" : head, name});
          parentheses = 0;
        }
        if (c == '}' && !open.empty()) open.pop_back();
        if (c == '{' || c == '}' || c == ';') {
          fresh = true;
          continue;
        }
      }
      if (fresh || (l.line_start && parentheses == 0)) {
        head = word(l);
        name = k + 1 < all_.size() ? word(all_[k + 1]) : "";
      }
      fresh = false;
    }
    out_.head = fresh ? "" : head;
    if (!open.empty()) out_.block = open.back().word;
    for (const Block& b : open)
      if (b.word == "joint" || b.word == "model") out_.component = b.name;
  }

  // Finds the innermost open parenthesis, the words before it and the number of the argument.
  void called() {
    int depth = 0;
    for (std::size_t k = all_.size(); k-- > 0;) {
      if (all_[k].what != Lex::sign) continue;
      const char c = text_[all_[k].begin];
      if (c == '{' || c == '}' || c == ';') return;
      if (c == ')' || c == ']') ++depth;
      if (c == '[' && depth > 0) --depth;
      if (c == ',' && depth == 0) ++out_.argument_index;
      if (c != '(') continue;
      if (depth > 0) {
        --depth;
        continue;
      }
      name_argument(k);
      words_before(k);
      return;
    }
  }

  void name_argument(std::size_t open) {
    std::size_t first = all_.size();
    int depth = 0;
    for (std::size_t k = all_.size(); k-- > open + 1;) {
      if (all_[k].what == Lex::sign) {
        const char c = text_[all_[k].begin];
        if (c == ')' || c == ']') ++depth;
        if (c == '(' || c == '[') --depth;
        if (c == ',' && depth == 0) break;
      }
      first = k;
    }
    if (first + 1 < all_.size() && all_[first].what == Lex::word && sign(first + 1, "="))
      out_.argument = word(all_[first]);
  }

  // Finds the words before a parenthesis: "Revolute", "hinge" of `Revolute hinge[1](`; "sin" of `sin(`.
  void words_before(std::size_t open) {
    std::size_t k = open;
    if (k > 0 && sign(k - 1, "]")) {
      int depth = 0;
      while (k-- > 0) {
        if (sign(k, "]")) ++depth;
        if (sign(k, "[") && --depth == 0) break;
      }
      if (depth != 0) return;
    }
    while (k-- > 0 && all_[k].what == Lex::word && out_.called.size() < 2) {
      out_.called.insert(out_.called.begin(), std::string(word(all_[k])));
      if (all_[k].line_start) break;
    }
  }

  void classify(bool begins) {
    if (last(".")) return member();
    if (is_unit()) {
      out_.where = Where::unit;
      return;
    }
    const bool fresh = all_.empty() || last(";") || last("{") || last("}") || (begins && !goes_on());
    if (fresh && out_.called.empty()) {
      out_.head.clear();
      out_.where = out_.block == "simulate" ? Where::setting : Where::statement;
      return;
    }
    if (out_.head == "use") out_.where = Where::module;
    if (out_.block == "simulate") entry();
  }

  // Finds the key of `integrator = `: the word before the last `=` at the beginning of an entry.
  void entry() {
    for (std::size_t k = all_.size(); k-- > 1;) {
      if (sign(k, "{") || sign(k, ";") || sign(k, "}")) return;
      if (sign(k, "=") && all_[k - 1].what == Lex::word && (k < 2 || !sign(k - 2, "(")) && (k < 2 || !sign(k - 2, ",")))
        return void(out_.setting = word(all_[k - 1]));
    }
  }

  // Returns whether the place is in a unit: `[` after a number, a closing bracket, or a name with a blank between them.
  [[nodiscard]] bool is_unit() const {
    for (std::size_t k = all_.size(); k-- > 0;) {
      if (all_[k].what != Lex::sign) continue;
      const char c = text_[all_[k].begin];
      if (c == '*' || c == '/' || c == '^' || c == '(' || c == ')' || c == '-') continue;
      if (c != '[' || k == 0) return false;
      const Lexeme& before = all_[k - 1];
      if (before.what == Lex::word)
        return word(before) == "in" || (before.end != all_[k].begin && out_.head == "input");
      return before.what == Lex::number || sign(k - 1, ")");
    }
    return false;
  }

  void member() {
    out_.where = Where::member;
    std::size_t k = all_.size();
    while (k > 0 && sign(k - 1, ".")) {
      --k;
      k = skip_brackets(k);
      if (k == 0 || all_[k - 1].what != Lex::word) {
        out_.chain.clear();
        return;
      }
      out_.chain.insert(out_.chain.begin(), std::string(word(all_[k - 1])));
      --k;
    }
  }

  // Skips backwards over `[..]` or `(..)`.
  std::size_t skip_brackets(std::size_t k) {
    while (k > 0 && (sign(k - 1, "]") || sign(k - 1, ")"))) {
      if (out_.chain.empty() && sign(k - 1, ")")) out_.call = true;
      int depth = 0;
      while (k > 0) {
        --k;
        if (sign(k, "]") || sign(k, ")")) ++depth;
        if ((sign(k, "[") || sign(k, "(")) && --depth == 0) break;
      }
    }
    return k;
  }

  std::string_view text_;
  std::uint32_t place_;
  std::vector<Lexeme> all_;
  Surroundings out_;
};

}  // namespace

std::vector<Lexeme> scan(std::string_view text) { return Scanner(text).run(); }

Surroundings surroundings(std::string_view text, std::uint32_t place) {
  return Look(text, std::min(place, static_cast<std::uint32_t>(text.size()))).run();
}

}  // namespace mbc::lsp
