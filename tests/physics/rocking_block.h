// SPDX-License-Identifier: Apache-2.0
// Provides a block that rocks on its two lower corners and is rough enough not to slip (G. W. Housner, Bull. Seism.
// Soc. Am. 53 (1963) 403-417).
#pragma once

namespace mbc::test {

inline constexpr const char* kRockingBlock = R"(mbd 1
space 2
gravity (0, -10)
param b = 0.2, h = 0.8, tilt = 0.1
let J = (b^2 + h^2)/3*1.5
body block(mass = 1.5, inertia = J) at (-b*cos(tilt) + h*sin(tilt), b*sin(tilt) + h*cos(tilt)) rotated rot(-tilt)
point l on block at (-b, -h)
point r on block at (b, -h)
constraint left: l.y >= 0
constraint right: r.y >= 0
friction rub_l on l.vx: 3*left.lambda
friction rub_r on r.vx: 3*right.lambda
output E = energy.total, w = block.omega, angle = block.angle, hits = left.count + right.count
simulate { time = 0 .. 4 step 0.01; integrator = auto(tol = 1e-13) }
)";

}  // namespace mbc::test
