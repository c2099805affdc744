// SPDX-License-Identifier: Apache-2.0
// Finds the quantity that grows without bound as steps shrink: the entry whose rate has doubled in the shortest time,
// and the operation of the model that causes it. Near a pole of any order that time is about the distance to the pole.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// Looks back from an accepted state y with its rate dy, both as [q; u; s], over times from `shortest` to `longest`.
// Adds the entry and the term to a failure of the steps from that state if a rate grows without bound.
void name_growth(Diagnostic& d, Equations& equations, const problem::Problem& info, double t, const double* y,
                 const double* dy, double shortest, double longest);

}  // namespace mbc::runtime
