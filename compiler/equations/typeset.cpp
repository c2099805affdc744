// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/typeset.h"

#include <algorithm>

#include "base/table.h"
#include "base/text.h"
#include "base/wrapped.h"
#include "compiler/reading/print.h"

namespace mbc::equations {

namespace {

using reading::Language;

// Columns of a terminal and of a page.
constexpr std::size_t kWidth = 100, kWidthOfPage = 72;
// Longer left sides are not what the others are aligned with.
constexpr std::size_t kWidestLeft = 30;

// With marks where a line may end.
std::string marked(const Document& document, const reading::Expression& e, Language language) {
  return reading::print(e, language,
                        [&](std::uint32_t s) { return reading::typeset(document.symbols.name(s), language); });
}

std::string left_text(const Document& document, const Equation& e, Language language) {
  return reading::on_one_line(marked(document, e.left, language));
}

// "x != 0, y != 0", with marks.
std::string conditions(const Document& document, const Equation& e, Language language) {
  std::vector<std::string> all;
  for (const reading::Expression& c : e.conditions) all.push_back(marked(document, c, language));
  return reading::listed(all);
}

// ---- LaTeX

std::string escaped_latex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view special = "#$%&_{}";
    if (special.find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else if (c == '\\' || c == '^' || c == '~' || c == '<' || c == '>' || c == '|')
      out += c == '\\' ? "\\textbackslash{}" : c == '^' ? "\\^{}" : c == '~' ? "\\~{}" : "$" + std::string(1, c) + "$";
    else
      out += c;
  }
  return reading::greek_in_latex(out);
}

// "kg*m^2/s" as a unit.
std::string unit_in_latex(std::string_view unit) {
  std::string out;
  for (std::size_t k = 0; k < unit.size(); ++k) {
    if (unit[k] == '*') {
      out += "\\,";
    } else if (unit[k] == '^') {
      const std::size_t end = std::min(unit.find_first_of("*/", k), unit.size());
      out += "^{" + std::string(unit.substr(k + 1, end - k - 1)) + "}";
      k = end - 1;
    } else {
      out += unit[k];
    }
  }
  return "\\mathrm{" + out + "}";
}

// "i = 2..9" as "i = 2, \\dots, 9".
std::string range_in_latex(std::string range) {
  if (range.find('=') == std::string::npos) return "\\text{for " + range + "}";
  for (std::size_t at = 0; (at = range.find("..", at)) != std::string::npos;) range.replace(at, 2, ", \\dots, ");
  return range;
}

std::string label_in_latex(const std::string& label) {
  std::string out;
  for (const char c : label)
    if (c == '\'')
      out += "-dot";
    else if (std::string_view("[],. ").find(c) == std::string_view::npos)
      out += c;
    else if (!out.ends_with('-') && c != ']')
      out += '-';
  return out;
}

std::string last_line(const std::string& text) { return text.substr(text.rfind('\n') + 1); }

// Conditions behind a formula that ends in column `used`; on lines of their own where they are too long.
std::string conditions_in_latex(const Document& document, const Equation& e, std::size_t used) {
  const std::string all = conditions(document, e, Language::latex), line = reading::on_one_line(all);
  if (used + 4 + reading::width_in_latex(line) <= kWidthOfPage) return " \\qquad " + line;
  const std::string next = " \\notag \\\\\n  &\\qquad ";
  return next + reading::on_lines_in_latex(all, kWidthOfPage, 4, next);
}

// "left &= right" with its unit. Where it is broken the next line begins with a quad.
std::string formula(const Document& document, const Equation& e) {
  std::string out = left_text(document, e, Language::latex);
  if (e.right)
    out += " &= " + reading::on_lines_in_latex(marked(document, *e.right, Language::latex), kWidthOfPage,
                                               reading::width_in_latex(out) + 2, " \\notag \\\\\n  &\\quad ");
  if (e.total)
    out += " \\notag \\\\\n  &= " + reading::on_lines_in_latex(marked(document, *e.total, Language::latex),
                                                               kWidthOfPage, 12, " \\notag \\\\\n  &\\quad ");
  out += e.unit.empty() ? "" : " \\quad [" + unit_in_latex(e.unit) + "]";
  if (!e.conditions.empty()) out += conditions_in_latex(document, e, reading::width_in_latex(last_line(out)));
  return out + (e.range.empty() ? "" : " \\qquad " + range_in_latex(e.range));
}

// Equations in groups: a remark stands above the first of its group.
template <class Group, class Remark>
void in_groups(const Section& section, Group&& group, Remark&& remark) {
  std::vector<const Equation*> open;
  const auto close = [&] {
    if (!open.empty()) group(open);
    open.clear();
  };
  for (const Equation& e : section.equations) {
    if (!e.remark.empty()) {
      close();
      remark(e.remark);
    }
    open.push_back(&e);
  }
  close();
}

// A remark about a row is the statement of the model behind a colon, as code.
std::string with_code(const std::string& remark, const std::string& begin, const std::string& end,
                      std::string (*escaped)(std::string_view)) {
  const std::size_t colon = remark.find(": ");
  if (colon == std::string::npos) return escaped(remark);
  return escaped(remark.substr(0, colon + 2)) + begin + escaped(remark.substr(colon + 2)) + end;
}

// " = right  [unit]  where x != 0  for i = 1..9"; left sides are `width` columns wide.
std::string right_text(const Document& document, const Equation& e, Language language, std::size_t width) {
  const std::string next(width + 5, ' ');
  std::string out =
      e.right ? " = " + reading::on_lines(marked(document, *e.right, language), kWidth, width + 5, "\n" + next) : "";
  if (e.total)
    out += "\n" + std::string(width + 2, ' ') + " = " +
           reading::on_lines(marked(document, *e.total, language), kWidth, width + 5, "\n" + next);
  const auto add = [&](const std::string& more) {
    const bool first = out.find('\n') == std::string::npos;
    const std::size_t used = text::display_width(last_line(out)) + (first ? width + 2 : 0);
    const std::string line = reading::on_one_line(more);
    out += used + 2 + text::display_width(line) <= kWidth
               ? "  " + line
               : "\n" + next + reading::on_lines(more, kWidth, next.size(), "\n" + next);
  };
  if (!e.unit.empty()) add("[" + e.unit + "]");
  if (!e.conditions.empty()) add("where " + conditions(document, e, language));
  if (!e.range.empty()) add("for " + e.range);
  return out;
}

}  // namespace

std::string as_text(const Document& document, bool ascii) {
  const Language language = ascii ? Language::ascii : Language::text;
  std::string out = document.title + "\n";
  for (const Section& s : document.sections) {
    out += "\n" + s.title + "\n";
    std::size_t width = 0;
    for (const Equation& e : s.equations)
      if (const std::size_t w = text::display_width(left_text(document, e, language)); w <= kWidestLeft)
        width = std::max(width, w);
    for (const Equation& e : s.equations) {
      const std::string left = left_text(document, e, language);
      const std::size_t used = std::max(width, text::display_width(left));
      const std::string right = right_text(document, e, language, used);
      const bool beside = !e.remark.empty() && right.find('\n') == std::string::npos &&
                          used + 8 + text::display_width(right) + text::display_width(e.remark) <= kWidth;
      if (!e.remark.empty() && !beside) out += text::wrapped(e.remark, kWidth, "  ", "    ");
      out += "  " + left + std::string(e.right ? used - text::display_width(left) : 0, ' ') + right +
             (beside ? "    (" + e.remark + ")" : "") + "\n";
    }
    for (const std::string& note : s.notes) out += text::wrapped(note, kWidth, "  ", "    ");
  }
  return out;
}

std::string letter_beyond_latex(std::string_view text) {
  constexpr std::string_view kLast = "ſ";  // of Latin Extended-A; the order of bytes is that of the characters
  constexpr std::string_view kPunctuation = "\xe2\x80";
  for (std::size_t k = 0; k < text.size();) {
    const std::string letter(text.substr(k, std::max<std::size_t>(utf8_length(text, k), 1)));
    k += letter.size();
    if (letter > kLast && !letter.starts_with(kPunctuation) && reading::greek_in_latex(letter) == letter) return letter;
  }
  return "";
}

namespace {

// Accents are letters of their own only in the encoding T1 of fonts.
std::string head_in_latex(const std::string& title, const std::string& body) {
  const std::string all = title + body;
  const bool accents =
      std::any_of(all.begin(), all.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  return "\\documentclass{article}\n" + std::string(accents ? "\\usepackage[T1]{fontenc}\n" : "") +
         "\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n\\usepackage[margin=2cm]{geometry}\n"
         "\\allowdisplaybreaks\n\\begin{document}\n\\raggedright\n\\section*{" +
         escaped_latex(title) + "}\n";
}

}  // namespace

std::string as_latex(const Document& document, bool fragments) {
  std::string out;
  for (const Section& s : document.sections) {
    out += (fragments ? "% " + s.title : "\\subsection*{" + escaped_latex(s.title) + "}") + "\n";
    in_groups(
        s,
        [&](const std::vector<const Equation*>& group) {
          out += "\\begin{align}\n";
          for (const Equation* e : group)
            out += "  " + formula(document, *e) + " \\label{eq:" + label_in_latex(e->label) + "}" +
                   (e == group.back() ? "\n" : " \\\\\n");
          out += "\\end{align}\n";
        },
        [&](const std::string& remark) {
          out += "\\noindent " + with_code(remark, "\\texttt{", "}", escaped_latex) + "\n";
        });
    for (const std::string& note : s.notes) out += "\\noindent " + escaped_latex(note) + "\n\n";
  }
  return fragments ? out : head_in_latex(document.title, out) + out + "\\end{document}\n";
}

std::string as_markdown(const Document& document) {
  std::string out = "# " + document.title + "\n";
  const auto as_it_is = [](std::string_view text) { return std::string(text); };
  for (const Section& s : document.sections) {
    out += "\n## " + s.title + "\n";
    in_groups(
        s,
        [&](const std::vector<const Equation*>& group) {
          out += "\n$$\n\\begin{aligned}\n";
          for (const Equation* e : group) out += formula(document, *e) + (e == group.back() ? "\n" : " \\\\\n");
          out += "\\end{aligned}\n$$\n";
        },
        [&](const std::string& remark) { out += "\n" + with_code(remark, "`", "`", +as_it_is) + "\n"; });
    for (const std::string& note : s.notes) out += "\n" + note + "\n";
  }
  return out;
}

std::vector<PrintedSection> printed(const Document& document) {
  std::vector<PrintedSection> out;
  for (const Section& s : document.sections) {
    PrintedSection& made = out.emplace_back(PrintedSection{s.key, s.title, {}, s.notes});
    for (const Equation& e : s.equations)
      made.equations.push_back({e.label, left_text(document, e, Language::ascii),
                                e.right ? reading::on_one_line(marked(document, *e.right, Language::ascii)) : "",
                                formula(document, e), e.unit, e.remark,
                                reading::on_one_line(conditions(document, e, Language::ascii)), e.range,
                                e.total ? reading::on_one_line(marked(document, *e.total, Language::ascii)) : ""});
  }
  return out;
}

}  // namespace mbc::equations
