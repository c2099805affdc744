// SPDX-License-Identifier: Apache-2.0
#include "tools/link/shared_object.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace mbc::tools {

namespace {

namespace fs = std::filesystem;

// A folder that goes with the object.
class Scratch {
 public:
  Scratch() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "mbc-XXXXXX").string();
    if (!failed && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] bool made() const { return !path_.empty(); }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Exit status; -1 where there is no such program. What it prints goes to stderr.
int run(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &streams, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Of the program; "" where the system does not say.
fs::path own_folder() {
  std::array<char, PATH_MAX> own{};
  const ssize_t length = readlink("/proc/self/exe", own.data(), own.size());
  return length > 0 ? fs::path(std::string(own.data(), static_cast<std::size_t>(length))).parent_path() : fs::path();
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string library_beside(const std::string& name) {
  std::vector<fs::path> folders;
  if (const fs::path folder = own_folder(); !folder.empty()) folders = {folder, folder / "../lib"};
  if (const char* named = std::getenv("MBC_LIBRARY_PATH"); named != nullptr && *named != 0) folders.emplace_back(named);
  std::error_code ignored;
  for (const fs::path& folder : folders)
    if (const fs::path file = folder / name; fs::is_regular_file(file, ignored)) return file.string();
  return "";
}

std::vector<std::string> documents_beside(const std::string& name) {
  const fs::path folder = own_folder();
  if (folder.empty()) return {};
  return {(folder / "../share/doc/mbc" / name).string(), (folder / "../../.." / name).string()};
}

std::string shared_object(const std::string& object, const std::string& name, std::string& error) {
  const std::string support = library_beside("libmbc_support.a");
  if (support.empty()) {
    error = "libmbc_support.a was not found beside mbc, in ../lib from there, or in $MBC_LIBRARY_PATH";
    return "";
  }
  const Scratch scratch;
  const std::string in = scratch.file("model.o"), out = scratch.file("model.so");
  std::ofstream file(in, std::ios::binary);
  if (!scratch.made() || !file.write(object.data(), static_cast<std::streamsize>(object.size())).flush()) {
    error = "nothing can be written to the folder for temporary files";
    return "";
  }
  for (const char* linker : {"cc", "gcc", "clang"}) {
    const int status = run({linker, "-shared", "-o", out, in, support, "-lm", "-Wl,--exclude-libs,ALL",
                            "-Wl,--no-undefined", "-Wl,-soname," + name});
    if (status == -1) continue;
    if (status == 0) return read(out);
    error = std::string("the linker `") + linker + "` failed";
    return "";
  }
  error = "there is no linker here (cc, gcc or clang): write an object file, `-o model.o`, and link it elsewhere";
  return "";
}

}  // namespace mbc::tools
