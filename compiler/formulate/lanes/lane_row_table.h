// SPDX-License-Identifier: Apache-2.0
// The rows of A as lanes store them, as far as they are known at compile time.
//
// A row is divided by the common factor of its entries (compiler/formulate/solve/row_factors.h). Of entries that differ
// only in sign, one is stored, called a base: a row between two points has -n for one point and n for the other.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/row_factors.h"

namespace mbc::formulate {

// The functions in lanes. `motion`: all of deriv; `full`: also the multipliers and pivots of the rows as they are
// written. The others: residuals of one level, |G_k|^2 (also as pivots), and the correction w with A w = -residual in
// the place of u'.
enum class LaneFunction : std::uint8_t { motion, full, position, velocity };

inline bool of_motion(LaneFunction f) { return f == LaneFunction::motion || f == LaneFunction::full; }
// Returns the residuals of a correction; nothing for the motion.
std::optional<Target> residual_of(LaneFunction f);

// The values of a template of rows on its graph.
struct RowValues {
  RowFactor factor;
  NodeId residual;  // residual of the row as it is written; invalid for the motion
  std::vector<NodeId> bases;
  std::vector<std::uint32_t> base;  // by contribution of the Jacobian
  std::vector<double> sign;
  NodeId right_side;  // divided by the factor
};
RowValues row_values(Graph& g, const Part& part, LaneFunction wanted);

class LaneRowTable {
 public:
  struct Entry {
    std::uint32_t speed = 0;  // speed of the system
    std::uint32_t base = 0;
    double sign = 1;
  };
  struct Instance {
    const Part* part = nullptr;
    std::uint32_t number = 0;
  };

  explicit LaneRowTable(const System& system);

  [[nodiscard]] bool complete() const;  // every row comes from a template
  [[nodiscard]] const Instance& instance(std::uint32_t row) const { return instance_[row]; }
  [[nodiscard]] const std::vector<Entry>& entries(std::uint32_t row) const { return entries_[row]; }
  [[nodiscard]] const Entry* entry(std::uint32_t row, std::uint32_t speed) const;  // null: none
  [[nodiscard]] std::uint32_t n_bases(std::uint32_t row) const { return n_bases_.at(instance_[row].part); }
  // Returns whether all rows have the values that the function needs.
  [[nodiscard]] bool has(LaneFunction f) const;

 private:
  std::vector<Instance> instance_;           // by row
  std::vector<std::vector<Entry>> entries_;  // by row
  std::map<const Part*, std::uint32_t> n_bases_;
};

}  // namespace mbc::formulate
