// SPDX-License-Identifier: Apache-2.0
// The motion of one member of a sweep, made by a run of its own, as data of a page.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/options.h"

namespace mbc::tools {

// How much room a page has for one of `members` motions.
struct MotionRoom {
  std::size_t frames = 0;
  double share = 1;  // of the numbers that one page may hold
};
[[nodiscard]] MotionRoom room_for(std::size_t members);

// page_data() of the run that `mbc run --set` makes with these values: those a member of `info` has. `text`: of the
// model, which standard input may have been. "" where nothing moves: a model that cannot have the values, no rows.
[[nodiscard]] std::string member_motion(const Options& options, const std::string& text, const SweepInfo& info,
                                        const std::vector<double>& values, const MotionRoom& room);

}  // namespace mbc::tools
