// SPDX-License-Identifier: Apache-2.0
// The functions of this process that code of kernels may call: the support routines and the elementary functions of the
// C library.
#pragma once
#include <vector>

#include "jit/engine.h"

namespace mbc::jit {

[[nodiscard]] std::vector<HostSymbol> host_symbols();

}  // namespace mbc::jit
