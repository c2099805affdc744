// SPDX-License-Identifier: Apache-2.0
// Run-time failures in the words of the model.
#pragma once
#include <cstdint>
#include <string>

#include "base/diagnostics/diagnostic.h"
#include "base/span.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// What entry `entry` of the state y = [q; u; s] is in the model, for messages; where it is declared.
std::string entry_name(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry);
Span entry_span(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry);
// Points the diagnostic at it.
void point_at_entry(Diagnostic& d, const problem::Problem& info, const kernel::SystemLayout& layout,
                    std::uint32_t entry);

// Whose operation it was, where the place in the text does not say it: it is in an instance, in an element of an array,
// or in a function of another file. The first argument of the diagnostic then says so, too.
void name_owner(Diagnostic& d, const problem::Problem& info, const problem::FailedOperation& failed);

// The diagnostic for an evaluation that was not finite at (t, y): it is made again, operation by operation.
Diagnostic undefined_value(Equations& equations, const problem::Problem& info, double t, const double* y);
// The same for an output of that name, at the accelerations in dy.
Diagnostic undefined_output(Equations& equations, const problem::Problem& info, double t, const double* y,
                            const double* dy, const std::string& name);

// What E0688 says of an argument outside of a table.
std::vector<std::string> outside_table(double x, double first, double last);

}  // namespace mbc::runtime
