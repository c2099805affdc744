// SPDX-License-Identifier: Apache-2.0
// Reports failures at run time in the words of the model.
#pragma once
#include <cstdint>
#include <string>

#include "base/diagnostics/diagnostic.h"
#include "base/span.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// These functions return the name of entry `entry` of the state y = [q; u; s] in the model, for messages, and the place
// of its declaration.
std::string entry_name(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry);
Span entry_span(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry);
// Points the diagnostic at this entry.
void point_at_entry(Diagnostic& d, const problem::Problem& info, const kernel::SystemLayout& layout,
                    std::uint32_t entry);

// Names the owner of a failed operation if its place in the text does not identify it, that is, if the operation is in
// an instance, in an element of an array, or in a function of another file. The owner is also added to the first
// argument of the diagnostic.
void name_owner(Diagnostic& d, const problem::Problem& info, const problem::FailedOperation& failed);

// Builds the diagnostic for an evaluation at (t, y) that was not finite. It repeats the evaluation operation by
// operation.
Diagnostic undefined_value(Equations& equations, const problem::Problem& info, double t, const double* y);
// Builds the same diagnostic for the output `name` at the accelerations in dy.
Diagnostic undefined_output(Equations& equations, const problem::Problem& info, double t, const double* y,
                            const double* dy, const std::string& name);

// Returns the arguments of E0688 for an argument outside of a table.
std::vector<std::string> outside_table(double x, double first, double last);

}  // namespace mbc::runtime
