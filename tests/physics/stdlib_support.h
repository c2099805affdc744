// SPDX-License-Identifier: Apache-2.0
// Checks components of the standard library in a compiled model: rows against differences of their residuals, and
// columns of a run that must be constant or zero.
#pragma once
#include <string>
#include <vector>

#include "tests/physics/run.h"

namespace mbc::test {

// Returns the largest difference between the matrix A of the rows at the state y and differences of their residuals,
// along the rates of the coordinates (position level, 6th order) or by the speeds (velocity level, exact for linear
// rows).
double matrix_error(Simulation& program, double t, const std::vector<double>& y);

// Returns y with every coordinate and speed changed by up to `size`, in the same way for the same seed.
std::vector<double> shaken(const Model& model, std::vector<double> y, double size, unsigned seed);

double spread(const Run& run, const std::string& column);   // max - min over the run
double largest(const Run& run, const std::string& column);  // the largest absolute value

// Returns the columns whose names begin with `prefix`.
std::vector<std::string> columns_with(const Run& run, const std::string& prefix);

}  // namespace mbc::test
