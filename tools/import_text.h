// SPDX-License-Identifier: Apache-2.0
// Robot files of all formats as texts of models.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/import/robot_model.h"
#include "tools/options.h"

namespace mbc::tools {

// Returns the model of a robot file with this text, or nothing and a line with the place of what is wrong.
[[nodiscard]] std::optional<ImportedModel> import_text(const Options& options, const std::string& text,
                                                       std::string& error);
// Tells what is not taken over, on stderr: a line for each kind, "robot.urdf:24: not taken over: <mesh> (lines 24,
// 41)", or with --diagnostics=json an object for each place.
void say_remarks(const Options& options, const std::vector<Remark>& remarks);
// Reads the robot file of the command line as a model for the verb. What is not taken over goes to stderr. Returns the
// exit status.
[[nodiscard]] int import_first(Options& options);

}  // namespace mbc::tools
