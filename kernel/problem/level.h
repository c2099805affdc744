// SPDX-License-Identifier: Apache-2.0
// The level of an expression: how often it was differentiated.
#pragma once
#include <cstdint>

namespace mbc::problem {

// The highest derivative that an expression holds. The time and the states count as positions, parameters and inputs as
// constants.
enum class Level : std::uint8_t { constant, position, velocity, acceleration };

}  // namespace mbc::problem
