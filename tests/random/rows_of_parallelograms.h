// SPDX-License-Identifier: Apache-2.0
// Makes random rows of parallelograms as text: cranks of 1 m side by side, joined by couplers. If the cranks point
// along the couplers, the mechanism is flat, a singular position with as many singular directions as there are
// parallelograms. A moving row crosses two of them per turn. Every length is exact, so that the motion continues
// straight.
#pragma once
#include <cstdint>
#include <string>

namespace mbc::test {

enum class RowFamily : std::uint8_t {
  angles,  // The coordinates are the angles of cranks and couplers; the bodies are prescribed by them.
  pins,    // bodies in `space 2`, joined by pins
  hinges   // bodies in space, hinges with parallel axes: three rows of every loop depend on the others
};

struct ParallelogramRow {
  RowFamily family = RowFamily::angles;
  int count = 1;  // number of parallelograms; there is one crank more
  // one rigid coupler on all cranks, so that rows always depend on others; not for the family `angles`
  bool one_coupler = false;
  bool gravity = false;
  bool flat = false;  // flat at the start; otherwise upright
  double seconds = 2;
  std::string step;        // in s, as written: "0.00125"
  std::string integrator;  // "rk4", "ab4", "dopri5(rtol = 1e-8, atol = 1e-12)"
  std::string formulation;
  bool partition = false;  // stabilise = partition; otherwise project
};

// EnergyLimits are the allowed changes of energy, relative to its largest value.
struct EnergyLimits {
  double drift = 0;
  double jump = 0;  // between two recorded rows
};

// Draws a row of up to `most` parallelograms. If `many` is set, one in eight rows with fixed steps of 2 ms and more has
// 7 to 40 of them.
ParallelogramRow random_row(std::uint64_t seed, int most, double seconds, bool many = false);
// is_fine() is true for fixed steps of 1 ms and less. is_adaptive() is true if the method chooses its steps.
bool is_fine(const ParallelogramRow& row);
bool is_adaptive(const ParallelogramRow& row);
EnergyLimits energy_limits(const ParallelogramRow& row);
// The text has one output E, the total energy.
std::string row_text(const ParallelogramRow& row);

}  // namespace mbc::test
