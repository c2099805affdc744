// SPDX-License-Identifier: Apache-2.0
// Finds the places of a failure in the text of the user. A row or a force of a component may be written in the library,
// or once for many instances, so the statements that made the instances are named as well.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/span.h"
#include "kernel/problem/problem.h"

namespace mbc::runtime {

// Points the diagnostic at the declaration of the quantity `name`. The first place of a diagnostic is underlined, later
// ones are labelled. The instances around the quantity follow, the innermost first: "in `arm.pin`, made here".
void point_at(Diagnostic& d, const problem::Problem& info, const std::string& name, Span span,
              const std::string& label = "");
// Adds only the instances.
void name_instances(Diagnostic& d, const problem::Problem& info, const std::string& name);
// Points at row number `row`.
void point_at_row(Diagnostic& d, const problem::Problem& info, std::size_t row, const std::string& label = "");
// Returns the diagnostic of a failure at time t (s), without a place.
Diagnostic diagnostic_of(Kind kind, std::optional<double> t, std::vector<std::string> args, std::string help = {});
// Returns the same, pointed at row number `row`.
Diagnostic about_row(const problem::Problem& info, std::size_t row, Kind kind, std::optional<double> t,
                     std::vector<std::string> args = {}, std::string help = {});
// Returns the same, pointed at unilateral constraint number `unilateral`.
Diagnostic about_contact(const problem::Problem& info, std::uint32_t unilateral, Kind kind, std::optional<double> t,
                         std::vector<std::string> args, std::string help = {});
// Returns "arm.pin" for "arm.pin.axis.x", and "" outside of components.
std::string instance_of(const problem::Problem& info, const std::string& name);

}  // namespace mbc::runtime
