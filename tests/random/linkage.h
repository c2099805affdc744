// SPDX-License-Identifier: Apache-2.0
// A closed linkage of bodies and joints at random, as text: a pose in which it closes is made up first, joints are put
// where the bodies meet, then every body is moved and turned away from there. Something to assemble that is known to
// exist. Lengths are of order 1.
#pragma once
#include <cstdint>
#include <string>

namespace mbc::test {

enum class LinkageKind : std::uint8_t {
  plane,   // bodies in `space 2`, joined by points
  hinges,  // the same in space, hinges with parallel axes: three rows of the loop depend on the others
  balls,   // ball joints
  mixed    // hinges, cardan, sliding and ball joints, axes at random, of one degree of freedom or more
};

struct Linkage {
  LinkageKind kind = LinkageKind::plane;
  int bodies = 3;        // that move; one more stands still
  double disturbed = 0;  // largest angle (rad) and largest move of a coordinate; 0: drawn stretched out in a row
  std::uint64_t seed = 0;
};

std::string linkage_text(const Linkage& linkage);

}  // namespace mbc::test
