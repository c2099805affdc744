// SPDX-License-Identifier: Apache-2.0
// `mbc lsp`: the language server on standard input and output.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "mbc/texts.h"
#include "tools/commands.h"
#include "tools/lsp/server.h"

namespace mbc::tools {

namespace {

namespace fs = std::filesystem;

// Beside compiled code ($MBC_CACHE and its kin): where texts of the library built in can be opened.
std::string folder_of_copies() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  std::string cache = variable("MBC_CACHE");
  if (cache == "off") return "";
  if (cache.empty() && variable("XDG_CACHE_HOME").starts_with('/')) cache = variable("XDG_CACHE_HOME") + "/mbc";
  if (cache.empty() && variable("HOME").starts_with('/') && fs::is_directory(variable("HOME")))
    cache = variable("HOME") + "/.cache/mbc";
  return cache.empty() ? "" : (fs::path(cache) / ("stdlib-" + version())).string();
}

}  // namespace

int serve_editor(const Options& options) {
  lsp::keep_memory();
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  const lsp::Setup setup{options.stdlib, options.stdlib.empty() ? folder_of_copies() : ""};
  return lsp::serve(std::cin, std::cout, setup) ? kOk : kModelError;
}

}  // namespace mbc::tools
