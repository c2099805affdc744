// SPDX-License-Identifier: Apache-2.0
// Finds what grows without bound where steps shrink: the entry whose rate has doubled in the shortest time before, and
// the operation of the model that this begins with. Beside a pole of any order that time is about the distance to the
// pole.
#pragma once
#include <cstdint>
#include <optional>

#include "base/diagnostics/diagnostic.h"
#include "base/span.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct GrowingRate {
  std::uint32_t entry = 0;               // of y = [q; u; s]
  double before = 0, now = 0, over = 0;  // over: the time in between
  std::optional<Span> term;
};

// Looks back from an accepted state y with its rate dy, both as [q; u; s], over up to `longest`, from `shortest` on.
std::optional<GrowingRate> growing_rate(Equations& equations, double t, const double* y, const double* dy,
                                        double shortest, double longest);

// Names the entry and the term in a failure of the steps from that state, where a rate grows without bound.
void name_growth(Diagnostic& d, Equations& equations, const problem::Problem& info, double t, const double* y,
                 const double* dy, double shortest, double longest);

}  // namespace mbc::runtime
