// SPDX-License-Identifier: Apache-2.0
// The folder `resources` of an FMU: the text of the model, the files it reads, and contents.json with the options of
// the compilation. The exporter writes it, instances read it.
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

// Returns the files by their paths in `resources`. `set` are the values given at the export.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> resource_files(const Model& model,
                                                                              const std::string& name,
                                                                              const std::string& token,
                                                                              const std::string& simulation,
                                                                              const std::vector<std::string>& set);

// Reads that folder; returns nothing on failure, with the reason in `error`.
[[nodiscard]] std::optional<Resources> read_resources(const std::string& folder, std::string& error);

// Returns a check sum over the texts and values.
[[nodiscard]] std::string token_of(const Model& model, const std::string& simulation,
                                   const std::vector<std::string>& set);

}  // namespace mbc::fmi
