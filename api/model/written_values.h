// SPDX-License-Identifier: Apache-2.0
// The values of parameters, inputs and initial states as they are written: expressions of parameters. A run needs
// nothing else of a model's graph; the model itself may have been dropped (analysed_text.h).
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

  // `set` replaces some values by (index, value); later values are computed from them.
  [[nodiscard]] std::vector<double> parameters(const std::vector<std::pair<std::uint32_t, double>>& set) const;
  [[nodiscard]] std::vector<double> inputs(const std::vector<double>& params) const;
  // Returns coordinates, speeds and states, followed by zeros up to `size` entries.
  [[nodiscard]] std::vector<double> initial(const std::vector<double>& params, std::size_t size) const;

 private:
  graph::Graph graph_;
  std::vector<graph::NodeId> parameters_, inputs_;
  std::vector<double> initial_;  // initial values that are numbers
  std::vector<std::uint32_t> varying_;
  std::vector<graph::NodeId> varying_values_;  // expressions of the other initial values
};

}  // namespace mbc::api
