// SPDX-License-Identifier: Apache-2.0
#include "jit/external_tables.h"

namespace mbc::jit {

namespace {
constexpr std::size_t kLong = 4096;  // words; shorter ones stay beside the code
}

std::vector<ExternalTable> external_tables(const kernel::Kernel& kernel, const std::string& prefix) {
  std::vector<ExternalTable> out;
  const auto look_at = [&](const kernel::Function& f, const kernel::SharedIndices& words) {
    if (words.size() < kLong) return;
    out.push_back({&words, words.storage(), prefix + f.name + "$words" + std::to_string(out.size())});
  };
  for (const kernel::Function& f : kernel.functions) {
    for (const kernel::Block& b : f.blocks) look_at(f, b.table.stored());
    for (const kernel::RoutineCall& c : f.calls) look_at(f, c.plan);
  }
  return out;
}

}  // namespace mbc::jit
