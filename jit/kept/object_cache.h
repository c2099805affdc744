// SPDX-License-Identifier: Apache-2.0
// Compiled objects kept in a folder between processes. A file holds one object behind a header with its key, length and
// checksum. A file that does not fit (cut off, changed, another key) is no hit, and the next store() replaces it.
//
// Loaded code is executed, so nothing is read that another user could have written: the folder must be a directory of
// this user with mode 0700, a file a regular file of this user with mode 0600. Otherwise, and if anything fails, the
// cache does nothing; it never reports an error.
//
// Files are written under a temporary name and renamed, so any number of processes may use one folder. After a store
// that brings the folder above its limit, the least recently used files are removed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "jit/kept/sha256.h"

namespace mbc::jit {

inline constexpr std::uint64_t kCacheLimit = 256ull << 20;  // bytes of files

class ObjectCache {
 public:
  // Makes the folder, and those above it, if they are missing. A cache with the folder "" is never used.
  explicit ObjectCache(const std::string& folder, std::uint64_t limit = kCacheLimit);
  ~ObjectCache();
  ObjectCache(const ObjectCache&) = delete;
  ObjectCache& operator=(const ObjectCache&) = delete;

  [[nodiscard]] bool usable() const { return folder_ >= 0; }
  // A hit counts as a use of the file.
  [[nodiscard]] std::optional<std::string> load(const Digest& key) const;
  // Returns whether the object was stored.
  bool store(const Digest& key, std::string_view object) const;

 private:
  void make_room() const;

  int folder_ = -1;  // descriptor
  std::uint64_t limit_;
};

}  // namespace mbc::jit
