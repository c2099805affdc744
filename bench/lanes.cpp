// SPDX-License-Identifier: Apache-2.0
// Compares long chains with the hand-written chain: the stage in lanes, the function of accepted states, and the
// right-hand side by loops (docs/benchmarks.md, "Long chains").
#include <fmt/format.h>

#include <exception>

#include "bench/long_chain.h"

namespace mbc::bench {
namespace {

void report(int rods, jit::Engine& engine) {
  const LongChain chain = measure_long_chain(rods, engine);
  const LongChainSeconds& s = chain.seconds;
  fmt::print("{:>8}{:>12.3f}{:>12.3f}{:>9.2f}{:>12.3f}{:>9.2f}{:>12.3f}{:>9.2f}{:>12.2f}  {}\n", rods, 1e6 * s.by_hand,
             1e6 * s.stage, s.stage / s.by_hand, 1e6 * s.accepted, s.accepted / s.by_hand, 1e6 * s.rhs,
             s.rhs / s.by_hand, 1e9 * s.stage / rods, chain.laned ? "lanes" : "straight");
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
    fmt::print("chains: us a call\n{:>8}{:>12}{:>12}{:>9}{:>12}{:>9}{:>12}{:>9}{:>12}\n", "rods", "by hand", "stage",
               "ratio", "accepted", "ratio", "rhs", "ratio", "ns a rod");
    for (const int n : {30, 42, 60, 100, 300, 1000, 10000, 100000}) mbc::bench::report(n, *engine);
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
  return 0;
}
