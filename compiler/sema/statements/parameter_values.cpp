// SPDX-License-Identifier: Apache-2.0
// Numbers of parameters, which stand in the order in which they are needed.
#include <limits>

#include "compiler/graph/evaluate.h"
#include "compiler/sema/elaborate.h"

namespace mbc::sema {

std::vector<double> constant_values(const Model& model, const std::vector<NodeId>& nodes,
                                    const std::vector<double>& params) {
  return graph::evaluate(model.graph, nodes, [&](const Node& n) {
    return n.leaf == LeafKind::param && n.a < params.size() ? params[n.a] : std::numeric_limits<double>::quiet_NaN();
  });
}

std::vector<double> parameter_values(const Model& model, const std::vector<std::pair<std::uint32_t, double>>& set) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < model.params.size(); ++i) {
    values.push_back(constant_values(model, {model.params[i].value}, values)[0]);
    for (const auto& [index, value] : set)
      if (index == i) values[i] = value;
  }
  return values;
}

}  // namespace mbc::sema
