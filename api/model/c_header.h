// SPDX-License-Identifier: Apache-2.0
// The header that comes with the object file of a model: all that a program in C needs to call its functions.
#pragma once
#include <string>

#include "api/model/equation_variant.h"

namespace mbc::api {

// Sizes, places in `work`, names, units, values and signatures. `prefix` as for the object file.
[[nodiscard]] std::string c_header(const EquationVariant& variant, const std::string& prefix);

}  // namespace mbc::api
