// SPDX-License-Identifier: Apache-2.0
// Finds the statement of the model that an instance of a template comes from.
#pragma once
#include <string>

#include "compiler/lower/system.h"

namespace mbc::lower {

using problem::ItemPlace;

// `item` is one of Family::items of the part.
ItemPlace item_of(const Part& part, std::uint32_t item, const sema::Model& model);
inline std::string item_name(const Part& part, std::uint32_t item, const sema::Model& model) {
  return item_of(part, item, model).name;
}

}  // namespace mbc::lower
