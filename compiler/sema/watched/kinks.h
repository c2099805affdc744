// SPDX-License-Identifier: Apache-2.0
// Piecewise functions in the equations: what decides on their branch becomes a number that a run watches, and their
// branch a held value that the equations read: 0 between runs and wherever a run does not hold it, which is the
// function as it is written. A table is one of them: its branch is the number of the interval.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::sema {

// Whether the runs of a block end their steps at kinks.
bool locates_kinks(const Simulation& block);
// Its steps are those of `time`, and the method does not choose them.
bool has_fixed_steps(const Simulation& block);

// When the equations are whole and the blocks are read. Where there are more than kMostKinks, or no block locates them,
// none is watched.
void find_kinks(Model& model);

}  // namespace mbc::sema
