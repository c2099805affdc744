// SPDX-License-Identifier: Apache-2.0
// Checks the numbers of a model once its parameters have values: possible masses and inertias, initial values that are
// numbers. The checks run when a model is elaborated, and for every member of a sweep.
#pragma once
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/model.h"

namespace mbc::sema {

// Checks that parameters are finite and satisfy what components require, masses are positive, inertias those of a body.
void check_masses(const Model& model, const std::vector<double>& params, Sink& sink);
// Checks that initial values, inputs and gravity are finite, and that orientations are rotations.
void check_initial_values(const Model& model, const std::vector<double>& params, Sink& sink);
// Checks that the rotations that follow coordinates are rotations wherever these are.
void check_rotations(const Model& model, const std::vector<double>& params, Sink& sink);
// Reports rows of carrying joints that do not hold where these values of the parameters draw the bodies. At the values
// that the tree was decided with they do.
void check_drawn_rows(const Model& model, const std::vector<double>& params, Sink& sink);

}  // namespace mbc::sema
