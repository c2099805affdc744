// SPDX-License-Identifier: Apache-2.0
// The terms that change the momentum of each speed, as expressions: the first half of find_momenta.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/lower/names.h"
#include "compiler/sema/model.h"

namespace mbc::lower {

// `value` times the component of c for `column`.
struct MomentumTerm {
  std::uint32_t column = 0;
  NodeId value;
};

// Linear forms of c. Those of kinetic and potential energy and of loads add up to d/dt of c.(dT/du); the form of a row
// is A c.
struct MomentumSource {
  enum class Kind : std::uint8_t { kinetic, potential, load, row } kind{};
  std::string what;  // of a load: "force"; of a row: ""
  std::string name;
  std::vector<MomentumTerm> terms;
};

struct MomentumTerms {
  Graph graph;                        // the model's, with derivatives
  std::vector<std::uint32_t> speeds;  // by column: a speed that is exactly the rate of a coordinate
  std::vector<MomentumSource> sources;
  // Linear forms of c whose values are the momentum of unit speeds along c; all are zero if nothing moves along c.
  std::vector<std::vector<MomentumTerm>> inertia;
  bool complete = false;  // else the model is too large: terms are missing
};

MomentumTerms momentum_terms(const sema::Model& model);

}  // namespace mbc::lower
