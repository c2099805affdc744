// SPDX-License-Identifier: Apache-2.0
// Translates the methods that a `simulate` block chooses into the options of a run, and back into text, with the
// defaults filled in.
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

// Returns the options that a block and its caller select; callbacks are left out.
runtime::SimulateOptions settings_of(const sema::Simulation& s, const RunOptions& options);
// Sets the integrator and the stabilisation of a block.
void choose_methods(const sema::Simulation& s, runtime::SimulateOptions& options);
// Returns the number of right-hand sides that a run will evaluate; 0 if it is not known.
double expected_calls(const runtime::SimulateOptions& options);
std::string integrator_text(const sema::Simulation& s);
std::string stabilise_text(const sema::Simulation& s);

// Returns the block of this name; "" means the first one in all functions. Null if there is none.
const sema::Simulation* block_named(const std::vector<sema::Simulation>& blocks, const std::string& name);
// Returns the block for a model without blocks.
sema::Simulation usual_block();

Formulation formulation(const formulate::Formulation& formulation);
Methods methods_of(const sema::Simulation& s, Representation bodies);

}  // namespace mbc::api
