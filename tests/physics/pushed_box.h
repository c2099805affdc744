// SPDX-License-Identifier: Apache-2.0
// Provides a cube on its four lower corners that is pushed at its middle by t: m = 1, half edge 0.1, friction 0.4.
#pragma once
#include <string>

namespace mbc::test {

// `rest` holds outputs and the block that runs the model.
inline std::string pushed_box(const std::string& rest) {
  return R"(mbd 1
gravity (0, 0, -9.81)
body b(mass = 1, inertia = diag(0.00667, 0.00667, 0.00667)) at (0, 0, 0.1)
shape s on b: box(0.2, 0.2, 0.2)
shape f on ground: plane(ez)
Contact c(s, f, mu = 0.4)
force push on b: (t, 0, 0)
)" + rest;
}

}  // namespace mbc::test
