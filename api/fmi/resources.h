// SPDX-License-Identifier: Apache-2.0
// What lies in the folder `resources` of an FMU: the text of the model, the files it reads, and contents.json, which
// says how it is compiled. Written by the exporter, read by instances.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mbc/model.h"

namespace mbc::fmi {

struct Resources {
  std::string name;  // of the model's file
  std::string text;
  std::string token;
  std::string simulation;  // block
  CompileOptions options;  // its `set` and `loader`
};

// By path in `resources`. `set` are the values given when it was exported.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> resource_files(const Model& model,
                                                                              const std::string& name,
                                                                              const std::string& token,
                                                                              const std::string& simulation,
                                                                              const std::vector<std::string>& set);

// Of that folder; nothing, and why.
[[nodiscard]] std::optional<Resources> read_resources(const std::string& folder, std::string& error);

// A check sum over the texts and values.
[[nodiscard]] std::string token_of(const Model& model, const std::string& simulation,
                                   const std::vector<std::string>& set);

}  // namespace mbc::fmi
