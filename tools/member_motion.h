// SPDX-License-Identifier: Apache-2.0
// The motion of one member of a sweep, made by a separate run, as data of a page.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/options.h"

namespace mbc::tools {

// The room that a page has for one of `members` motions.
struct MotionRoom {
  std::size_t frames = 0;
  double share = 1;  // fraction of the numbers that one page may hold
};
[[nodiscard]] MotionRoom room_for(std::size_t members);

// Returns page_data() of the run that `mbc run --set` makes with these values of a member of `info`. `text` is the text
// of the model, which may have come from standard input. Returns "" if there is no motion: the model refuses the
// values, or there are no rows.
[[nodiscard]] std::string member_motion(const Options& options, const std::string& text, const SweepInfo& info,
                                        const std::vector<double>& values, const MotionRoom& room);

}  // namespace mbc::tools
