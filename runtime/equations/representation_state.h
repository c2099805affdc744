// SPDX-License-Identifier: Apache-2.0
// The state of one motion in two representations of its free bodies.
#pragma once
#include <vector>

#include "runtime/equations/model_info.h"

namespace mbc::runtime {

// y = [q; u; s; w] of `from` with the rotations, and what turns them, written as `to` wants them (BodyInfo::Turning);
// everything else is taken over by its name. `from` and `to` describe the same model. Rotations have to be on their
// constraints (|p| = 1, orthonormal axes); the result is on them to round-off.
[[nodiscard]] std::vector<double> in_representation(const ModelInfo& from, const std::vector<double>& y,
                                                    const ModelInfo& to);

}  // namespace mbc::runtime
