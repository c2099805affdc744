// SPDX-License-Identifier: Apache-2.0
// Compares copies in lanes: a step of eight members of a sweep with eight hand-written copies, and whole sweeps
// (docs/benchmarks.md, "Copies in lanes").
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "bench/copies_subject.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

void pendulums(jit::Engine& engine) {
  const CopiesSeconds s = measure_copies(engine);
  fmt::print("{} planar double pendulums, ns a copy and step of Runge and Kutta's method\n", kCopies);
  fmt::print("{:<34}{:>8.2f}\n", "by hand, eight lanes", 1e9 * s.by_hand);
  fmt::print("{:<34}{:>8.2f}{:>8.2f}  {} instructions\n", "mbc, stabilise = none", 1e9 * s.none, s.none / s.by_hand,
             s.none_instructions);
  fmt::print("{:<34}{:>8.2f}{:>8.2f}  {} instructions\n", "mbc, stabilise = project", 1e9 * s.project,
             s.project / s.by_hand, s.project_instructions);
}

// Measures whole sweeps, from the text to the last row.
void sweeps() {
  for (const char* simulation : {"free", "kept"}) {
    SweepOptions options;
    options.name = simulation;
    options.vary = {fmt::format("a = 0.1 .. 1.6 count {}", kCopies)};
    options.record = {"p2.x"};
    options.jobs = 1;
    double least = 1e300;
    for (int k = 0; k < 3; ++k) {
      const SweepResult r = sweep_text(kDoublePendulums, "copies.mbd", options, {});
      if (r.failed != 0 || r.members != kCopies) throw std::runtime_error("members failed");
      least = std::min(least, r.wall_seconds);
    }
    fmt::print("{:<34}{:>8.2f}\n", fmt::format("sweep over {}, 1000 steps, all", simulation),
               1e9 * least / (double{kCopies} * 1000));
  }
}

}  // namespace
}  // namespace mbc::bench

int main() {
  std::string error;
  const auto engine = mbc::jit::load_engine(error);
  if (!engine) {
    fmt::print(stderr, "{}\n", error);
    return 1;
  }
  try {
    mbc::bench::pendulums(*engine);
    mbc::bench::sweeps();
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return 1;
  }
  return 0;
}
