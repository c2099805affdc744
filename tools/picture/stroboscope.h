// SPDX-License-Identifier: Apache-2.0
// A motion in one picture, as papers print it: the poses at some times, projected on a plane, with the paths of the
// parts between them, as SVG.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tools/picture/recording.h"

namespace mbc::tools {

struct Stroboscope {
  std::vector<double> times;  // times of the poses
  std::string plane;          // "xz": x to the right, z up; "": chosen from the motion
  std::string title;
  std::string time_unit, length_unit;
  std::size_t width = 0, height = 0;  // pixels; 0: chosen from the motion
};

// Returns equidistant times, the first and the last among them.
[[nodiscard]] std::vector<double> equal_times(double first, double last, std::size_t count);
// Draws a recording; it must have a picture.
[[nodiscard]] std::string stroboscopic_picture(const Recording& recording, const Stroboscope& how);
// Draws a picture for each pose, with its time in the title, all on the same axes; stops when `take` returns false.
void stroboscopic_frames(const Recording& recording, const Stroboscope& how,
                         const std::function<bool(const std::string& svg)>& take);

}  // namespace mbc::tools
