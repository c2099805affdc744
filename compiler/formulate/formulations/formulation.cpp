// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

namespace {
constexpr const Method* kMethods[] = {&kUdwadiaKalaba, &kAugmented,   &kProjection, &kLagrange,          &kMaggi,
                                      &kKane,          &kGibbsAppell, &kVolterra,   &kEfficientVolterra, &kRouth,
                                      &kBoltzmannHamel};
}

std::span<const Method* const> methods() { return kMethods; }

const Method* find_method(std::string_view name) {
  for (const Method* m : kMethods)
    if (m->name == name) return m;
  return nullptr;
}

}  // namespace mbc::formulate
