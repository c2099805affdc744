// SPDX-License-Identifier: Apache-2.0
#include "tests/house/cpp_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>

namespace mbc::house {

namespace {

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

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Tokenizer(text).run(); }

bool is_word(std::string_view text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_');
}

std::size_t behind_group(const std::vector<Token>& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    const std::string_view t = tokens[at].text;
    if (t == "(" || t == "[" || t == "{") ++depth;
    if ((t == ")" || t == "]" || t == "}") && --depth == 0) return at + 1;
  }
  return at;
}

}  // namespace mbc::house
