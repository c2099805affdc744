// SPDX-License-Identifier: Apache-2.0
// The texts of files that a host supplies (CompileOptions::loader).
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace mbc {

// Asks the host for each file once, and no more after close(): later shapes are compiled from the same texts.
class LoadedFiles {
 public:
  using Loader = std::function<std::optional<std::string>(const std::string&)>;
  explicit LoadedFiles(Loader host) : host_(std::move(host)) {}

  std::optional<std::string> text(const std::string& file) {
    const std::lock_guard lock(mutex_);
    if (const auto known = texts_.find(file); known != texts_.end()) return known->second;
    if (!host_) return {};
    return texts_[file] = host_(file);
  }
  void close() {
    const std::lock_guard lock(mutex_);
    host_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Loader host_;
  std::map<std::string, std::optional<std::string>> texts_;
};

}  // namespace mbc
