// SPDX-License-Identifier: Apache-2.0
// Piecewise functions in loads, potentials, dissipations and rates of states: what decides on their branch becomes a
// number that a run watches, and their branch a held value that the equations read: 0 between runs and wherever a run
// does not hold it, which is the function as it is written.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::sema {

// When the loads are whole. Where there are more than kMostKinks none is watched.
void find_kinks(Model& model);

}  // namespace mbc::sema
