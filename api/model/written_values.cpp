// SPDX-License-Identifier: Apache-2.0
#include "api/model/written_values.h"

#include <algorithm>
#include <limits>

#include "compiler/graph/evaluate.h"

namespace mbc::api {

using graph::NodeId;

namespace {

std::vector<double> values_of(const graph::Graph& g, const std::vector<NodeId>& nodes,
                              const std::vector<double>& params) {
  return graph::evaluate(g, nodes, [&](const graph::Node& n) {
    return n.leaf == graph::LeafKind::param && n.a < params.size() ? params[n.a]
                                                                   : std::numeric_limits<double>::quiet_NaN();
  });
}

}  // namespace

WrittenValues::WrittenValues(const sema::Model& model) {
  const graph::Graph& g = model.graph;
  std::vector<NodeId> parameters, inputs, varying;
  for (const sema::Param& p : model.params) parameters.push_back(p.value);
  for (const sema::Input& i : model.inputs) inputs.push_back(i.value);
  initial_.reserve(model.coordinates.size() + model.speeds.size() + model.states.size());
  const auto add = [&](NodeId value) {
    const bool number = g.is_constant(value);
    if (!number) {
      varying_.push_back(static_cast<std::uint32_t>(initial_.size()));
      varying.push_back(value);
    }
    initial_.push_back(number ? g.constant_value(value) : 0.0);
  };
  for (const sema::Coordinate& c : model.coordinates) add(c.initial);
  for (const sema::Speed& s : model.speeds) add(s.initial);
  for (const sema::State& s : model.states) add(s.initial);
  parameters_ = graph::copied_as_they_are(g, parameters, graph_);
  inputs_ = graph::copied_as_they_are(g, inputs, graph_);
  varying_values_ = graph::copied_as_they_are(g, varying, graph_);
  graph_.settle();
  graph::forget_marks();  // the model is large, the copy is not
}

std::vector<double> WrittenValues::parameters(const std::vector<std::pair<std::uint32_t, double>>& set) const {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < parameters_.size(); ++i) {
    values.push_back(values_of(graph_, {parameters_[i]}, values)[0]);
    for (const auto& [index, value] : set)
      if (index == i) values[i] = value;
  }
  return values;
}

std::vector<double> WrittenValues::inputs(const std::vector<double>& params) const {
  return values_of(graph_, inputs_, params);
}

std::vector<double> WrittenValues::initial(const std::vector<double>& params, std::size_t size) const {
  std::vector<double> y(size, 0.0);
  std::copy(initial_.begin(), initial_.end(), y.begin());
  const std::vector<double> values = values_of(graph_, varying_values_, params);
  for (std::size_t k = 0; k < varying_.size(); ++k) y[varying_[k]] = values[k];
  return y;
}

}  // namespace mbc::api
