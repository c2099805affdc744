// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

namespace {
constexpr const Formulation* kFormulations[] = {
    &kUdwadiaKalaba, &kAugmented, &kProjection,        &kLagrange, &kMaggi,         &kKane,
    &kGibbsAppell,   &kVolterra,  &kEfficientVolterra, &kRouth,    &kBoltzmannHamel};
}

std::span<const Formulation* const> formulations() { return kFormulations; }

const Formulation* find_formulation(std::string_view name) {
  for (const Formulation* m : kFormulations)
    if (m->name == name) return m;
  return nullptr;
}

}  // namespace mbc::formulate
