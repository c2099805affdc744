// SPDX-License-Identifier: Apache-2.0
// Shows a page in the browser, if there is a display.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

bool has_display() {
  for (const char* name : {"WAYLAND_DISPLAY", "DISPLAY"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  return false;
}

// The browser is a grandchild that is not waited for; its output is discarded.
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

void open_page(const std::string& page) {
  if (has_display()) open_in_browser(page);
}

void show_page(const Options& options) {
  static_cast<void>(options.print_json ? print_json({{"page", options.report}}) : print_output(options.report + "\n"));
  open_page(options.report);
}

}  // namespace mbc::tools
