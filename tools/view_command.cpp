// SPDX-License-Identifier: Apache-2.0
// `mbc view`: a run whose result is a page, opened in the browser.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tools/commands.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

bool has_display() {
  for (const char* name : {"WAYLAND_DISPLAY", "DISPLAY"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  return false;
}

// A folder of our own, so that nobody else can have put anything there.
std::string new_folder() {
  std::error_code none;
  std::string name = (std::filesystem::temp_directory_path(none) / "mbc-XXXXXX").string();
  return mkdtemp(name.data()) != nullptr ? name : "";
}

std::string stem_of(const std::string& file) {
  return file == "-" ? "model" : std::filesystem::path(file).stem().string();
}

// The browser is a grandchild, which nobody waits for; what it says is of no interest.
void open_in_browser(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      const int null = open("/dev/null", O_RDWR);
      for (const int fd : {0, 1, 2}) dup2(null, fd);
      execlp("xdg-open", "xdg-open", path.c_str(), static_cast<char*>(nullptr));
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

}  // namespace

void show_page(const Options& options) {
  static_cast<void>(print_output(options.report + "\n"));
  if (has_display()) open_in_browser(options.report);
}

int view_model(const Options& options) {
  Options with_place = options;
  if (!options.report.empty()) return run_model(with_place);
  const std::string folder = new_folder();
  if (folder.empty()) {
    Report(options).failure("output_failed", "cannot make a folder for the page; name a file with -o");
    return kOutputFailed;
  }
  with_place.report = folder + "/" + stem_of(options.file) + ".html";
  const int code = run_model(with_place);
  rmdir(folder.c_str());  // where nothing came of it
  return code;
}

}  // namespace mbc::tools
