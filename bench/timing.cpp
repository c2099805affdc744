// SPDX-License-Identifier: Apache-2.0
#include "bench/timing.h"

#include <algorithm>
#include <chrono>

namespace mbc::bench {
namespace {

constexpr double kTurnSeconds = 1e-3;

double seconds(const Work& work, int count) {
  const double begin = now();
  work(count);
  return now() - begin;
}

}  // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<double> take_turns(const std::vector<Work>& all, int turns) {
  std::vector<int> counts(all.size(), 1);
  for (std::size_t i = 0; i < all.size(); ++i)
    while (seconds(all[i], counts[i]) < kTurnSeconds) counts[i] *= 2;
  std::vector<double> least(all.size(), 1e300);
  for (int k = 0; k < turns; ++k)
    for (std::size_t i = 0; i < all.size(); ++i) least[i] = std::min(least[i], seconds(all[i], counts[i]) / counts[i]);
  return least;
}

}  // namespace mbc::bench
