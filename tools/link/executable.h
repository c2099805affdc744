// SPDX-License-Identifier: Apache-2.0
// What an executable of a model holds behind the program it is a copy of: the texts of the model and its native code.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/archive.h"
#include "mbc/mbc.h"

namespace mbc::tools {

struct Embedded {
  std::string version;  // of mbc
  std::string name, text;
  std::string simulation;        // the block it runs; "": it says which, as `mbc run`
  std::vector<std::string> set;  // what was given when it was made
  std::vector<std::string> file_names, file_texts;
  std::string code;                   // MachineCode::Form::program
  std::vector<std::string> features;  // that processors must have for it

  void transfer(Archive& archive) {
    archive(version, name, text, simulation, set, file_names, file_texts, code, features);
  }
};

// The texts of a model.
[[nodiscard]] Embedded embedded(const Model& model, const std::string& name, const std::string& simulation,
                                const std::vector<std::string>& set);

// `program` with it; and what a program holds, or nothing.
[[nodiscard]] std::string executable(const std::string& program, Embedded embedded);
[[nodiscard]] std::optional<Embedded> embedded_in(const std::string& executable);

}  // namespace mbc::tools
