// SPDX-License-Identifier: Apache-2.0
// Places of a failure in the text of the user: a row or a force of a component stands in the library, or once for many
// instances, so the statements that made the instances are named as well.
#pragma once
#include <string>

#include "base/diagnostics/diagnostic.h"
#include "base/span.h"
#include "kernel/problem/problem.h"

namespace mbc::runtime {

// Where the quantity `name` of the model is declared: underlined when it is the first of the diagnostic, else labelled.
// Then the instances that it is in, the innermost first: "in `arm.pin`, made here".
void point_at(Diagnostic& d, const problem::Problem& info, const std::string& name, Span span,
              const std::string& label = "");
// The instances alone.
void name_instances(Diagnostic& d, const problem::Problem& info, const std::string& name);
// The row of that number.
void point_at_row(Diagnostic& d, const problem::Problem& info, std::size_t row, const std::string& label = "");
// "arm.pin" for "arm.pin.axis.x"; "" outside of components.
std::string instance_of(const problem::Problem& info, const std::string& name);

}  // namespace mbc::runtime
