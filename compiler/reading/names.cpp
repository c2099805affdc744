// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/names.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/digits.h"

namespace mbc::reading {

namespace {

struct Greek {
  std::string_view name, letter;
};
constexpr Greek kGreek[] = {
    {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"}, {"zeta", "ζ"},   {"eta", "η"},
    {"theta", "θ"}, {"iota", "ι"},  {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},     {"xi", "ξ"},
    {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"}, {"tau", "τ"},    {"upsilon", "υ"}, {"phi", "φ"},    {"chi", "χ"},
    {"psi", "ψ"},   {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"},  {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},
    {"Pi", "Π"},    {"Sigma", "Σ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},    {"Omega", "Ω"},
};

// Letters of names that are written in Greek, where LaTeX has another word for them or no word of its own.
constexpr Greek kOwnWords[] = {
    {"varphi", "φ"},    {"phi", "ϕ"},       {"varepsilon", "ε"}, {"epsilon", "ϵ"},   {"vartheta", "ϑ"},
    {"varsigma", "ς"},  {"varrho", "ϱ"},    {"varpi", "ϖ"},      {"varkappa", "ϰ"},  {"Upsilon", "Υ"},
    {"mathrm{o}", "ο"}, {"mathrm{A}", "Α"}, {"mathrm{B}", "Β"},  {"mathrm{E}", "Ε"}, {"mathrm{Z}", "Ζ"},
    {"mathrm{H}", "Η"}, {"mathrm{I}", "Ι"}, {"mathrm{K}", "Κ"},  {"mathrm{M}", "Μ"}, {"mathrm{N}", "Ν"},
    {"mathrm{O}", "Ο"}, {"mathrm{P}", "Ρ"}, {"mathrm{T}", "Τ"},  {"mathrm{X}", "Χ"},
};

bool is_axis(std::string_view s) { return s == "x" || s == "y" || s == "z"; }

// "omegax" is omega and x, "th1" is th and 1, "vx" is v and x; what has no such end has no subscript.
struct Word {
  std::string_view stem, sub;
  std::string_view greek{};  // the letter of the stem
};

Word split(std::string_view word) {
  for (const Greek& g : kGreek)
    if (word.starts_with(g.name)) {
      std::string_view rest = word.substr(g.name.size());
      if (rest.starts_with('_')) rest.remove_prefix(1);
      if (rest.empty() || all_digits(rest) || is_axis(rest)) return {g.name, rest, g.letter};
    }
  std::size_t end = word.size();
  while (end > 0 && is_digit(word[end - 1])) --end;
  if (end == word.size() && end == 2 && is_axis(word.substr(1))) end = 1;
  if (end == 0) return {word, ""};
  std::string_view stem = word.substr(0, end);
  if (stem.size() > 1 && stem.ends_with('_')) stem.remove_suffix(1);
  return {stem, word.substr(end)};
}

// Returns whether a text is a sum of indices and numbers, "2i-1", not the name of something.
bool is_index(std::string_view s) {
  std::size_t k = 0;
  while (k < s.size()) {
    if (k > 0 && s[k] != '+' && s[k] != '-') return false;
    if (k > 0) ++k;
    const std::size_t begin = k;
    while (k < s.size() && is_digit(s[k])) ++k;
    const std::size_t letters = k;
    while (k < s.size() && k < letters + 2 && s[k] >= 'i' && s[k] <= 'n') ++k;
    if (k == begin) return false;
  }
  return !s.empty();
}

// A name in its parts: "a.b[2].theta1''" is theta1 with two primes, of a, b, 2.
struct Parts {
  std::string_view base;
  std::vector<std::string_view> path;
  std::size_t primes = 0;
};

Parts parts_of(std::string_view name) {
  Parts out;
  while (name.ends_with('\'')) {
    name.remove_suffix(1);
    ++out.primes;
  }
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= name.size(); ++k) {
    const bool ends = k == name.size() || std::string_view(".[],").find(name[k]) != std::string_view::npos;
    if (!ends) continue;
    if (k > begin) out.path.push_back(name.substr(begin, k - begin));
    begin = k + 1;
  }
  if (out.path.empty()) out.path.push_back(name);
  // The letter is the last word that is no index: x[2] is x with the index 2, and so is x[i-1].
  const auto bracketed = [&](std::string_view word) {
    const auto at = static_cast<std::size_t>(word.data() - name.data());
    return at > 0 && (name[at - 1] == '[' || name[at - 1] == ',');
  };
  std::size_t letter = out.path.size() - 1;
  while (letter > 0 && (all_digits(out.path[letter]) || bracketed(out.path[letter]))) --letter;
  out.base = out.path[letter];
  out.path.erase(out.path.begin() + static_cast<std::ptrdiff_t>(letter));
  return out;
}

// Returns the Greek letter that a text begins with as a command of LaTeX, and its length; "" if it begins with none.
std::pair<std::string, std::size_t> greek_at(std::string_view text) {
  for (const Greek& g : kOwnWords)
    if (text.starts_with(g.letter)) return {"\\" + std::string(g.name), g.letter.size()};
  for (const Greek& g : kGreek)
    if (text.starts_with(g.letter)) return {"\\" + std::string(g.name), g.letter.size()};
  return {};
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// An accent is no letter of mathematics: such a word is text.
std::string upright(std::string_view word) {
  std::string out;
  for (const char c : word) out += c == '_' ? std::string("\\_") : std::string(1, c);
  if (!is_ascii(word)) return "\\text{" + greek_in_latex(out) + "}";
  return all_digits(word) || word.size() == 1 ? out : "\\mathrm{" + out + "}";
}

std::string letter_in_latex(std::string_view base, std::string& sub) {
  if (const auto [command, length] = greek_at(base); length > 0) {
    std::string_view rest = base.substr(length);
    if (rest.starts_with('_')) rest.remove_prefix(1);
    sub = rest;
    if (rest.empty() || all_digits(rest) || is_axis(rest)) return command;
  }
  const Word w = split(base);
  sub = w.sub;
  if (!w.greek.empty()) return "\\" + std::string(w.stem);
  return upright(w.stem);
}

// "sum(T)" is the sum over all T with an index.
constexpr std::string_view kSumOf = "sum(";

std::string in_latex(const SymbolName& symbol) {
  std::string_view name = symbol.name;
  if (name.starts_with(kSumOf) && name.ends_with(')'))
    return "\\sum " + in_latex({std::string(name.substr(kSumOf.size(), name.size() - kSumOf.size() - 1))});
  const bool transposed = name.ends_with("^T");
  if (transposed) name.remove_suffix(2);
  const Parts p = parts_of(name);
  std::string sub, letter = letter_in_latex(p.base, sub);
  if (symbol.bold) letter = "\\boldsymbol{" + letter + "}";
  if (p.primes == 1) letter = "\\dot{" + letter + "}";
  if (p.primes == 2) letter = "\\ddot{" + letter + "}";
  const auto add = [&sub](const std::string& text) { sub += (sub.empty() ? "" : ",") + text; };
  for (const std::string_view word : p.path) add(is_index(word) ? std::string(word) : upright(word));
  for (const std::string& index : symbol.index) {
    std::string inner, of = is_index(index) ? index : letter_in_latex(index, inner);
    if (index.find_first_of(".['") != std::string::npos) {
      of = in_latex({index, {}});
      inner.clear();
    }
    add(of + (inner.empty() ? "" : "_{" + inner + "}"));
  }
  if (!sub.empty()) letter += "_{" + sub + "}";
  if (p.primes > 2) letter += "^{(" + std::to_string(p.primes) + ")}";
  return letter + (transposed ? "^{\\mathsf{T}}" : "");
}

// Greek words become letters; everything else stays as the model has it.
std::string in_unicode(std::string_view name) {
  if (name.starts_with(kSumOf) && name.ends_with(')'))
    return "Σ" + in_unicode(name.substr(kSumOf.size(), name.size() - kSumOf.size() - 1));
  std::string out;
  std::size_t at = 0;
  while (at < name.size()) {
    std::size_t end = at;
    while (end < name.size() && (std::isalnum(static_cast<unsigned char>(name[end])) || name[end] == '_')) ++end;
    const Word w = split(name.substr(at, end - at));
    out += w.greek.empty() ? name.substr(at, end - at) : std::string(w.greek) + std::string(w.sub);
    if (end < name.size()) out += name[end];
    at = end + 1;
  }
  if (out.ends_with("^T")) out.replace(out.size() - 2, 2, "ᵀ");
  return out;
}

}  // namespace

std::string greek_in_latex(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [command, length] = greek_at(text);
    out += length > 0 ? "\\ensuremath{" + command + "}" : std::string(text.substr(0, 1));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string typeset(const SymbolName& symbol, Language language) {
  if (language == Language::latex) return in_latex(symbol);
  std::string out = symbol.name;
  for (std::size_t k = 0; k < symbol.index.size(); ++k) out += (k ? "," : "[") + symbol.index[k];
  if (!symbol.index.empty()) out += "]";
  return language == Language::text ? in_unicode(out) : out;
}

// The names of operations, words that mean something in one of the languages, and names that programs use themselves.
Identifiers::Identifiers() {
  for (std::size_t op = 0; op < kernel::kOpCount; ++op)
    taken_.insert(std::string(kernel::op_text(static_cast<kernel::Op>(op))));
  for (const char* word :
       {"Abs",    "And",      "E",        "Eq",       "I",      "K",    "Max",    "Min",       "N",      "NA",
        "NaN",    "Ne",       "None",     "Not",      "O",      "Or",   "P",      "Piecewise", "Q",      "S",
        "True",   "as",       "auto",     "begin",    "break",  "case", "catch",  "char",      "choose", "class",
        "const",  "continue", "def",      "default",  "del",    "do",   "double", "dy",        "elif",   "else",
        "end",    "enum",     "eps",      "except",   "extern", "fabs", "false",  "finally",   "float",  "fmax",
        "fmin",   "for",      "from",     "function", "global", "goto", "if",     "im",        "import", "in",
        "inf",    "inline",   "int",      "is",       "lambda", "let",  "local",  "log10",     "long",   "macro",
        "module", "nan",      "nonlocal", "np",       "p",      "pass", "pi",     "pinv",      "print",  "quote",
        "r",      "raise",    "register", "restrict", "return", "rhs",  "short",  "signed",    "sizeof", "solution",
        "solve",  "static",   "struct",   "switch",   "t",      "true", "try",    "typedef",   "union",  "unsigned",
        "using",  "void",     "volatile", "while",    "with",   "y",    "yield",  "zeros"})
    taken_.insert(word);
}

std::string Identifiers::of(const SymbolName& symbol) {
  std::string out;
  std::string text = symbol.name;
  for (const std::string& index : symbol.index) text += "_" + index;
  std::size_t primes = 0;
  const auto underline = [&out] {
    if (!out.empty() && out.back() != '_') out += '_';
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '\'') {
      ++primes;
      if (k + 1 < text.size() && text[k + 1] == '\'') continue;
      underline();
      out += std::string(primes, 'd') + "ot";
      primes = 0;
    } else if (std::isalnum(static_cast<unsigned char>(c))) {
      out += c;
    } else {
      underline();
    }
  }
  while (out.ends_with('_')) out.pop_back();
  if (out.empty() || is_digit(out.front())) out.insert(0, "q_");
  const std::string first = out;
  for (int k = 2; !taken_.insert(out).second; ++k) out = k == 2 ? first + "_" : first + "_" + std::to_string(k);
  return out;
}

}  // namespace mbc::reading
