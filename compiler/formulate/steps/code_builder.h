// SPDX-License-Identifier: Apache-2.0
// Straight-line code combined from blocks: equal values are computed once, unused values are left out.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "compiler/formulate/blocks/names.h"

namespace mbc::formulate {

class CodeBuilder {
 public:
  using Value = std::uint32_t;

  Value constant(double c);
  // Load the place `index`: for each lane one (index counts entries), or the same for all lanes.
  Value load(Space space, std::uint32_t index);
  Value load_for_all(Space space, std::uint32_t index);
  Value op(Op op, Value a, Value b = 0, Value c = 0, Span origin = {});
  Value table(const std::shared_ptr<const kernel::DataTable>& points, Value at, std::uint32_t order, Span origin = {});
  void store(Space space, std::uint32_t index, Value value);

  using Place = std::pair<kernel::Space, std::uint32_t>;
  using Stored = std::map<Place, Value>;
  // Adds the code of a block that runs once, without its stores, which are returned. `load` returns the value of a
  // place. If it returns nothing, so does the function.
  std::optional<Stored> inlined(const Block& block, const std::function<std::optional<Value>(const Inst&)>& load);

  // Returns the block for that many lanes.
  [[nodiscard]] Block finish(const char* name, std::uint32_t lanes) const;

 private:
  using Key = std::tuple<int, int, int, std::uint32_t, std::uint32_t, std::uint32_t, bool>;
  Value push(const Inst& inst, bool for_all, Span origin);

  std::vector<Inst> code_;
  std::vector<Span> origin_;
  std::vector<bool> for_all_;
  std::vector<double> constants_;
  kernel::DataTables tables_;
  std::map<Key, Value> known_;
  std::map<std::uint64_t, std::uint32_t> constant_of_;  // by bits
  std::vector<std::pair<Place, Value>> stores_;
};

}  // namespace mbc::formulate
