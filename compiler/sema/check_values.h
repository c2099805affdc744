// SPDX-License-Identifier: Apache-2.0
// What must hold of the numbers of a model once its parameters have values: masses and inertias that are possible,
// initial values that are numbers. Said when a model is elaborated, and of every member of a sweep.
#pragma once
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/model.h"

namespace mbc::sema {

// Parameters are finite, masses positive, inertias those of a body.
void check_masses(const Model& model, const std::vector<double>& params, Sink& sink);
// Initial values, inputs and gravity are finite, orientations are rotations.
void check_initial_values(const Model& model, const std::vector<double>& params, Sink& sink);

}  // namespace mbc::sema
