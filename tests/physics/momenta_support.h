// SPDX-License-Identifier: Apache-2.0
// Finds the conserved momenta of models and checks them against the motion.
#pragma once
#include <string>
#include <vector>

#include "compiler/lower/momenta.h"
#include "compiler/sema/model.h"

namespace mbc::test {

struct FoundMomenta {
  sema::Model model;
  lower::Momenta momenta;

  [[nodiscard]] std::string names() const;     // for example "x; translation x of p, q"
  [[nodiscard]] std::string rejected() const;  // for example "x: reason; y: reason"
  [[nodiscard]] const lower::MomentumDirection& direction(const std::string& name) const;
};
FoundMomenta momenta_of(const std::string& text, sema::Representation bodies = sema::Representation::quaternion);

// Runs the model (its only `simulate` block) and returns the largest change of c.(M u) since the start over the largest
// sum of |(M u)_i|. The kinetic energy must have no terms linear in the speeds.
double momentum_change(const std::string& text, const std::vector<std::pair<std::uint32_t, double>>& direction);

// Finds the momenta of `text` and checks names() and rejected(). Then runs the model for a second: each momentum found
// must stay constant, and the momentum of each rejected coordinate must change.
void check_momenta(const std::string& text, const std::string& found, const std::string& rejected,
                   double tolerance = 1e-10);

}  // namespace mbc::test
