// SPDX-License-Identifier: Apache-2.0
// The one symbol libmbc-jit exports, and the version that both sides must share.
#pragma once
#include <cstddef>
#include <cstdint>

#include "jit/engine.h"

namespace mbc::jit {

// The number rises whenever engine.h, kernel.h or ops.def change.
inline constexpr std::uint32_t kEngineVersion = 9;
inline constexpr const char* kFactorySymbol = "mbc_jit_create";

// Returns a new engine, which the caller owns; null if `version` is not the library's own or the host processor is not
// supported. `symbols` lists all functions that generated code will ever be able to call; it is copied.
using Factory = Engine* (*)(std::uint32_t version, const HostSymbol* symbols, std::size_t count);

}  // namespace mbc::jit
