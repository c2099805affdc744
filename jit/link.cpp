// SPDX-License-Identifier: Apache-2.0
#include "jit/link.h"

#include <link.h>
#include <lld/Common/Driver.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>
#include <string_view>

LLD_HAS_DRIVER(elf)

namespace mbc::jit {
namespace {

// A temporary folder that the destructor removes.
class Scratch {
 public:
  Scratch() { made_ = !llvm::sys::fs::createUniqueDirectory("mbc", path_); }
  ~Scratch() {
    if (made_) static_cast<void>(llvm::sys::fs::remove_directories(path_));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return std::string(path_.str()) + "/" + name; }
  // Returns the path of the file, or "" if it cannot be written.
  [[nodiscard]] std::string write(const std::string& name, const std::string& bytes) const {
    if (!made_) return {};
    std::error_code failed;
    llvm::raw_fd_ostream out(file(name), failed);
    if (!failed) out << bytes;
    out.close();
    const bool good = !failed && !out.has_error();
    out.clear_error();
    return good ? file(name) : std::string();
  }

 private:
  llvm::SmallString<128> path_;
  bool made_ = false;
};

// Returns the file of a library that this process has loaded, or "".
std::string loaded_library(std::string_view name) {
  struct Search {
    std::string_view name;
    std::string found;
  } search{name, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        const std::string_view path = info->dlpi_name;
        if (path.substr(path.rfind('/') + 1) == s.name) s.found = path;
        return s.found.empty() ? 0 : 1;
      },
      &search);
  return search.found;
}

// The process has one LLD, which takes one call at a time.
bool run_linker(const std::vector<std::string>& words, std::string& error) {
  static std::mutex mutex;
  static bool broken = false;
  const std::lock_guard lock(mutex);
  if (broken) {
    error = "the linker has failed before, and cannot be used again in this process";
    return false;
  }
  std::vector<const char*> arguments;
  for (const std::string& w : words) arguments.push_back(w.c_str());
  std::string said, complaints;
  llvm::raw_string_ostream out(said), err(complaints);
  const lld::Result result = lld::lldMain(arguments, out, err, {{lld::Gnu, &lld::elf::link}});
  broken = !result.canRunAgain;
  if (result.retCode == 0) return true;
  err.flush();
  error = "the linker failed: " + complaints.substr(0, complaints.find('\n'));
  return false;
}

std::string read(const std::string& path, std::string& error) {
  const auto file = llvm::MemoryBuffer::getFile(path, false, false);
  if (file) return (*file)->getBuffer().str();
  error = "cannot read `" + path + "`: " + file.getError().message();
  return {};
}

}  // namespace

std::string archive_of(const std::string& object, const std::string& name, const std::string& support,
                       std::string& error) {
  error.clear();
  const std::string bytes = read(support, error);
  if (bytes.empty()) return {};
  const std::string own = name + ".o";
  std::vector<llvm::NewArchiveMember> members;
  members.emplace_back(llvm::MemoryBufferRef(object, own));
  auto archive = llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, support));
  llvm::Error failed = llvm::Error::success();
  if (archive) {
    for (const llvm::object::Archive::Child& child : (*archive)->children(failed))
      if (auto member = llvm::NewArchiveMember::getOldMember(child, true)) {
        members.push_back(std::move(*member));
      } else {
        error = llvm::toString(member.takeError());
      }
  } else {
    error = llvm::toString(archive.takeError());
  }
  if (failed) error = llvm::toString(std::move(failed));
  if (!error.empty()) return {};
  auto made = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                         true, false);
  if (made) return (*made)->getBuffer().str();
  error = llvm::toString(made.takeError());
  return {};
}

std::string shared_object(const std::vector<std::string>& objects, const std::string& support, const std::string& name,
                          std::string& error) {
  error.clear();
  const Scratch scratch;
  const std::string out = scratch.file("linked");
  std::vector<std::string> words = {"ld.lld", "-shared", "-o", out, "--threads=1",
                                    // LLD 19 keeps a pointer to this symbol from one call to the next, and writes
                                    // through it unless each call has the symbol.
                                    "-u", "_GLOBAL_OFFSET_TABLE_", "--hash-style=gnu", "--no-undefined", "-z", "relro",
                                    "-z", "now", "--gc-sections", "-soname", name.empty() ? "model.so" : name,
                                    "--exclude-libs=ALL"};
  for (std::size_t k = 0; k < objects.size(); ++k) {
    words.push_back(scratch.write(std::to_string(k) + ".o", objects[k]));
    if (words.back().empty()) {
      error = "nothing can be written to the folder for temporary files";
      return {};
    }
  }
  words.push_back(support);
  words.emplace_back("--as-needed");
  for (const char* library : {"libm.so.6", "libc.so.6"}) {
    words.push_back(loaded_library(library));
    if (!words.back().empty()) continue;
    error = std::string(library) + " is not among the libraries of this process";
    return {};
  }
  return run_linker(words, error) ? read(out, error) : std::string();
}

}  // namespace mbc::jit
