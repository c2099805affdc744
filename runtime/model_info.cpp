#include "runtime/model_info.h"

#include <mutex>
#include <set>

namespace mbc::runtime {

const std::string& SharedText::kept(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string>* texts = new std::set<std::string>;  // outlives everything that points into it
  const std::lock_guard lock(mutex);
  return *texts->insert(text).first;
}

}  // namespace mbc::runtime
