// SPDX-License-Identifier: Apache-2.0
// Reads the files of the repository for the house tests at run time from the source folder.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mbc::house {

struct SourceText {
  std::string path;  // path from the root, "kernel/op.h"
  std::string text;

  [[nodiscard]] bool ends_with(std::string_view suffix) const { return path.ends_with(suffix); }
  // Returns "kernel" for "kernel/op.h", and "" for "LICENSE".
  [[nodiscard]] std::string folder() const;
};

// Returns every file in the folders and at the top of the repository, without build results and the data of git. The
// files are read once.
const std::vector<SourceText>& all_files();

// Return the C and C++ files (.h, .cpp, .c, .def): all of them, or those of the program without tests and benchmarks.
std::vector<const SourceText*> code_files();
std::vector<const SourceText*> product_files();

// Returns whether `path` is `folder` or lies in it.
[[nodiscard]] bool inside(std::string_view path, std::string_view folder);

// Returns the lines of a text without their ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

// Returns one offender per line for the message of a failed check.
[[nodiscard]] std::string listed(const std::vector<std::string>& offenders);

}  // namespace mbc::house
