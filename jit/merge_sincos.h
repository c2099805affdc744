// SPDX-License-Identifier: Apache-2.0
// Merges sin(x) and cos(x) of the same x into one call of the support library: mbc_sincos for one number,
// mbc_sincos_lanes, through memory, for eight lanes. The bits are those of two calls. The pass runs at every level of
// optimisation, because the functions of lanes below are only names.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace mbc::jit {

inline constexpr const char *kSineOfLanes = "mbc.sin.lanes", *kCosineOfLanes = "mbc.cos.lanes";
inline constexpr unsigned kSineLanes = 8;

void merge_sincos(llvm::Module& module);

}  // namespace mbc::jit
