// SPDX-License-Identifier: Apache-2.0
// The equations of motion as source code of another language: y' = rhs(t, y, p), y = [q; u; s], with named intermediate
// results. It computes what the kernel does, to rounding: u' and the multipliers lambda are the solution of
//
//   [ M  -A^T ] [ u'     ]   [ f + C ]
//   [ A    0  ] [ lambda ] = [ b     ]
//
// of smallest norm, or another one, where rows are redundant: u' is the same. C that depends on the multipliers without
// it is added after they are known (docs/numerics.md, "Prescribed forces").
#pragma once
#include <string>

#include "compiler/equations/written_system.h"
#include "compiler/reading/language.h"

namespace mbc::equations {

struct Program {
  std::string text;
  std::string refusal;  // why there is none, as a sentence that says what to use
};

struct ProgramSources {
  const sema::Model& model;
  const lower::System& system;
  const Numbers& numbers;
  std::string title;
};

[[nodiscard]] Program program_of(const ProgramSources& sources, reading::Language language);

}  // namespace mbc::equations
