// SPDX-License-Identifier: Apache-2.0
// How the drift of the constraints is kept in bounds: the choice alone, for whoever asks for it (stabilisation.h does
// it).
#pragma once
#include <cstdint>

namespace mbc::runtime {

enum class Stabilisation : std::uint8_t { none, project, baumgarte, partition };

}  // namespace mbc::runtime
