// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/blocks/deduplicate_tables.h"

#include <unordered_map>
#include <vector>

namespace mbc::formulate {

namespace {

class Sharer {
 public:
  void share(kernel::SharedIndices& words) {
    if (words.size() < kWorthSharing) return;
    std::uint64_t hash = words.size();
    for (const std::uint32_t w : words.list()) hash = (hash ^ w) * 0x9e3779b97f4a7c15ull;
    std::vector<const kernel::SharedIndices*>& alike = seen_[hash];
    for (const kernel::SharedIndices* other : alike)
      if (*other == words) {
        words = *other;
        return;
      }
    alike.push_back(&words);
    words.shrink();
  }
  void share(kernel::Function& f) {
    for (kernel::Block& b : f.blocks) share(b.table.stored());
    for (kernel::RoutineCall& c : f.calls) share(c.plan);
  }

 private:
  static constexpr std::size_t kWorthSharing = 64;
  std::unordered_map<std::uint64_t, std::vector<const kernel::SharedIndices*>> seen_;
};

}  // namespace

void deduplicate_tables(kernel::Kernel& kernel) {
  Sharer sharer;
  for (kernel::Function& f : kernel.functions) sharer.share(f);
}

void deduplicate_tables(kernel::Function& function) { Sharer().share(function); }

}  // namespace mbc::formulate
