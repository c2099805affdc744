// SPDX-License-Identifier: Apache-2.0
#include "api/model/leaf_values.h"

#include <limits>

namespace mbc::api {

double leaf_value(graph::LeafKind leaf, std::uint32_t index, const LeafSpans& values, const PlacesInState& at) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  const auto entry = [](std::span<const double> of, std::size_t k) { return k < of.size() ? of[k] : kUndefined; };
  using graph::LeafKind;
  switch (leaf) {
    case LeafKind::time:
      return values.time;
    case LeafKind::coordinate:
      return entry(values.y, index);
    case LeafKind::speed:
      return entry(values.y, at.speeds + index);
    case LeafKind::accel:
      return entry(values.accelerations, index);
    case LeafKind::multiplier:
      return entry(values.multipliers, index);
    case LeafKind::ideal:
      return entry(values.ideal, index);
    case LeafKind::state:
      return entry(values.y, at.states + index);
    case LeafKind::state_rate:
      return entry(values.rates, at.states + index);
    case LeafKind::input:
      return entry(values.inputs, index);
    case LeafKind::param:
      return entry(values.params, index);
    case LeafKind::slot_constant:
    case LeafKind::mask:
      break;
  }
  return kUndefined;
}

}  // namespace mbc::api
