// sin(x) and cos(x) of the same x as one call: the C library reduces the argument once. Bits as of two calls.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace mbc::jit {

void pair_sines_and_cosines(llvm::Module& module);

}  // namespace mbc::jit
