// SPDX-License-Identifier: Apache-2.0
// The types of the expressions in a model's own text, found during elaboration, for tools that show them beside the
// text. Each place has one, even if it was evaluated in many passes and instances: the first is kept.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/sema/names.h"
#include "compiler/sema/value.h"

namespace mbc::sema {

struct ObservedValue {
  Span span;
  Type type;
  Level level = Level::constant;
  std::vector<NodeId> nodes;
  std::string shown;  // "a vector"
};

class Observed {
 public:
  // If a text has more expressions, the first ones are kept.
  static constexpr std::size_t kMost = 200'000;

  void clear() {
    places_.clear();
    values_.clear();
  }
  void add(const Value& v) {
    if (v.invalid() || v.span.file != 0 || values_.size() >= kMost) return;
    const std::uint64_t place = (std::uint64_t{v.span.begin} << 32u) | v.span.end;
    if (!places_.insert(place).second) return;
    values_.push_back({v.span, v.type, v.level, v.nodes, describe_shape(v)});
  }
  [[nodiscard]] const std::vector<ObservedValue>& values() const { return values_; }

 private:
  std::unordered_set<std::uint64_t> places_;
  std::vector<ObservedValue> values_;
};

}  // namespace mbc::sema
