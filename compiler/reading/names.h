// SPDX-License-Identifier: Apache-2.0
// The names of a model as they are typeset, and as identifiers of programs.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "compiler/reading/language.h"

namespace mbc::reading {

// "theta1'", "arm.omegax", "M" with the indices 1 and 2. One that stands for a whole vector or matrix is bold.
struct SymbolName {
  std::string name;
  std::vector<std::string> index{};
  bool bold = false;
};

// In text, ASCII or LaTeX.
// Returns a text with its Greek letters as LaTeX has them in text.
[[nodiscard]] std::string greek_in_latex(std::string_view text);

[[nodiscard]] std::string typeset(const SymbolName& name, Language language);

// Different identifiers for different names: letters, digits and underscores, no word of a language.
class Identifiers {
 public:
  Identifiers();
  [[nodiscard]] std::string of(const SymbolName& name);

 private:
  std::set<std::string> taken_;
};

}  // namespace mbc::reading
