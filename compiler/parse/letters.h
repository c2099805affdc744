// SPDX-License-Identifier: Apache-2.0
// Which characters beyond ASCII may stand in a name.
#pragma once

namespace mbc::syntax {

bool is_letter(char32_t c);

}  // namespace mbc::syntax
