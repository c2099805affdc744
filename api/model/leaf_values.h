// SPDX-License-Identifier: Apache-2.0
// Finds the values of the leaves of an expression at a state.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::api {

// A leaf without an entry in its list is undefined.
struct LeafSpans {
  double time = 0;
  std::span<const double> y{}, params{}, inputs{}, multipliers{}, accelerations{}, rates{}, ideal{};
};

// The struct that owns such values.
struct LeafValues {
  double time = 0;
  std::span<const double> y;
  std::vector<double> params, inputs, rates, accelerations, multipliers, ideal;
  [[nodiscard]] LeafSpans spans() const { return {time, y, params, inputs, multipliers, accelerations, rates, ideal}; }
};

// The places in y at which the speeds and the states of a model begin.
struct PlacesInState {
  PlacesInState() = default;
  explicit PlacesInState(const sema::Model& model)
      : speeds(model.coordinates.size()), states(speeds + model.speeds.size()) {}
  std::size_t speeds = 0, states = 0;
};

// Returns the value of leaf `index` of its kind, or nan if it is undefined.
[[nodiscard]] double leaf_value(graph::LeafKind leaf, std::uint32_t index, const LeafSpans& values,
                                const PlacesInState& at);

}  // namespace mbc::api
