// SPDX-License-Identifier: Apache-2.0
// Models whose conserved momenta are known, and the motion as a judge of what was found.
#pragma once
#include <string>
#include <vector>

#include "compiler/lower/momenta.h"
#include "compiler/sema/model.h"

namespace mbc::test {

struct FoundMomenta {
  sema::Model model;
  lower::Momenta momenta;

  [[nodiscard]] std::string names() const;     // "x; translation x of p, q"
  [[nodiscard]] std::string rejected() const;  // "x: reason; y: reason"
  [[nodiscard]] const lower::MomentumDirection& direction(const std::string& name) const;
};
FoundMomenta momenta_of(const std::string& text, sema::Representation bodies = sema::Representation::quaternion);

// Runs the model (its only `simulate` block) and gives the largest change of c.(M u) since the start, over the largest
// sum of |(M u)_i|. For kinetic energies without terms linear in the speeds.
double momentum_change(const std::string& text, const std::vector<std::pair<std::uint32_t, double>>& direction);

// Finds the momenta of `text`, checks names() and rejected(); then runs the model for a second: each momentum found
// stays, the momentum of each coordinate rejected changes.
void check_momenta(const std::string& text, const std::string& found, const std::string& rejected,
                   double tolerance = 1e-10);

}  // namespace mbc::test
