// SPDX-License-Identifier: Apache-2.0
// The data that an executable of a model has after the program it is a copy of: the texts of the model and its native
// code.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/archive.h"
#include "mbc/mbc.h"

namespace mbc::tools {

struct Embedded {
  std::string version;  // version of mbc
  std::string name, text;
  std::string simulation;        // the block it runs; "": the program chooses it, as `mbc run` does
  std::vector<std::string> set;  // settings given when it was made
  std::vector<std::string> file_names, file_texts;
  std::string code;                   // MachineCode::Form::program
  std::vector<std::string> features;  // processor features that it needs

  void transfer(Archive& archive) {
    archive(version, name, text, simulation, set, file_names, file_texts, code, features);
  }
};

// Returns the texts of a model.
[[nodiscard]] Embedded embedded(const Model& model, const std::string& name, const std::string& simulation,
                                const std::vector<std::string>& set);

// executable() appends the data to `program`; embedded_in() returns the data of a program, or nothing.
[[nodiscard]] std::string executable(const std::string& program, Embedded embedded);
[[nodiscard]] std::optional<Embedded> embedded_in(const std::string& executable);

}  // namespace mbc::tools
