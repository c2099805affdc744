// SPDX-License-Identifier: Apache-2.0
#include "tests/house/sources.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace mbc::house {

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::vector<SourceText> read_all() {
  const fs::path root = MBC_SOURCE_DIR;
  std::vector<SourceText> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    const bool top = entry.depth() == 0;
    if (entry->is_directory() && (name == ".git" || name == "node_modules" || (top && name == "build"))) {
      entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file() || (top && name == ".git")) continue;
    files.push_back({entry->path().lexically_relative(root).generic_string(), read(entry->path())});
  }
  std::sort(files.begin(), files.end(), [](const SourceText& a, const SourceText& b) { return a.path < b.path; });
  return files;
}

bool is_code(const SourceText& file) {
  return file.ends_with(".h") || file.ends_with(".cpp") || file.ends_with(".c") || file.ends_with(".def");
}

}  // namespace

std::string SourceText::folder() const {
  const std::size_t end = path.rfind('/');
  return end == std::string::npos ? "" : path.substr(0, end);
}

const std::vector<SourceText>& all_files() {
  static const std::vector<SourceText> files = read_all();
  return files;
}

std::vector<const SourceText*> code_files() {
  std::vector<const SourceText*> chosen;
  for (const SourceText& file : all_files())
    if (is_code(file)) chosen.push_back(&file);
  return chosen;
}

std::vector<const SourceText*> product_files() {
  std::vector<const SourceText*> chosen;
  for (const SourceText* file : code_files())
    for (const char* folder : {"base", "kernel", "compiler", "runtime", "jit", "api", "tools", "include"})
      if (inside(file->path, folder)) chosen.push_back(file);
  return chosen;
}

bool inside(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string listed(const std::vector<std::string>& offenders) {
  std::string text;
  for (const std::string& offender : offenders) text += "\n  " + offender;
  return text;
}

}  // namespace mbc::house
