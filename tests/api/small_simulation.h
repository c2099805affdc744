// SPDX-License-Identifier: Apache-2.0
// Provides a small model with many features, and its simulation with given settings.
#pragma once
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::test {

// This is a pendulum of two rods with a row that repeats another one, damping, an input and a state.
inline std::string text_of(const std::string& settings) {
  return R"(mbd 1
param L = 0.5
param damp = 0.1
input push = 0.2
gravity (0, 0, -9.81)
particle a(1) at (L, 0, 0)
particle b(2) at (L, L, 0)
constraint first: dist(ground, a) == L
constraint second: dist(a, b) == L
force drag on b: -damp*b.vel + (push, 0, 0)
state x = 0.3 where x' = b.z - x
output height = b.z
simulate { time = 0 .. 0.2 step 0.005
)" + settings +
         "\n}\n";
}

inline Simulation make(const std::string& settings) {
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_string(text_of(settings), "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return Simulation::create(model).value();
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace mbc::test
