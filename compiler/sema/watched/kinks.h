// SPDX-License-Identifier: Apache-2.0
// Discontinuities: piecewise functions in the equations. The number that decides the mode becomes an event function,
// and the mode becomes a discrete variable that the equations read. It is 0 between runs and while a run does not hold
// it, which gives the function as written. A table is such a function: its mode is the number of the interval.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::sema {

// Returns whether the runs of a block end their steps at discontinuities.
bool locates_kinks(const Simulation& block);
// Returns whether its steps are those of `time`, so that the method does not choose them.
bool has_fixed_steps(const Simulation& block);

// Runs when the equations are complete and the blocks are read. If there are more than kMostKinks, or no block locates
// them, none is watched.
void find_kinks(Model& model);

}  // namespace mbc::sema
