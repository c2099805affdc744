// SPDX-License-Identifier: Apache-2.0
// Makes a random closed linkage of bodies and joints as text. It first chooses a pose in which the linkage closes and
// puts joints at the points where the bodies meet. It then moves and turns every body away, so that an assembled state
// is known to exist. Lengths are of order 1.
#pragma once
#include <cstdint>
#include <string>

namespace mbc::test {

enum class LinkageKind : std::uint8_t {
  plane,   // bodies in `space 2` that share points
  hinges,  // the same in space with hinges of parallel axes: three rows of the loop depend on the others
  balls,   // ball joints
  mixed    // hinges, universal, sliding and ball joints with random axes and at least one degree of freedom
};

struct Linkage {
  LinkageKind kind = LinkageKind::plane;
  int bodies = 3;        // number of moving bodies; one more is fixed
  double disturbed = 0;  // largest angle (rad) and largest displacement of a coordinate; 0: stretched out in a row
  std::uint64_t seed = 0;
};

std::string linkage_text(const Linkage& linkage);

}  // namespace mbc::test
