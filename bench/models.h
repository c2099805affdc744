// SPDX-License-Identifier: Apache-2.0
// Provides the measured models as text in the form that a user would write, without array syntax and with literals for
// all numbers.
#pragma once
#include <string>
#include <vector>

namespace mbc::bench {

inline constexpr double kGravity = 9.81;

// This is a planar pendulum with linear drag; its numbers are parameters.
inline constexpr double kPendulumMass = 1.5, kPendulumLength = 0.8, kPendulumDrag = 0.2;

enum class Shape { two_particles, pendulum, chain, redundant_chain };

struct BenchModel {
  std::string name;
  std::string text;
  Shape shape{};
  int count = 0;        // rods of a chain
  double run_to = 0.0;  // The right-hand side is measured at the state of this time.
};

// Returns `count` particles of 1 kg on massless rods of 1 m from a fixed point, bent and moving. The initial state of
// the text satisfies the constraints to rounding. If `doubled` is set, each rod is written a second time, squared.
std::string chain_text(int count, bool doubled);

// Returns the same chain without doubled rods. Masses, lengths and gravity are parameters.
std::string chain_with_params(int count);

// Returns a chain of rods of sqrt(1.09) m at rest, written as a loop, so that the rods are instances of two templates.
std::string looped_chain_text(int count, int steps = 1000);

// Return Furuta's pendulum of bodies that follow frames, and Chaplygin's sleigh (numbers in bench/small_yardstick.h).
std::string rotary_pendulum_text();
std::string sleigh_text();

// Returns the spatial triple pendulum of free bodies on ball joints. `bodies` is quaternion, natural or
// euler_parameters.
std::string triple_pendulum_text(const std::string& bodies);

// Returns the example of the paper, the pendulum, chains of 1 .. 100 rods and one chain with redundant rows.
std::vector<BenchModel> bench_models();
std::string example_path(const std::string& file);

}  // namespace mbc::bench
