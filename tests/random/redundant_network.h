// SPDX-License-Identifier: Apache-2.0
// Makes random networks of particles, bodies and constraint rows that repeat, combine or contradict each other, as
// text.
#pragma once
#include <cstdint>
#include <string>

namespace mbc::test {

struct Network {
  std::string text;
  int rows = 0;            // scalar rows of the text
  bool redundant = false;  // some row repeats others
  bool conflict = false;   // some row contradicts others in its value, its velocity or its acceleration
};

// `chain` particles on rods are added that are separate from the network, for systems with many rows.
Network redundant_network(std::uint64_t seed, int chain = 0);

}  // namespace mbc::test
