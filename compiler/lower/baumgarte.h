// SPDX-License-Identifier: Apache-2.0
// Baumgarte's stabilisation of the rows (J. Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1-16): the constraint
// e'' = 0 is replaced by e'' + 2 alpha e' + beta^2 e = 0 (position level), e' = 0 by e' + alpha e = 0 (velocity level),
// which have the same solutions and let a violation decay. Rows of acceleration level stay as they are.
#pragma once
#include "compiler/lower/system.h"

namespace mbc::lower {

// Returns the system with b - 2 alpha e' - beta^2 e, or b - alpha e, in place of b. alpha and beta are two more
// parameters, System::gains and the one after it, so that they are data of the run.
System with_baumgarte(const System& system);

}  // namespace mbc::lower
