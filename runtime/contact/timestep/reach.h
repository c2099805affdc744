// SPDX-License-Identifier: Apache-2.0
// The broad phase of time steps: which inequalities a step may reach. A gap g changes by no more than its Lipschitz
// bound S (compiler/graph/lipschitz_bounds.h) times the largest change of a coordinate, or of the time: where g > S
// times the way of a step, that row is neither switched on nor gone through. Rows of velocities, and gaps whose
// lipschitz is not known, are always within reach; frictions are where one of the inequalities that press them is.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "kernel/problem/problem.h"

namespace mbc::runtime {

class Reach {
 public:
  // The infos outlive the object. All is within reach.
  Reach(const problem::Problem& info, std::uint32_t n_rows);

  // Takes the constraints whose gaps are within this distance. `values` holds gaps by the index of a value. Infinity
  // takes all.
  void take(const std::vector<double>& values, double way);

  // In the order of the model.
  [[nodiscard]] const std::vector<std::uint32_t>& inequalities() const { return inequalities_; }
  [[nodiscard]] const std::vector<std::uint32_t>& frictions() const { return frictions_; }
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return rows_; }  // of both
  [[nodiscard]] double way() const { return way_; }
  // The rows that are none of contacts, whatever is within reach.
  [[nodiscard]] const std::vector<std::uint32_t>& equations() const { return equations_; }

 private:
  void take_frictions();

  const problem::Events& events_;
  std::vector<double> lipschitz_;      // by inequality; infinite if the gap is not one of positions
  std::vector<std::uint32_t> of_row_;  // the inequality of a row, kNone where it is none
  std::vector<char> near_;             // by inequality; kept up where frictions ask
  std::vector<std::uint32_t> inequalities_, frictions_, rows_, equations_;
  double way_ = std::numeric_limits<double>::infinity();
};

}  // namespace mbc::runtime
