// SPDX-License-Identifier: Apache-2.0
// A document of equations as text for terminals, LaTeX and Markdown, and equation by equation.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/equations/document.h"

namespace mbc::equations {

[[nodiscard]] std::string as_text(const Document& document, bool ascii);
// `fragments`: without the frame of a document.
[[nodiscard]] std::string as_latex(const Document& document, bool fragments);
// Returns the first letter of a text that LaTeX does not have in its usual fonts, neither of Western and Central
// European languages nor Greek; "" if there is none.
[[nodiscard]] std::string letter_beyond_latex(std::string_view text);
// With formulas as MathJax reads them.
[[nodiscard]] std::string as_markdown(const Document& document);

// Each equation as texts: `left` and `right` in the language of models.
struct PrintedEquation {
  std::string label, left, right, latex, unit, remark, where, range, total;
};
struct PrintedSection {
  std::string key, title;
  std::vector<PrintedEquation> equations;
  std::vector<std::string> notes;
};
[[nodiscard]] std::vector<PrintedSection> printed(const Document& document);

}  // namespace mbc::equations
