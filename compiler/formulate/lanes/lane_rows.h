// SPDX-License-Identifier: Apache-2.0
// Rows and their couplings as blocks of lanes: A, r = b - A M^-1 f, S_kk and S_kl with S = A M^-1 A^T.
#pragma once
#include "compiler/formulate/lanes/lane_places.h"
#include "compiler/formulate/lanes/lane_template.h"

namespace mbc::formulate {

// Write A, r, S_kk of all rows with the other values of the function, then S_kl of rows that share speeds. They return
// false if there would be too many templates for the code to pay.
bool write_rows(const LaneContext& c, kernel::Function& f);
bool write_couplings(const LaneContext& c, kernel::Function& f);

}  // namespace mbc::formulate
