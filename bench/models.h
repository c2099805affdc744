// SPDX-License-Identifier: Apache-2.0
// The models that are measured, as text: what a user would write, no array syntax, all numbers as literals.
#pragma once
#include <string>
#include <vector>

namespace mbc::bench {

inline constexpr double kGravity = 9.81;

// A planar pendulum with linear drag; its numbers are parameters.
inline constexpr double kPendulumMass = 1.5, kPendulumLength = 0.8, kPendulumDrag = 0.2;

enum class Shape { two_particles, pendulum, chain, redundant_chain };

struct BenchModel {
  std::string name;
  std::string text;
  Shape shape{};
  int count = 0;        // rods of a chain
  double run_to = 0.0;  // the right-hand side is measured at the state reached then
};

// `count` particles of 1 kg on massless rods of 1 m from a fixed point, bent and moving. The state is the initial state
// of the text and satisfies the constraints to rounding. `doubled` states each rod a second time, squared.
std::string chain_text(int count, bool doubled);

// The same without doubled rods, masses, lengths and gravity as parameters.
std::string chain_with_params(int count);

// A chain of rods of sqrt(1.09) m at rest, written as a loop, so that the rods are instances of two templates.
std::string looped_chain_text(int count, int steps = 1000);

// Furuta's pendulum of bodies that follow frames, and Chaplygin's sleigh (numbers: bench/small_yardstick.h).
std::string rotary_pendulum_text();
std::string sleigh_text();

// The spatial triple pendulum of free bodies on ball joints; `bodies`: quaternion, natural, euler_parameters.
std::string triple_pendulum_text(const std::string& bodies);

// The example of the paper, the pendulum, chains of 1 .. 100 rods and one with redundant rows.
std::vector<BenchModel> bench_models();
std::string example_path(const std::string& file);

}  // namespace mbc::bench
