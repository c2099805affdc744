// SPDX-License-Identifier: Apache-2.0
// Inputs whose values are not set from outside but follow a signal that a `simulate` block or the command line gives:
// `input.u = table(t, "u.csv")`, `input.u = sin(t)`.
//
// The signal takes the place of the input's leaf, so that whoever differentiates, lowers and compiles finds an
// expression like any other. A table of times whose method is not written is held between its samples: a held value
// that an event assigns at each of them. At the times of one that goes straight between them steps end as well, since
// there its slope jumps.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/expressions/evaluator.h"
#include "compiler/sema/signal_texts.h"

namespace mbc::sema {

struct InputSignal {
  Value value;                                       // of samples: the time
  Type type;                                         // of the signal
  bool angle = false;                                // as of a Value, or it is made of what moves
  std::shared_ptr<const kernel::DataTable> samples;  // held between them; null: `value` is the signal
  std::shared_ptr<const kernel::DataTable> kinks;    // of a signal that is straight between them
};

// Nothing, and reported, where it is none.
std::optional<InputSignal> read_signal(const ast::Expr& e, const std::string& input, const Scope& scope,
                                       Evaluator& evaluator, Sink& sink);

// The inputs that have a signal in a block of these settings, by what the command line says.
std::vector<std::string> inputs_with_signal(const Model& model, const std::vector<std::string>& in_block,
                                            const std::vector<Override>& overrides);

}  // namespace mbc::sema
