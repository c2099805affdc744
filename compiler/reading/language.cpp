// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/language.h"

#include <array>

#include "base/check.h"

namespace mbc::reading {

namespace {

using kernel::Op;

constexpr std::size_t kLanguages = 8;

// The patterns of an operation in the order of the enum Language; "" is a call by the name in the language of models.
struct Spelling {
  Op op;
  std::array<std::string_view, kLanguages> pattern;
};

constexpr Spelling kSpellings[] = {
    // clang-format off
    //                text            ascii           latex                            c              python         octave         sympy              julia
    {Op::pow,        {"$1^$2",       "$1^$2",        "$1^{$2}",                       "pow($1, $2)", "$1**$2",      "$1^$2",       "$1**$2",          "$1^$2"}},
    {Op::sqrt,       {"√($1)",       "",             "\\sqrt{$1}",                    "",            "",            "",            "",                ""}},
    {Op::sin,        {"",            "",             "\\sin",                         "",            "",            "",            "",                ""}},
    {Op::cos,        {"",            "",             "\\cos",                         "",            "",            "",            "",                ""}},
    {Op::tan,        {"",            "",             "\\tan",                         "",            "",            "",            "",                ""}},
    {Op::asin,       {"",            "",             "\\arcsin",                      "",            "",            "",            "",                ""}},
    {Op::acos,       {"",            "",             "\\arccos",                      "",            "",            "",            "",                ""}},
    {Op::atan,       {"",            "",             "\\arctan",                      "",            "",            "",            "",                ""}},
    {Op::exp,        {"",            "",             "\\exp",                         "",            "",            "",            "",                ""}},
    {Op::ln,         {"",            "",             "\\ln",                          "log($1)",     "log($1)",     "log($1)",     "log($1)",         "log($1)"}},
    {Op::log10,      {"",            "",             "\\log_{10}",                    "log10($1)",   "log10($1)",   "log10($1)",   "log($1, 10)",     "log10($1)"}},
    {Op::sinh,       {"",            "",             "\\sinh",                        "",            "",            "",            "",                ""}},
    {Op::cosh,       {"",            "",             "\\cosh",                        "",            "",            "",            "",                ""}},
    {Op::tanh,       {"",            "",             "\\tanh",                        "",            "",            "",            "",                ""}},
    {Op::atan2,      {"",            "",             "",                              "",            "",            "",            "",                "atan($1, $2)"}},
    {Op::abs,        {"|$1|",        "",             "\\left|$1\\right|",             "fabs($1)",    "",            "",            "Abs($1)",         ""}},
    {Op::sign,       {"",            "",             "\\operatorname{sgn}",           "",            "",            "",            "",                ""}},
    {Op::floor,      {"",            "",             "\\left\\lfloor $1\\right\\rfloor", "",         "",            "",            "",                ""}},
    {Op::min,        {"",            "",             "\\min",                         "fmin($1, $2)","",            "",            "Min($1, $2)",     ""}},
    {Op::max,        {"",            "",             "\\max",                         "fmax($1, $2)","",            "",            "Max($1, $2)",     ""}},
    {Op::lt,         {"$1 < $2",     "$1 < $2",      "$1 < $2",                       "$1 < $2",     "$1 < $2",     "$1 < $2",     "$1 < $2",         "$1 < $2"}},
    {Op::le,         {"$1 ≤ $2",     "$1 <= $2",     "$1 \\le $2",                    "$1 <= $2",    "$1 <= $2",    "$1 <= $2",    "$1 <= $2",        "$1 <= $2"}},
    {Op::eq,         {"$1 = $2",     "$1 == $2",     "$1 = $2",                       "$1 == $2",    "$1 == $2",    "$1 == $2",    "Eq($1, $2)",      "$1 == $2"}},
    {Op::ne,         {"$1 ≠ $2",     "$1 != $2",     "$1 \\ne $2",                    "$1 != $2",    "$1 != $2",    "$1 ~= $2",    "Ne($1, $2)",      "$1 != $2"}},
    {Op::logical_and,{"$1 and $2",   "$1 and $2",    "$1\\ \\text{and}\\ $2",         "$1 && $2",    "$1 and $2",   "$1 && $2",    "And($1, $2)",     "$1 && $2"}},
    {Op::logical_or, {"$1 or $2",    "$1 or $2",     "$1\\ \\text{or}\\ $2",          "$1 || $2",    "$1 or $2",    "$1 || $2",    "Or($1, $2)",      "$1 || $2"}},
    {Op::logical_not,{"not ($1)",    "not ($1)",     "\\neg\\left($1\\right)",        "!($1)",       "(not ($1))",  "!($1)",       "Not($1)",         "!($1)"}},
    {Op::select,     {"(if $1 then $2 else $3)", "(if $1 then $2 else $3)",
                      "\\begin{cases} $2 & \\text{if } $1 \\\\ $3 & \\text{otherwise} \\end{cases}",
                      "($1 ? $2 : $3)", "($2 if $1 else $3)", "choose($1, $2, $3)", "Piecewise(($2, $1), ($3, True))",
                      "($1 ? $2 : $3)"}},
    // clang-format on
};

}  // namespace

const Operators& operators_of(Language language) {
  static constexpr Operators kOperators[kLanguages] = {{"·", "/", ""},       {"*", "/", "^"},  {"\\,", "", ""},
                                                       {"*", "/", "", true}, {"*", "/", "**"}, {"*", "/", "^"},
                                                       {"*", "/", "**"},     {"*", "/", "^"}};
  return kOperators[static_cast<std::size_t>(language)];
}

std::string filled(std::string_view pattern, const std::vector<std::string>& operands) {
  std::string out;
  for (std::size_t k = 0; k < pattern.size(); ++k)
    if (pattern[k] == '$' && k + 1 < pattern.size())
      out += operands.at(static_cast<std::size_t>(pattern[++k] - '1'));
    else
      out += pattern[k];
  return out;
}

std::string pattern_of(Op op, Language language) {
  CHECK(!kernel::is_arithmetic(op) || op == Op::pow, "sums and products have no pattern");
  for (const Spelling& s : kSpellings) {
    const std::string_view known = s.pattern[static_cast<std::size_t>(language)];
    if (s.op != op || known.empty()) continue;
    if (known.find('$') != std::string_view::npos) return std::string(known);
    return std::string(known) + (kernel::arity(op) == 1 ? "\\left($1\\right)" : "\\left($1, $2\\right)");
  }
  const std::string name(kernel::op_text(op));
  std::string operands = "$1";
  for (std::uint32_t k = 2; k <= kernel::arity(op); ++k) operands += ", $" + std::to_string(k);
  if (language == Language::latex) return "\\operatorname{" + name + "}\\left(" + operands + "\\right)";
  return name + "(" + operands + ")";
}

}  // namespace mbc::reading
