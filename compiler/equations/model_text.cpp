// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/model_text.h"

#include <map>
#include <set>

#include "base/numbers.h"
#include "base/wrapped.h"
#include "compiler/reading/print.h"

namespace mbc::equations {

namespace {

using reading::Expression;
using reading::Form;
using reading::Language;

constexpr std::size_t kWidth = 100;

// Sections that are relations between names, or lists of them.
bool is_of_names(const Section& s) {
  static const std::set<std::string> kOfNames = {"q", "u", "s", "motion", "reactions"};
  return kOfNames.contains(s.key);
}

bool has_table(const Expression& e) {
  if (e.form == Form::call && e.op == kernel::Op::table) return true;
  for (const Expression& p : e.parts)
    if (has_table(p)) return true;
  return false;
}

class ModelText {
 public:
  explicit ModelText(const Document& document) : document_(document) {
    for (const Given& g : document.given) given_.insert(g.symbol);
    for (const char* word : {"mbd", "param", "then", "clock"}) static_cast<void>(identifiers_.of({word}));
    for (const Given& g : document.given) static_cast<void>(name(g.symbol));
  }

  std::string run() {
    define();
    std::string body;
    for (const Section& s : document_.sections) {
      std::string lines;
      for (const Equation& e : s.equations)
        if (written_.contains(&e)) lines += statement(e);
      if (!lines.empty()) body += "\n// " + s.title + "\n" + lines;
    }
    std::string out =
        "mbd 1\n// The equations of " + document_.title +
        " in SI units,\n// as values of what is given, at first where its motion begins. Only a clock moves.\n";
    if (!document_.about_start.empty()) out += text::wrapped(document_.about_start, kWidth, "// ", "// ");
    for (const Given& g : document_.given)
      if (used_.contains(g.symbol))
        out += (g.parameter ? "param " : "input ") + name(g.symbol) + " = " + text::number(g.value) + "\n";
    return out + "state clock = 0 where clock' = 1\n" + body + outputs();
  }

 private:
  // A given quantity is known by its symbol; what is defined is known by its name, since sums of equations name their
  // terms. One of either kind may have the name of one of the other.
  const std::string& name(std::uint32_t symbol) {
    const reading::SymbolName& known = document_.symbols.name(symbol);
    const std::string written = text_of(symbol);
    const std::string key = given_.contains(symbol) ? written : "defined " + written;
    const auto it = names_.find(key);
    if (it != names_.end()) return it->second;
    return names_.emplace(key, written == "t" ? "t" : identifiers_.of(known)).first->second;
  }

  void use(const Expression& e) {
    if (e.form == Form::symbol) used_.insert(e.symbol);
    for (const Expression& p : e.parts) use(p);
  }

  [[nodiscard]] std::string text_of(std::uint32_t symbol) const {
    return reading::typeset(document_.symbols.name(symbol), Language::ascii);
  }

  // The equations whose right sides hold only what is given and what other such equations define, in any order.
  void define() {
    for (const Section& s : document_.sections)
      for (const Equation& e : s.equations)
        if (!is_of_names(s) && e.right && e.left.form == Form::symbol && !has_table(*e.right)) written_.insert(&e);
    for (bool more = true; more;) {
      defined_.clear();
      for (const Equation* e : written_) defined_.insert(text_of(e->left.symbol));
      more = std::erase_if(written_, [&](const Equation* e) { return !is_known(*e->right); }) > 0;
    }
  }

  bool is_known(const Expression& e) const {
    if (e.form == Form::symbol) {
      const std::string written = text_of(e.symbol);
      return given_.contains(e.symbol) || written == "t" || defined_.contains(written);
    }
    for (const Expression& p : e.parts)
      if (!is_known(p)) return false;
    return true;
  }

  std::string statement(const Equation& e) {
    use(*e.right);
    const std::string left = name(e.left.symbol);
    order_.push_back(left);
    const std::string marked = reading::print(*e.right, Language::ascii, [&](std::uint32_t s) { return name(s); });
    const std::string lines = reading::on_lines(marked, kWidth - 1, left.size() + 8, "\n  ");
    const bool whole = lines.find('\n') == std::string::npos;
    const std::string made = "let " + left + " = " + (whole ? lines : "(" + lines + ")");
    return made + conditions(e, made.size() - (made.rfind('\n') + 1)) + "\n";
  }

  // "  // where x != 0, y != 0" behind what ends in column `used`; on lines of their own where they are too long.
  std::string conditions(const Equation& e, std::size_t used) {
    if (e.conditions.empty()) return "";
    std::vector<std::string> all;
    for (const Expression& c : e.conditions)
      all.push_back(reading::print(c, Language::ascii, [&](std::uint32_t s) { return name(s); }));
    const std::string marked = reading::listed(all), line = reading::on_one_line(marked);
    constexpr std::string_view kWhere = "  // where ";
    if (used + kWhere.size() + line.size() <= kWidth) return std::string(kWhere) + line;
    return "\n" + std::string(kWhere) + reading::on_lines(marked, kWidth, kWhere.size(), "\n  //   ");
  }

  [[nodiscard]] std::string outputs() const {
    std::string out = order_.empty() ? "" : "\n";
    for (const std::string& one : order_) out += "output " + one + "\n";
    return out;
  }

  const Document& document_;
  reading::Identifiers identifiers_;
  std::map<std::string, std::string> names_;
  std::set<std::uint32_t> used_, given_;
  std::set<const Equation*> written_;
  std::set<std::string> defined_;
  std::vector<std::string> order_;
};

}  // namespace

std::string as_model_text(const Document& document) { return ModelText(document).run(); }

}  // namespace mbc::equations
