// SPDX-License-Identifier: Apache-2.0
// The characters beyond ASCII that may stand in a name.
#pragma once

namespace mbc::syntax {

bool is_letter(char32_t c);

}  // namespace mbc::syntax
