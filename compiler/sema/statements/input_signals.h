// SPDX-License-Identifier: Apache-2.0
// Inputs that follow a signal from a `simulate` block or the command line instead of values set from outside: `input.u
// = table(t, "u.csv")`, `input.u = sin(t)`.
//
// The signal replaces the leaf of the input, so that later passes find an expression like any other. A table of times
// without a written method is held between its samples: it becomes a discrete variable that an event assigns at each
// sample. Steps also end at the times of a piecewise linear table, because its slope jumps there.
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
  bool angle = false;                                // as of a Value, or the signal depends on something that moves
  std::shared_ptr<const kernel::DataTable> samples;  // held between them; null: `value` is the signal
  std::shared_ptr<const kernel::DataTable> kinks;    // of a piecewise linear signal
};

// Reports an expression that is no signal, and returns nothing.
std::optional<InputSignal> read_signal(const ast::Expr& e, const std::string& input, const Scope& scope,
                                       Evaluator& evaluator, Sink& sink);

// Returns the inputs that have a signal from a block with these settings or from the command line.
std::vector<std::string> inputs_with_signal(const Model& model, const std::vector<std::string>& in_block,
                                            const std::vector<Override>& overrides);

}  // namespace mbc::sema
