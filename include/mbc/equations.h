// SPDX-License-Identifier: Apache-2.0
// The equations of a model to read, to typeset and to take along as source code of other languages.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mbc/model.h"

namespace MBC_API mbc {

struct EquationsRequest {
  // latex: a document for pdflatex; markdown: with formulas for MathJax. mbd: a model without units whose outputs are
  // the equations, as values of parameters and inputs. c to julia are source code: a function rhs(t, y, p) that gives
  // y' of the state y = [q; u; s] in the order of Model::coordinates(), speeds() and states(), with the parameters,
  // then the inputs, then discrete states in p.
  enum class Form : std::uint8_t {
    text,
    latex,
    markdown,
    json,
    c,
    python,
    octave,
    sympy,
    julia,
    mbd
  } form = Form::text;
  bool ascii = false;      // text: in the language of models itself, without Greek letters and raised exponents
  bool fragments = false;  // latex: equations with labels, without the frame of a document
  // The selection: sections ("M", "constraints"), entries ("M[1,2]", "f[drive]"), coordinates, rows, parts of the
  // model; none: everything. Source code is always complete.
  std::vector<std::string> of{};
  std::vector<std::string> numbers{};  // parameters that are written as the numbers they have
  bool derivation = false;             // constraints: with the first derivatives of their residuals
  bool places = false;                 // constraints: with file, line and column
  bool colour = false;                 // of messages
};

// In the shape of the model. ErrorCode::no_such_name for what is not there, with a diagnostic;
// ErrorCode::invalid_argument for source code of a model that cannot be had as a function: contacts, frictions, forces
// that depend on reactions, tables.
[[nodiscard]] Result<std::string> model_equations(const Model& model, const EquationsRequest& request = {});

}  // namespace mbc
