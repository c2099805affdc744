// SPDX-License-Identifier: Apache-2.0
#include "tools/fmu/archive.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <limits>

#include "api/fmi/description.h"
#include "api/fmi/resources.h"
#include "base/opened_library.h"
#include "base/read_file.h"
#include "tools/fmu/zip_library.h"
#include "tools/link/beside.h"

namespace mbc::tools {
namespace {

namespace fs = std::filesystem;
using Files = ArchivedFiles;

constexpr const char* kLibrary = "libmbc-fmi.so";

// Libraries that an FMU includes, because they may be missing where it is used; the C and C++ libraries are always
// there.
constexpr const char* kTaken[] = {"libantlr4-runtime.so", "libfmt.so"};

std::string not_beside(const char* library) {
  return std::string(library) + " was not found beside mbc, in ../lib from there, or in $MBC_LIBRARY_PATH";
}

bool add_file(Files& files, const std::string& place, const std::string& path, std::string& error) {
  std::string bytes;
  if (!read_file(path, bytes, error, std::numeric_limits<std::size_t>::max())) return false;
  files.emplace_back(place, std::move(bytes));
  return true;
}

// Adds the library and the libraries it is linked with that may be missing elsewhere. They are files of this machine
// that the program itself has loaded.
bool add_libraries(Files& files, const std::string& folder, const std::string& identifier, std::string& error) {
  const std::string library = library_beside(kLibrary);
  if (library.empty()) {
    error = not_beside(kLibrary);
    return false;
  }
  if (!add_file(files, folder + identifier + ".so", library, error)) return false;
  const auto add = [&](const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    for (const char* taken : kTaken)
      if (name.starts_with(taken) && !add_file(files, folder + name, path, error)) return false;
    return true;
  };
  void* own = dlopen(nullptr, RTLD_LAZY);
  struct link_map* loaded = nullptr;
  if (own == nullptr || dlinfo(own, RTLD_DI_LINKMAP, &loaded) != 0) {
    error = "the libraries of this program cannot be listed";
    return false;
  }
  for (; loaded != nullptr; loaded = loaded->l_next)
    if (!add(loaded->l_name)) return false;
  return true;
}

// Adds the licences of the contents. Packages keep the licences of the libraries.
void add_licences(Files& files, const std::string& folder) {
  std::string ignored;
  for (const char* name : {"LICENSE", "NOTICE"})
    for (const std::string& place : documents_beside(name))
      if (add_file(files, folder + name + std::string(".txt"), place, ignored)) break;
  for (const char* package : {"libantlr4-runtime4.9", "libfmt9"})
    add_file(files, folder + package + std::string(".txt"), std::string("/usr/share/doc/") + package + "/copyright",
             ignored);
}

// Opens the library that makes archives. Returns null on failure, with the reason in `error`.
MakeArchive make_archive(std::string& error) {
  const std::string library = library_beside(kZipFile);
  if (library.empty()) {
    error = not_beside(kZipFile);
    return nullptr;
  }
  return reinterpret_cast<MakeArchive>(symbol_of_library(library, kZipSymbol, error));
}

}  // namespace

std::string fmu_of(const Model& model, const FmuSettings& settings, std::string& error) {
  const std::vector<std::string> blocks = model.simulations();
  const std::string block = settings.simulation.empty() && !blocks.empty() ? blocks.front() : settings.simulation;
  const std::string token = fmi::token_of(model, block, settings.set);
  const fs::path name = fs::path(settings.name).filename();
  Files files = {{"modelDescription.xml", fmi::model_description(model, {settings.version, name.stem().string(),
                                                                         settings.identifier, token, block})}};
  const std::string system = settings.version == 2 ? "linux64" : "x86_64-linux";
  if (!add_libraries(files, "binaries/" + system + "/", settings.identifier, error)) return "";
  for (auto& [place, text] : fmi::resource_files(model, name.string(), token, block, settings.set))
    files.emplace_back("resources/" + place, std::move(text));
  add_licences(files, "documentation/licenses/");
  const MakeArchive make = make_archive(error);
  return make != nullptr ? make(files, error) : "";
}

}  // namespace mbc::tools
