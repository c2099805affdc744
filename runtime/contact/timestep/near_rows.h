// SPDX-License-Identifier: Apache-2.0
// The unilateral constraints in a contact problem, and their places among its rows.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/contact/timestep/contact_rows.h"

namespace mbc::runtime {

struct NearRows {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> list;   // by number, in the order in which they were taken
  std::vector<std::uint32_t> place;  // by number: the row, or none
  std::vector<double> norms;         // by row, those of frictions too: |A L^-T|

  // Removes all. `count` is the number of unilateral constraints in the model.
  void clear(std::size_t count) {
    if (place.size() != count) place.assign(count, kNone);
    for (const std::uint32_t k : list) place[k] = kNone;
    list.clear();
    norms.clear();
  }
  [[nodiscard]] bool has(std::uint32_t number) const { return place[number] != kNone; }
  // The next row that is taken, of no inequality; and of one.
  std::uint32_t take(ContactRows& rows, std::uint32_t row) {
    norms.push_back(rows.take(row));
    return static_cast<std::uint32_t>(norms.size() - 1);
  }
  void take(ContactRows& rows, std::uint32_t row, std::uint32_t number) {
    list.push_back(number);
    place[number] = take(rows, row);
  }
};

}  // namespace mbc::runtime
