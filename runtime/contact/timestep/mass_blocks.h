// SPDX-License-Identifier: Apache-2.0
// The metric of the masses, M = L L^T, block by block: speeds that M couples, directly or through others, are one
// block. Rows A become A L^-T and speeds L^T u, as in rows/mass_scaling.h, without a full matrix.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ragged_array.h"
#include "kernel/layout.h"
#include "runtime/rows/cone/row_list.h"

namespace mbc::runtime {

class MassBlocks {
 public:
  // Masses that are added to those of some speeds.
  struct Added {
    const std::vector<std::uint32_t>* speeds = nullptr;
    Eigen::MatrixXd matrix;
  };

  // The layout outlives the object. Where rows are added to M (layout.inertia_rows) all speeds are one block. Each of
  // the lists `joined` holds speeds of one block.
  explicit MassBlocks(const kernel::SystemLayout& layout, const std::vector<std::vector<std::uint32_t>>& joined = {});

  // Factorises M, given by its values in the order of layout.mass or as a whole. What is added is of speeds of one
  // block. Returns false if the sum is not positive definite.
  bool factor(const double* values, const std::vector<Added>& added = {});
  bool factor(const Eigen::MatrixXd& M, const std::vector<Added>& added = {});

  // A L^-T of a row with those entries, as a row of `out`.
  void add_scaled(std::span<const std::uint32_t> columns, const double* values, RowList& out);
  [[nodiscard]] Eigen::VectorXd to_scaled(const double* u) const;             // L^T u
  [[nodiscard]] Eigen::VectorXd from_scaled(const Eigen::VectorXd& w) const;  // L^-T w

 private:
  [[nodiscard]] bool factor_blocks(const std::vector<Added>& added);
  [[nodiscard]] double* lower(std::size_t block) { return lower_.data() + at_[block]; }
  [[nodiscard]] const double* lower(std::size_t block) const { return lower_.data() + at_[block]; }

  const kernel::SystemLayout& layout_;
  std::vector<std::uint32_t> block_, local_;  // by speed
  RaggedArray speeds_;                        // by block
  std::vector<std::size_t> at_;               // by block: where its L begins, row by row
  std::vector<double> lower_;
  std::vector<double> entries_;         // of a row that is scaled, by speed; zero between two calls
  std::vector<std::uint32_t> touched_;  // blocks of that row
};

}  // namespace mbc::runtime
