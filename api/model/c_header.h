// SPDX-License-Identifier: Apache-2.0
// The header for the object file of a model: everything that a program in C needs to call its functions.
#pragma once
#include <string>

#include "api/model/equation_variant.h"

namespace mbc::api {

// Returns the header: sizes, places in `work`, names, units, values and signatures. `prefix` is that of the object
// file.
[[nodiscard]] std::string c_header(const EquationVariant& variant, const std::string& prefix);

}  // namespace mbc::api
