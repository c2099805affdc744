// SPDX-License-Identifier: Apache-2.0
// The sections that follow from M, f, A and b: reactions, independent speeds, conserved momenta, accelerations.
#pragma once
#include <vector>

#include "compiler/equations/drafts.h"
#include "compiler/equations/independent_speeds.h"

namespace mbc::equations {

// The terms of a system, with the sums that its mass matrix and its forces are.
struct Assembled {
  WrittenSystem& written;
  const Sources& sources;
  const std::vector<Term>& terms;
  Entries mass{}, force{};  // (j, i), j <= i; (i, 0)
};

[[nodiscard]] DraftSection reactions(const Assembled& a);
// The quasi-velocities of the model; where the method solves in independent speeds also these, and its equations.
[[nodiscard]] std::vector<DraftSection> speeds_of_method(const Assembled& a);
[[nodiscard]] DraftSection momenta(const Assembled& a);
// u', where there are no rows and few speeds hang together. Determinants of several speeds have names.
[[nodiscard]] DraftSection solved(const Assembled& a);

}  // namespace mbc::equations
