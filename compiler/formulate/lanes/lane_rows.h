// SPDX-License-Identifier: Apache-2.0
// The rows and what they have in common, as blocks of lanes: A, r = b - A M^-1 f, S_kk and S_kl with S = A M^-1 A^T.
#pragma once
#include "compiler/formulate/lanes/lane_places.h"
#include "compiler/formulate/lanes/lane_template.h"

namespace mbc::formulate {

// A, r, S_kk of all rows, with what else the function wants of them; then S_kl of rows that share speeds. False where
// they would be so many templates that the code is not worth it.
bool write_rows(const LaneContext& c, kernel::Function& f);
bool write_couplings(const LaneContext& c, kernel::Function& f);

}  // namespace mbc::formulate
