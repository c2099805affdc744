// SPDX-License-Identifier: Apache-2.0
// Compares one right-hand side of the spatial triple pendulum of free bodies on ball joints with a hand-written kernel,
// for each representation of the rotations (docs/benchmarks.md, "Expressions of straight-line kernels").
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <string>

#include "bench/w2_subject.h"

namespace mbc::bench {
namespace {

void run() {
  std::string error;
  std::unique_ptr<jit::Engine> engine;
#ifdef MBC_HAVE_JIT
  engine = jit::load_engine(error);
#endif
  const TriplePendulumSeconds s = measure_triple_pendulum(engine.get());
  fmt::print("spatial triple pendulum, one right-hand side\n{:<18} {:>8} {:>7} {:>9} {:>7}\n", "bodies", "ns", "ratio",
             "stage, ns", "ratio");
  fmt::print("{:<18} {:>8.1f} {:>7.2f}\n", "by hand", 1e9 * s.by_hand, 1.0);
  for (const BodiesSeconds& b : s.mbc)
    fmt::print("{:<18} {:>8.1f} {:>7.2f} {:>9.1f} {:>7.2f}\n", b.bodies, 1e9 * b.rhs, b.rhs / s.by_hand, 1e9 * b.stage,
               b.stage / s.by_hand);
}

}  // namespace
}  // namespace mbc::bench

int main() {
  try {
    mbc::bench::run();
    return 0;
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
