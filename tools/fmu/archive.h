// SPDX-License-Identifier: Apache-2.0
// FMUs: archives of a model that importers of FMI run (https://fmi-standard.org).
#pragma once
#include <string>
#include <vector>

#include "mbc/model.h"

namespace mbc::tools {

struct FmuSettings {
  int version = 3;         // version of FMI: 2 or 3
  std::string name;        // name of the model's file
  std::string identifier;  // a C identifier
  std::string simulation;  // block; "": the first one
  std::vector<std::string> set;
};

// Returns the bytes of the archive; "" on failure, with the reason in `error`. The library of FMUs (libmbc-fmi.so) is
// searched for like native code.
[[nodiscard]] std::string fmu_of(const Model& model, const FmuSettings& settings, std::string& error);

}  // namespace mbc::tools
