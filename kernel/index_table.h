// SPDX-License-Identifier: Apache-2.0
// The index table of a block: a row for each instance, a column for each place that differs between them. Most columns
// count up evenly, because parts of one kind follow each other in the arrays; such a column is its first entry and its
// step, whatever the number of rows. The others are stored, row by row.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernel/shared_indices.h"

namespace mbc::kernel {

class IndexTable {
 public:
  IndexTable() = default;
  // entry(row, column)
  template <class Entry>
  IndexTable(std::uint32_t rows, std::uint32_t columns, Entry&& entry);

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::uint32_t columns() const { return static_cast<std::uint32_t>(first_.size()); }
  std::uint32_t operator()(std::size_t row, std::uint32_t column) const {
    if (const std::optional<std::uint32_t> at = place_in_stored(column)) return stored_[row * apart_.size() + *at];
    return first_[column] + static_cast<std::uint32_t>(step_[column]) * static_cast<std::uint32_t>(row);
  }

  // ---- storage
  // The columns that count up evenly, as all do in a table of one row: entry = first + row * step, never beyond 32
  // bits.
  [[nodiscard]] const std::vector<std::uint32_t>& first() const { return first_; }
  [[nodiscard]] const std::vector<std::int32_t>& step() const { return step_; }
  // The other columns, ascending; their `first` and `step` are 0.
  [[nodiscard]] const std::vector<std::uint32_t>& apart() const { return apart_; }
  [[nodiscard]] const SharedIndices& stored() const { return stored_; }  // rows() x apart().size()
  [[nodiscard]] SharedIndices& stored() { return stored_; }              // to be shared with equal ones
  // Returns the place of the column in a stored row; nothing if it counts up evenly.
  [[nodiscard]] std::optional<std::uint32_t> place_in_stored(std::uint32_t column) const {
    const auto at = std::lower_bound(apart_.begin(), apart_.end(), column);
    if (at == apart_.end() || *at != column) return std::nullopt;
    return static_cast<std::uint32_t>(at - apart_.begin());
  }

  // Replaces the entries of one column.
  template <class Entry>
  void set_column(std::uint32_t column, Entry&& entry) {
    const IndexTable old = *this;
    *this = IndexTable(rows_, columns(), [&](std::uint32_t row, std::uint32_t c) -> std::uint32_t {
      return c == column ? entry(row) : old(row, c);
    });
  }

 private:
  std::uint32_t rows_ = 0;
  std::vector<std::uint32_t> first_;
  std::vector<std::int32_t> step_;
  std::vector<std::uint32_t> apart_;
  SharedIndices stored_;
};

template <class Entry>
IndexTable::IndexTable(std::uint32_t rows, std::uint32_t columns, Entry&& entry)
    : rows_(rows), first_(columns, 0), step_(columns, 0) {
  for (std::uint32_t c = 0; c < columns && rows > 0; ++c) {
    const std::uint32_t first = entry(0, c);
    const std::int64_t step = rows > 1 ? std::int64_t{entry(1, c)} - first : 0;
    bool even = step >= std::numeric_limits<std::int32_t>::min() && step <= std::numeric_limits<std::int32_t>::max();
    for (std::uint32_t k = 2; k < rows && even; ++k) even = entry(k, c) == first + k * step;
    if (even) {
      first_[c] = first;
      step_[c] = static_cast<std::int32_t>(step);
    } else {
      apart_.push_back(c);
    }
  }
  if (apart_.empty()) return;
  SharedIndices::List words;
  words.reserve(std::size_t{rows} * apart_.size());
  for (std::uint32_t k = 0; k < rows; ++k)
    for (const std::uint32_t c : apart_) words.push_back(entry(k, c));
  stored_ = std::move(words);
}

// Writes the rows of a table one after the other into `room`, which has one entry for each column. Nothing is written
// past the last row.
class RowByRow {
 public:
  RowByRow(const IndexTable& table, std::uint32_t* room, std::uint32_t first = 0)
      : step_(table.step().data()),
        apart_(table.apart().data()),
        stored_(table.stored().data()),
        end_(stored_ + table.stored().size()),
        columns_(table.columns()),
        n_apart_(static_cast<std::uint32_t>(table.apart().size())),
        row_(room) {
    for (std::uint32_t c = 0; c < columns_; ++c)
      row_[c] = table.first()[c] + static_cast<std::uint32_t>(step_[c]) * first;
    if (stored_ != end_) stored_ += std::size_t{first} * n_apart_;
    take_stored();
  }
  [[nodiscard]] const std::uint32_t* row() const { return row_; }
  void next() {
    for (std::uint32_t c = 0; c < columns_; ++c) row_[c] += static_cast<std::uint32_t>(step_[c]);
    take_stored();
  }

 private:
  void take_stored() {
    if (stored_ == end_) return;
    for (std::uint32_t k = 0; k < n_apart_; ++k) row_[apart_[k]] = stored_[k];
    stored_ += n_apart_;
  }

  const std::int32_t* step_;
  const std::uint32_t *apart_, *stored_, *end_;
  std::uint32_t columns_, n_apart_;
  std::uint32_t* row_;
};

}  // namespace mbc::kernel
