// SPDX-License-Identifier: Apache-2.0
// modelDescription.xml of an FMU, by the standards FMI 2.0.4 and 3.0.2 (https://fmi-standard.org).
#pragma once
#include <string>

#include "mbc/model.h"

namespace mbc::fmi {

struct DescriptionSettings {
  int version = 3;         // 2 or 3
  std::string name;        // of the model, for people
  std::string identifier;  // a C identifier: the name of the library in `binaries`
  std::string token;       // the token that instances are created with: FMI 3's instantiationToken, FMI 2's guid
  std::string simulation;  // the `simulate` block that gives time and methods; "": none
};

// Returns the description of an FMU for Model Exchange and Co-Simulation; the model is ok().
[[nodiscard]] std::string model_description(const Model& model, const DescriptionSettings& settings);

}  // namespace mbc::fmi
