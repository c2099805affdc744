// SPDX-License-Identifier: Apache-2.0
// The motion as a film: pictures of a stroboscope, one after the other, put together by ffmpeg.
#pragma once
#include <string>

#include "tools/picture/stroboscope.h"

namespace mbc::tools {

inline constexpr int kFilmRate = 25;  // pictures in a second

// Makes a film of the poses of `how`, as "gif", "apng" or "mp4": bytes of the file. PNG pictures of the poses are made
// by rsvg-convert, the film by ffmpeg; both are searched for on demand, and get their arguments one by one. Returns
// false if one of them is missing or fails, with the reason in `error`.
[[nodiscard]] bool animated(const Recording& recording, const Stroboscope& how, const std::string& format,
                            std::string& film, std::string& error);

}  // namespace mbc::tools
