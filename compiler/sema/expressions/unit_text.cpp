// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/unit_text.h"

#include <charconv>

namespace mbc::sema {

namespace {

constexpr int kMostNested = 3;  // parentheses

class UnitReader {
 public:
  UnitReader(std::string_view text, Span place) : text_(text), place_(place) {}

  std::optional<ast::Unit> run() {
    ast::Unit unit;
    unit.span = place_;
    if (!product(unit.factors, 0) || next() != '\0') return {};
    return unit;
  }

 private:
  // Returns the next character that is no blank.
  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  bool product(std::vector<ast::UnitFactor>& out, int depth) {
    for (std::int32_t sign = 1;;) {
      if (!factor(out, sign, depth)) return false;
      if (take('*'))
        sign = 1;
      else if (take('/'))
        sign = -1;
      else
        return true;
    }
  }

  bool factor(std::vector<ast::UnitFactor>& out, std::int32_t sign, int depth) {
    const std::size_t first = out.size();
    next();
    const std::size_t begin = at_;
    if (take('(')) {
      if (depth == kMostNested || !product(out, depth + 1) || !take(')')) return false;
    } else if (!take('1')) {
      const auto of_name = [](char c) { return std::string_view("()*/^[]0123456789 \t").find(c) == std::string::npos; };
      while (at_ < text_.size() && of_name(text_[at_])) ++at_;
      if (at_ == begin) return false;
      const auto offset = place_.begin + static_cast<std::uint32_t>(begin);
      const Span span{place_.file, offset, place_.begin + static_cast<std::uint32_t>(at_)};
      out.push_back({std::string(text_.substr(begin, at_ - begin)), 1, 1, span});
    }
    std::int32_t numerator = 1, denominator = 1;
    if (take('^') && !exponent(numerator, denominator)) return false;
    for (std::size_t k = first; k < out.size(); ++k) {
      out[k].numerator *= sign * numerator;
      out[k].denominator *= denominator;
    }
    return true;
  }

  bool exponent(std::int32_t& numerator, std::int32_t& denominator) {
    const bool open = take('(');
    if (!integer(numerator)) return false;
    if (open && take('/') && (!integer(denominator) || denominator < 1)) return false;
    return !open || take(')');
  }

  bool integer(std::int32_t& out) {
    constexpr std::int32_t kMost = 20;
    next();
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (error != std::errc() || out < -kMost || out > kMost) return false;
    at_ = static_cast<std::size_t>(end - text_.data());
    return true;
  }

  std::string_view text_;
  Span place_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<ast::Unit> parse_unit(std::string_view text, Span place) { return UnitReader(text, place).run(); }

}  // namespace mbc::sema
