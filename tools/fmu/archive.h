// SPDX-License-Identifier: Apache-2.0
// FMUs: a model as an archive that importers of FMI run (https://fmi-standard.org).
#pragma once
#include <string>
#include <vector>

#include "mbc/model.h"

namespace mbc::tools {

struct FmuSettings {
  int version = 3;         // of FMI: 2 or 3
  std::string name;        // of the model's file
  std::string identifier;  // a name of C
  std::string simulation;  // block; "": the first one
  std::vector<std::string> set;
};

// The bytes of the archive; "" and why not. The library of FMUs (libmbc-fmi.so) is looked for as native code is.
[[nodiscard]] std::string fmu_of(const Model& model, const FmuSettings& settings, std::string& error);

}  // namespace mbc::tools
