// SPDX-License-Identifier: Apache-2.0
// `mbc lsp`: the language server on standard input and output.
#include <filesystem>
#include <iostream>

#include "base/cache_folder.h"
#include "mbc/texts.h"
#include "tools/commands.h"
#include "tools/lsp/server.h"

namespace mbc::tools {

namespace {

// Returns the folder for copies of the built-in library's texts, beside compiled code ($MBC_CACHE and its defaults).
std::string folder_of_copies() {
  const std::string cache = cache_folder();
  return cache.empty() ? "" : (std::filesystem::path(cache) / ("stdlib-" + version())).string();
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
