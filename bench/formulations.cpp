// SPDX-License-Identifier: Apache-2.0
// Measures a right-hand side under each formulation for the systems of the seeds and for chains of bodies on ball
// joints (docs/benchmarks.md). It reports the best of several batches with native code. The table is that of `mbc
// compare` for many models at once.
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

struct Subject {
  std::string name, text;  // An empty text selects an example.
  std::string simulation;
};

// Returns a chain of bars of 1 m on ball joints, suspended from the ground. The first bar lies along x, and the
// directions alternate.
std::string chain_of_bodies(int count) {
  std::string text = "mbd 1\ngravity (0, 0, -9.81)\n";
  double x = 0, y = 0;
  for (int i = 1; i <= count; ++i) {
    const bool along = i % 2 == 1;
    text += fmt::format("body b{}(mass = 1, inertia = diag(0.01, 0.09, 0.08)) at ({}, {}, 0){}\n", i,
                        x + (along ? 0.5 : 0), y + (along ? 0 : 0.5), along ? "" : " rotated rotz(pi/2)");
    text += fmt::format("point s{0} on b{0} at (-0.5, 0, 0)\npoint e{0} on b{0} at (0.5, 0, 0)\n", i);
    text += fmt::format("constraint joint{0}: s{0}.pos == {1}\n", i,
                        i == 1 ? std::string("ground.pos") : fmt::format("e{}.pos", i - 1));
    (along ? x : y) += 1;
  }
  return text + "simulate run { time = 0 .. 0.01 step 0.001; integrator = rk4 }\n";
}

std::vector<Subject> subjects() {
  std::vector<Subject> list;
  const std::string seeds = MBC_EXAMPLES_DIR "/seeds/";
  list.push_back({"000 cart", seeds + "000_volterra/cart_double_pendulum.mbd", "swing"});
  list.push_back({"000 three bodies", seeds + "000_volterra/three_bodies.mbd", "paper"});
  list.push_back({"000 satellite", seeds + "000_volterra/satellite.mbd", "paper"});
  list.push_back({"001 sleigh", seeds + "001_projection/sleigh.mbd", ""});
  list.push_back({"001 rotary pendulum", seeds + "001_projection/rotary_pendulum.mbd", ""});
  list.push_back({"003 two particles", seeds + "003_compiler/two_particles.mbd", "paper"});
  list.push_back({"004 triple pendulum", seeds + "004_bodies/triple_pendulum.mbd", "fall"});
  for (const int count : {3, 10, 30})
    list.push_back({fmt::format("chain of {} bodies", count), chain_of_bodies(count), "-"});
  return list;
}

Comparison measure(const Subject& s) {
  CompareOptions options;
  options.run = false;
  options.samples = 1;
  if (s.simulation != "-") options.simulation = s.simulation;
  return s.simulation == "-" ? compare_text(s.text, s.name, options) : compare(s.text, options);
}

void print_table(const std::vector<std::string>& columns, const std::vector<std::pair<std::string, Comparison>>& rows) {
  fmt::print("\nright-hand side, us, and its ratio to udwadia_kalaba (- does not apply)\n{:<20}", "model");
  for (const std::string& c : columns) fmt::print(" {:>19}", c);
  fmt::print("\n");
  for (const auto& [name, comparison] : rows) {
    std::map<std::string, double> seconds;
    for (const ComparedMethod& m : comparison.methods)
      if (m.rhs_seconds) seconds[m.formulation] = *m.rhs_seconds;
    fmt::print("{:<20}", name);
    for (const std::string& c : columns)
      if (seconds.contains(c) && seconds.contains(columns.front()))
        fmt::print(" {:>12.3f} {:>6.2f}", 1e6 * seconds[c], seconds[c] / seconds[columns.front()]);
      else
        fmt::print(" {:>19}", "-");
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace mbc::bench

int main() {
  using namespace mbc::bench;
  std::vector<std::pair<std::string, mbc::Comparison>> rows;
  std::vector<std::string> columns;
  for (const Subject& s : subjects()) {
    rows.emplace_back(s.name, measure(s));
    fmt::print(stderr, "{}", rows.back().second.rendered);
    if (columns.empty())
      for (const mbc::ComparedMethod& m : rows.back().second.methods) columns.push_back(m.formulation);
  }
  print_table(columns, rows);
  return 0;
}
