// SPDX-License-Identifier: Apache-2.0
#include "base/name.h"

#include <mutex>
#include <set>

#include "base/check.h"

namespace mbc {

const std::string& SharedText::empty() {
  static const std::string nothing;
  return nothing;
}

const std::string& SharedText::kept(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> texts;  // freed with the library, which the host of an FMU may unload
  const std::lock_guard lock(mutex);
  return *texts.insert(text).first;
}

Name::Name(const Name& stem, SharedText suffix) : Name(stem.suffix_.empty_text() ? stem : Name(stem.text())) {
  suffix_ = suffix;
}

const std::string& Name::stem() const {
  CHECK(stem_ && suffix_.empty_text(), "nothing follows the stem");
  return stem_->text;
}

}  // namespace mbc
