// SPDX-License-Identifier: Apache-2.0
// Finds the conserved momenta of a model from its expressions: constant directions c in the space of speeds for which
// c.(dT/du) keeps its value (seed 000, definition 1, and its generalisation to directions that are no single
// coordinate). docs/numerics.md, "Conserved momenta", has the conditions.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::lower {

// c.(dT/du) is conserved. c holds numbers only and does not depend on parameters.
struct MomentumDirection {
  std::vector<std::pair<std::uint32_t, double>> speeds;  // (speed, its c), ascending, none zero; the first is 1
  std::string name;                                      // "phi"; "translation x of p, q"; "x1 + 2*x2"
  bool single = false;
  std::uint32_t coordinate = 0;  // when single
  sema::Dimension dimension;     // of the momentum
};

// A coordinate that neither kinetic nor potential energy depends on, but whose momentum changes.
struct MomentumCandidate {
  std::string name;
  std::string reason;  // "its column in row `knife` is not zero"
  Span span;
};

struct Momenta {
  std::vector<MomentumDirection> found;     // single coordinates first
  std::vector<MomentumCandidate> rejected;  // none that is in a direction found
  bool limited = false;                     // the model is too large: there may be more
};

// `params` are the values of all parameters. Every direction passes two tests: its conditions vanish identically
// (lower/normal_form.h), for any parameters and states, and their numbers vanish at random states with these
// parameters.
Momenta find_momenta(const sema::Model& model, const std::vector<double>& params);

}  // namespace mbc::lower
