// SPDX-License-Identifier: Apache-2.0
// The text of what a sweep draws or lists, as people read it.
#pragma once
#include <string>

#include "mbc/info.h"

namespace mbc::api {

// Returns "m ~ normal(2, 0.1) [kg]" or "m from "parts.csv"".
inline std::string drawn_text(const VariedInfo& v) {
  return v.quantity.name + (v.drawn.starts_with('"') ? " from " : " ~ ") + v.drawn;
}

}  // namespace mbc::api
