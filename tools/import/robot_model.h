// SPDX-License-Identifier: Apache-2.0
// Writes a robot as a model: a text as a person would have written it.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/robot.h"

namespace mbc::tools {

struct ImportOptions {
  bool free_base = false;  // else the root link is part of the ground
  bool repair = false;     // makes tensors of inertia physical
};

struct ImportedModel {
  std::string text;
  std::vector<std::pair<std::string, std::string>> names;  // of the file, and of the model where they differ
  std::vector<Remark> remarks;                             // what was left out or changed
};

// `file` names the source in the head of the text. Links are in an order in which parents come first. Returns nothing,
// with the problem, for a robot that mbc cannot move.
[[nodiscard]] std::optional<ImportedModel> write_model(const Robot& robot, const std::string& file,
                                                       const ImportOptions& options, Remark& problem);

}  // namespace mbc::tools
