// SPDX-License-Identifier: Apache-2.0
// Values as written: of parameters, inputs and initial states, expressions of parameters. What a run needs of a model's
// graph; the model itself may be gone (analysis.h).
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::api {

class WrittenValues {
 public:
  WrittenValues() = default;
  explicit WrittenValues(const sema::Model& model);

  // `set` replaces some by (index, value); the following ones are computed from that.
  [[nodiscard]] std::vector<double> parameters(const std::vector<std::pair<std::uint32_t, double>>& set) const;
  [[nodiscard]] std::vector<double> inputs(const std::vector<double>& params) const;
  // Coordinates, speeds and states, followed by zeros: `size` in all.
  [[nodiscard]] std::vector<double> initial(const std::vector<double>& params, std::size_t size) const;

 private:
  graph::Graph graph_;
  std::vector<graph::NodeId> parameters_, inputs_;
  std::vector<double> initial_;  // of those that are numbers
  std::vector<std::uint32_t> varying_;
  std::vector<graph::NodeId> varying_values_;  // of the others
};

}  // namespace mbc::api
