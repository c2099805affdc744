// SPDX-License-Identifier: Apache-2.0
// sin(x) and cos(x) of the same x as one call of the support library: of one number mbc_sincos, of eight lanes
// mbc_sincos_lanes, through memory. Bits as of two calls. At every level of optimisation: the functions of lanes below
// are names only.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace mbc::jit {

inline constexpr const char *kSineOfLanes = "mbc.sin.lanes", *kCosineOfLanes = "mbc.cos.lanes";
inline constexpr unsigned kSineLanes = 8;

void merge_sincos(llvm::Module& module);

}  // namespace mbc::jit
