// SPDX-License-Identifier: Apache-2.0
// The files of the repository as the tests of the house read them: at run time, from the source folder.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mbc::house {

struct SourceText {
  std::string path;  // from the root, "kernel/op.h"
  std::string text;

  [[nodiscard]] bool ends_with(std::string_view suffix) const { return path.ends_with(suffix); }
  // "kernel" of "kernel/op.h", "" of "LICENSE".
  [[nodiscard]] std::string folder() const;
};

// Every file in the folders and at the top of the repository; what is built and what git keeps are left out. Read once.
const std::vector<SourceText>& all_files();

// The C and C++ files of them (.h, .cpp, .c, .def): all, or those of the program without tests and benchmarks.
std::vector<const SourceText*> code_files();
std::vector<const SourceText*> product_files();

// Whether `path` is `folder` or lies in it.
[[nodiscard]] bool inside(std::string_view path, std::string_view folder);

// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

// One offender a line, for the message of a failed check.
[[nodiscard]] std::string listed(const std::vector<std::string>& offenders);

}  // namespace mbc::house
