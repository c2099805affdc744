// SPDX-License-Identifier: Apache-2.0
// Checks of components of the standard library on a compiled model: rows against differences of their residuals, and
// columns of a run that must not change or must vanish.
#pragma once
#include <string>
#include <vector>

#include "tests/physics/run.h"

namespace mbc::test {

// Largest difference between the matrix A of the rows at the state y and differences of their residuals, taken along
// the rates of the coordinates (position level, 6th order) or by the speeds (velocity level, exact for linear rows).
double matrix_error(Simulation& program, double t, const std::vector<double>& y);

// y with every coordinate and speed moved by up to `size`, always the same for the same seed.
std::vector<double> shaken(const Model& model, std::vector<double> y, double size, unsigned seed);

double spread(const Run& run, const std::string& column);   // max - min over the run
double largest(const Run& run, const std::string& column);  // of the absolute values

// The columns whose name begins with `prefix`.
std::vector<std::string> columns_with(const Run& run, const std::string& prefix);

}  // namespace mbc::test
