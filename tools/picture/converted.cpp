// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/converted.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/read_file.h"
#include "mbc/mbc.h"

namespace mbc::tools {
namespace {

bool is_unit_text(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*/^()-. ") ==
             std::string::npos;
}

std::string one_of(const std::string& unit) { return unit == "1" ? "1" : "1 [" + unit + "]"; }

}  // namespace

int run_program(std::vector<std::string> arguments) {
  std::vector<char*> list;
  for (std::string& argument : arguments) list.push_back(argument.data());
  list.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) dup2(null, fd);
    execvp(list[0], list.data());
    _exit(kNotInstalled);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

std::optional<double> unit_factor(const std::string& from, const std::string& to, std::string& why) {
  if (from.empty()) {
    why = "it has no unit";
    return {};
  }
  if (!is_unit_text(from) || !is_unit_text(to)) {
    why = "that is no unit";
    return {};
  }
  const Model none = Model::from_string("mbd 1\nparam a = 1 [m]\n", "units");
  const Result<std::vector<double>> have = none.value(one_of(from)), want = none.value(one_of(to));
  if (!have || !want || have->size() != 1 || want->size() != 1) {
    why = "that is no unit";
    return {};
  }
  if (!none.value(one_of(from) + " + " + one_of(to))) {  // only quantities of one dimension have a sum
    why = "it is in [" + from + "]";
    return {};
  }
  return have->front() / want->front();
}

bool converted(const std::string& svg, const std::string& format, std::string& picture, std::string& error) {
  std::error_code none;
  std::string folder = (std::filesystem::temp_directory_path(none) / "mbc-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    error = "cannot make a folder among the temporary files";
    return false;
  }
  const std::string from = folder + "/plot.svg", to = folder + "/plot." + format;
  std::ofstream(from, std::ios::binary) << svg;
  const int status = run_program({"rsvg-convert", "--format", format, "--output", to, from});
  const bool good = status == 0 && read_file(to, picture, error, std::numeric_limits<std::size_t>::max());
  if (status == kNotInstalled)
    error = "PNG and PDF are made by rsvg-convert, which is not installed (Debian: librsvg2-bin); or write an SVG file";
  else if (!good && error.empty())
    error = "rsvg-convert could not make the picture";
  std::filesystem::remove_all(folder, none);
  return good;
}

}  // namespace mbc::tools
