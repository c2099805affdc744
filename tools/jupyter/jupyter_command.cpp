// SPDX-License-Identifier: Apache-2.0
// `mbc jupyter`: installs the program as a kernel of Jupyter.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/jupyter/jupyter.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the folder in which Jupyter searches for kernels, for a prefix or for the user.
std::string data_folder(const std::string& prefix) {
  if (!prefix.empty()) return std::filesystem::absolute(prefix).lexically_normal().string() + "/share/jupyter";
  if (const std::string chosen = variable("JUPYTER_DATA_DIR"); !chosen.empty()) return chosen;
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) return data + "/jupyter";
  const std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.local/share/jupyter" : "";
}

// Returns the path of this program, which the kernel starts.
std::string own_program() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).string();
}

std::string description(const std::string& folder, const std::string& python) {
  const Json made = {{"argv", {python, folder + "/mbc_kernel.py", "-f", "{connection_file}"}},
                     {"display_name", "mbc"},
                     {"language", "mbd"},
                     {"interrupt_mode", "signal"},
                     {"env", {{"MBC_PROGRAM", own_program()}}}};
  return made.dump(2) + "\n";
}

int install(const Options& options) {
  const Report report(options);
  const std::string data = data_folder(options.prefix);
  if (data.empty())
    return report.failure("usage", "there is no home folder to install into; name a place with --prefix");
  const std::string folder = data + "/kernels/mbc";
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  std::string error = problem ? "cannot make the folder `" + folder + "`: " + problem.message() : "";
  if (!problem && write_text(folder + "/mbc_kernel.py", kernel_text(), error) &&
      write_text(folder + "/kernel.json", description(folder, options.python), error))
    return options.print_json ? print_json({{"folder", folder}}) : print_output(folder + "\n");
  return report.failure("output_failed", error);
}

}  // namespace

int jupyter(const Options& options) { return options.code == "serve" ? serve_notebook(options) : install(options); }

}  // namespace mbc::tools
