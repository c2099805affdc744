// SPDX-License-Identifier: Apache-2.0
// Starts at rest that rows hold although they leave a direction open: p between two rods in line, a + b long, may move
// by an infinitely small way across them and by no other (an infinitesimal mechanism). Rows that depend on each other
// agree at rest; once the loads give speeds along what is open they ask for different accelerations. No motion
// satisfies them, and the forces that would hold the model are infinite.
#pragma once
#include <optional>

#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/model_size.h"
#include "runtime/equations/equations.h"
#include "runtime/singular/certification.h"

namespace mbc::runtime {

// At a certified start y = [q; u; s] at time t: why no motion leads away from it. `size`: that of the model.
std::optional<Diagnostic> locked_start(Equations& equations, const problem::Problem& info, Certification& certification,
                                       const ModelSize& size, double t, const std::vector<double>& y);

}  // namespace mbc::runtime
