// SPDX-License-Identifier: Apache-2.0
// Rows of parallelograms at random, as text: cranks of 1 m side by side, joined by couplers. Wherever the cranks point
// along the couplers the mechanism lies flat, a singular position of as many directions as there are parallelograms,
// and a moving row passes two of them a turn. Every length is exact, so the motion goes straight on.
#pragma once
#include <cstdint>
#include <string>

namespace mbc::test {

enum class RowFamily : std::uint8_t {
  angles,  // coordinates are the angles of cranks and couplers; bodies follow them
  pins,    // bodies in `space 2`, joined by pins
  hinges   // bodies in space, hinges with parallel axes: three rows of every loop depend on the others
};

struct ParallelogramRow {
  RowFamily family = RowFamily::angles;
  int count = 1;             // of parallelograms; one crank more
  bool one_coupler = false;  // one rigid coupler on all cranks: rows that always depend on the others. Not by angles.
  bool gravity = false;
  bool flat = false;  // at the start; else upright
  double seconds = 2;
  std::string step;        // s, as written: "0.00125"
  std::string integrator;  // "rk4", "ab4", "dopri5(rtol = 1e-8, atol = 1e-12)"
  std::string formulation;
  bool partition = false;  // stabilise = partition; else project
};

// What the motion may do to the energy, relative to its largest value.
struct EnergyLimits {
  double drift = 0;
  double jump = 0;  // from one recorded row to the next
};

// Of up to `most` parallelograms. many: where steps are of 2 ms and more, and fixed, one in eight has 7 to 40 of them.
ParallelogramRow random_row(std::uint64_t seed, int most, double seconds, bool many = false);
// Steps of 1 ms and less, of fixed size; and steps of the method's own size.
bool is_fine(const ParallelogramRow& row);
bool is_adaptive(const ParallelogramRow& row);
EnergyLimits energy_limits(const ParallelogramRow& row);
// One output, E: the total energy.
std::string row_text(const ParallelogramRow& row);

}  // namespace mbc::test
