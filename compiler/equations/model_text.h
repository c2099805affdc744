// SPDX-License-Identifier: Apache-2.0
// Equations in the language of models: a text that our own parser reads back.
#pragma once
#include <string>

#include "compiler/equations/document.h"

namespace mbc::equations {

// A model without units whose `let`s and outputs are the equations, in SI. Parameters keep their values; coordinates,
// speeds and whatever else the equations hold are inputs, with the values of the start.
[[nodiscard]] std::string as_model_text(const Document& document);

}  // namespace mbc::equations
