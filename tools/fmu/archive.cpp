// SPDX-License-Identifier: Apache-2.0
#include "tools/fmu/archive.h"

#include <dlfcn.h>
#include <link.h>
#include <zip.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "api/fmi/description.h"
#include "api/fmi/resources.h"
#include "base/read_file.h"
#include "tools/link/beside.h"

namespace mbc::tools {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::pair<std::string, std::string>>;  // by path in the archive

constexpr const char* kLibrary = "libmbc-fmi.so";

// Libraries that an FMU includes, because they may be missing where it is used; the C and C++ libraries are always
// there.
constexpr const char* kTaken[] = {"libantlr4-runtime.so", "libfmt.so"};

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
    error = std::string(kLibrary) + " was not found beside mbc, in ../lib from there, or in $MBC_LIBRARY_PATH";
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

// An archive in memory. Its times are the first of the format, so that equal models give equal bytes.
class Archive {
 public:
  Archive() {
    zip_error_init(&why_);
    source_ = zip_source_buffer_create(nullptr, 0, 0, &why_);
    if (source_ == nullptr) return;
    zip_source_keep(source_);
    zip_ = zip_open_from_source(source_, ZIP_TRUNCATE, &why_);
  }
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
    if (source_ != nullptr) zip_source_free(source_);
    zip_error_fini(&why_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool add(const std::string& place, const std::string& bytes) {
    if (zip_ == nullptr) return false;
    zip_source_t* text = zip_source_buffer(zip_, bytes.data(), bytes.size(), 0);
    if (text == nullptr) return false;
    const zip_int64_t at = zip_file_add(zip_, place.c_str(), text, ZIP_FL_ENC_UTF_8);
    if (at < 0) {
      zip_source_free(text);
      return false;
    }
    constexpr zip_uint16_t kFirstDay = (1 << 5) | 1;  // 1980-01-01, as DOS wrote it
    return zip_file_set_dostime(zip_, static_cast<zip_uint64_t>(at), 0, kFirstDay, 0) == 0;
  }

  bool close(std::string& bytes) {
    if (zip_ == nullptr || zip_close(zip_) != 0) return false;
    zip_ = nullptr;
    if (zip_source_open(source_) != 0) return false;
    zip_source_seek(source_, 0, SEEK_END);
    bytes.resize(static_cast<std::size_t>(zip_source_tell(source_)));
    zip_source_seek(source_, 0, SEEK_SET);
    const zip_int64_t read = zip_source_read(source_, bytes.data(), bytes.size());
    zip_source_close(source_);
    return read == static_cast<zip_int64_t>(bytes.size());
  }

  [[nodiscard]] std::string why() { return zip_error_strerror(zip_ != nullptr ? zip_get_error(zip_) : &why_); }

 private:
  zip_error_t why_{};
  zip_source_t* source_ = nullptr;
  zip_t* zip_ = nullptr;
};

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
  Archive archive;
  std::string bytes;
  for (const auto& [place, text] : files)
    if (!archive.add(place, text)) {
      error = "the archive cannot be made: " + archive.why();
      return "";
    }
  if (archive.close(bytes)) return bytes;
  error = "the archive cannot be made: " + archive.why();
  return "";
}

}  // namespace mbc::tools
