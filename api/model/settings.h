// SPDX-License-Identifier: Apache-2.0
// The methods a `simulate` block chooses: from their names and arguments to the options of a run, and back to text with
// the defaults filled in.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "compiler/pipeline.h"
#include "mbc/mbc.h"
#include "runtime/run/simulate.h"

namespace mbc::api {

std::string choice_text(const char* method, const sema::Arguments& arguments);  // "project(tol = 1e-12)"
template <class Method>
std::string choice_text(const sema::Choice<Method>& choice) {
  return choice_text(choice.name(), choice);
}

// A block and what the caller adds to it, as the runtime wants it; without who watches.
runtime::SimulateOptions settings_of(const sema::Simulation& s, const RunOptions& options);
// Integrator and stabilisation of a block.
void choose_methods(const sema::Simulation& s, runtime::SimulateOptions& options);
// Right-hand sides that a run will ask the kernel for; 0 when that is not known.
double expected_calls(const runtime::SimulateOptions& options);
std::string integrator_text(const sema::Simulation& s);
std::string stabilise_text(const sema::Simulation& s);

// The block of that name; "" means the only one. Null when there is none.
const sema::Simulation* block_named(const std::vector<sema::Simulation>& blocks, const std::string& name);
// What a model without blocks is run by.
sema::Simulation usual_block();

Formulation formulation(const formulate::Formulation& formulation);
Methods methods_of(const sema::Simulation& s, Representation bodies);

}  // namespace mbc::api
