// SPDX-License-Identifier: Apache-2.0
// The parts of the answer about a linear model that the answer about equilibria contains too.
#pragma once
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::api {

[[nodiscard]] std::vector<std::string> names_of(const std::vector<Quantity>& list);
// Returns the verdict on an equilibrium or a steady motion.
[[nodiscard]] std::string stability_text(const LinearModel& model);
// Returns the number of poles, a table of those that are not zero, and the blocks of the others.
[[nodiscard]] std::string poles_text(const LinearModel& model);

}  // namespace mbc::api
