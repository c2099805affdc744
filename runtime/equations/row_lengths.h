// SPDX-License-Identifier: Apache-2.0
// The scale in which rows share forces: the residual of a row as a length. |A| over the speeds that are rates of
// lengths tells how much the residual changes with a displacement of one metre, 3 for `3*p.x == 0`. A row without such
// speeds, for instance of angles, has scale 1. Rows that belong to the representation of a body give way hardly at all,
// so that shares do not depend on it. Masses do not enter.
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel/layout.h"
#include "kernel/problem/problem.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

class RowLengths {
 public:
  // Both must outlive the object.
  RowLengths(const kernel::SystemLayout& layout, const problem::Problem& info)
      : layout_(layout), info_(info), of_length_(layout.n_speeds) {
    for (std::uint32_t j = 0; j < of_length_.size() && j < info.coordinate_of_speed.size(); ++j) {
      const std::uint32_t coordinate = info.coordinate_of_speed[j];
      if (coordinate == problem::Problem::kNoCoordinate || coordinate >= info.sizes.size()) continue;
      const problem::Problem::Size size = info.sizes[coordinate];
      of_length_[j] = size != problem::Problem::Size::one && size != problem::Problem::Size::own ? 1 : 0;
    }
  }

  // Returns the length of a row of A. value(k) is the entry at place k of the pattern.
  template <class Value>
  [[nodiscard]] double of(std::uint32_t row, const Value& value) const {
    if (row < info_.rows.size() && info_.rows[row].of_body) return kLengthOfBodyRow;
    double square = 0;
    for (std::uint32_t k = layout_.row_ptr[row]; k < layout_.row_ptr[row + 1]; ++k)
      if (of_length_[layout_.column[k]] != 0) square += value(k) * value(k);
    return square > 0 ? std::sqrt(square) : 1;
  }
  [[nodiscard]] double of(std::uint32_t row, const Eigen::MatrixXd& A) const {
    return of(row, [&](std::uint32_t k) { return A(row, layout_.column[k]); });
  }

 private:
  const kernel::SystemLayout& layout_;
  const problem::Problem& info_;
  std::vector<char> of_length_;  // by speed
};

}  // namespace mbc::runtime
