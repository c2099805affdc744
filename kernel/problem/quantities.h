// SPDX-License-Identifier: Apache-2.0
// Names, units and descriptions of the numbers of a model, and which of them are columns of its results.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/name.h"

namespace mbc::problem {

struct Column {  // a recorded quantity
  Name name;
  SharedText unit;
  SharedText description;
};

// Values of very many quantities. Neighbours are mostly equal, so that each run of equal values is kept once.
template <class T>
class Runs {
 public:
  void push_back(const T& value) {
    if (runs_.empty() || !(runs_.back().second == value)) runs_.emplace_back(size_, value);
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const {
    const auto behind = std::upper_bound(runs_.begin(), runs_.end(), i,
                                         [](std::size_t index, const auto& run) { return index < run.first; });
    return std::prev(behind)->second;
  }

 private:
  std::vector<std::pair<std::size_t, T>> runs_;  // where each begins
  std::size_t size_ = 0;
};

// A list of quantities of a model: its coordinates, its speeds, ...
class Quantities {
 public:
  void reserve(std::size_t count) { names_.reserve(count); }
  void push_back(Column c) {
    names_.push_back(std::move(c.name));
    kinds_.push_back({c.unit, c.description});
  }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] bool empty() const { return names_.empty(); }
  [[nodiscard]] SharedText unit(std::size_t i) const { return kinds_[i].first; }
  Column operator[](std::size_t i) const { return {names_[i], kinds_[i].first, kinds_[i].second}; }

 private:
  std::vector<Name> names_;
  Runs<std::pair<SharedText, SharedText>> kinds_;  // unit and description
};

// The place from which a column of the results is read.
struct Recorded {
  enum class Kind : std::uint8_t { coordinate, speed, acceleration, state, output, held, event } kind{};
  std::uint32_t index = 0;
};

}  // namespace mbc::problem
