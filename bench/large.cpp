// SPDX-License-Identifier: Apache-2.0
// Measures large systems: the right-hand side of long chains, and factorisation and solve of square nets compared with
// Eigen and CHOLMOD (docs/benchmarks.md, "Large systems").
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "bench/cholmod.h"
#include "bench/models.h"
#include "bench/net.h"
#include "bench/timing.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

void chain(int n) {
  CompileOptions options;
  options.native_at_once = true;
  options.cache = false;
  Simulation program = Simulation::create(Model::from_string(looped_chain_text(n), "chain.mbd", options)).value();
  std::vector<double> y = program.initial_state(), dy(y.size());
  const Work calls = [&](int count) {
    for (int k = 0; k < count; ++k) program.rhs(0, y, dy).value();
  };
  const double seconds = take_turns({calls}).front();
  fmt::print("{:>8}{:>14.1f}{:>12.1f}\n", n, 1e6 * seconds, 1e9 * seconds / n);
}

void net(std::uint32_t width) {
  const NetSeconds s = measure_net(width);
  const NetSolver& best = s.best_other();
  fmt::print("{:>8}{:>8}{:>12}{:>12.0f}{:>12.0f}{:>8.2f}{:>12.0f}{:>8.2f}{:>12.1e}{:>10.1f}  {}\n", width, s.rows,
             s.factor, 1e6 * s.mbc, 1e6 * s.eigen.seconds, s.mbc / s.eigen.seconds, 1e6 * best.seconds,
             s.mbc / best.seconds, s.difference, 1e3 * s.plan, best.name);
  for (const NetSolver& other : s.cholmod)
    if (&other != &best) fmt::print("{:>72.0f}{:>30}  {}\n", 1e6 * other.seconds, "", other.name);
}

void run() {
  std::puts("chains of n rods, right-hand side by native code");
  std::puts("       n       us/call  ns/rod");
  for (const int n : {100, 300, 1000, 10000, 100000}) chain(n);
  fmt::print("\nnets of w x w particles: us of a solve, of the numeric factorisation and solve of others; {}\n",
             cholmod_description());
  std::puts(
      "       w    rows  entries L          us       Eigen   ratio  best other   ratio  difference   plan ms  best "
      "other");
  for (const std::uint32_t width : {10u, 30u, 60u, 100u}) net(width);
}

}  // namespace
}  // namespace mbc::bench

int main(int, char** argv) {
  mbc::bench::keep_to_one_thread(argv);
  try {
    mbc::bench::run();
    return 0;
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
