// Long chains: the stage in lanes and the full right-hand side of mbc beside the chain by hand, on one state. Least of
// some repetitions in turn, wall time, on one core; accelerations equal to 1e-12 of the largest before anything is
// timed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "bench/chain_by_hand.h"
#include "compiler/pipeline.h"
#include "jit/engine.h"

namespace mbc::bench {
namespace {

// Mean time of a call in microseconds over about a millisecond.
template <class Call>
double once(Call&& call) {
  using Clock = std::chrono::steady_clock;
  for (int count = 1;; count *= 2) {
    const auto begin = Clock::now();
    for (int k = 0; k < count; ++k) call();
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    if (took > 1e-3) return 1e6 * took / count;
  }
}

// Directions and turning of the rods: smooth, never straight.
void bend(int n, std::vector<double>& by_particle, std::vector<double>& by_axis) {
  double at[6] = {};
  for (int i = 0; i < n; ++i) {
    const double azimuth = 0.4 + 0.35 * i, slope = 0.6 * std::cos(0.9 * i);
    const double d[] = {std::cos(azimuth) * std::cos(slope), std::sin(azimuth) * std::cos(slope), std::sin(slope)};
    const double w[] = {0.15, 0.3 * std::sin(0.7 * i), 0.25};
    for (int k = 0; k < 3; ++k) {
      at[k] += d[k];
      at[3 + k] += w[(k + 1) % 3] * d[(k + 2) % 3] - w[(k + 2) % 3] * d[(k + 1) % 3];
      for (int level = 0; level < 2; ++level) {
        by_particle[static_cast<std::size_t>(3 * n * level + 3 * i + k)] = at[3 * level + k];
        by_axis[static_cast<std::size_t>(3 * n * level + n * k + i)] = at[3 * level + k];
      }
    }
  }
}

void chain(int n, jit::Engine& engine) {
  const std::string text = fmt::format(
      "mbd 1\ngravity (0, 0, -9.81)\nparticle p[i in 1..{0}](1) at (i, 0, 0)\nconstraint first: dist(ground, p[1]) == "
      "1\n"
      "constraint rod[i in 2..{0}]: dist(p[i-1], p[i]) == 1\nsimulate {{ time = 0 .. 1 step 0.001 }}\n",
      n);
  const Compilation c = compile("chain.mbd", text, {});
  const kernel::Kernel& kernel = c.formulated.kernel;
  std::string error;
  kernel::Kernel timed = kernel;
  std::erase_if(timed.functions, [](const kernel::Function& f) { return f.name != "rhs" && f.name != "stage"; });
  const auto code = engine.compile(timed, {}, error);
  if (!code) {
    fmt::print(stderr, "{}\n", error);
    std::exit(1);
  }
  const bool laned = c.formulated.layout.laned;
  const auto rhs = code->function("rhs"), stage = code->function(kernel.function("stage") ? "stage" : "rhs");
  std::vector<double> y(kernel.n_state), dy(y.size()), by_axis(y.size()), rate(y.size()), work(kernel.n_work);
  const std::vector<double> params(kernel.n_params + 1), inputs(kernel.n_inputs + 1), mask(kernel.n_mask, 1.0);
  bend(n, y, by_axis);
  ChainByHand by_hand(n);
  const auto call = [&](kernel::KernelFunction f) {
    return f(0, y.data(), params.data(), inputs.data(), mask.data(), work.data(), dy.data());
  };
  by_hand(by_axis.data(), rate.data());
  for (const auto f : {rhs, stage}) {
    if (call(f) != 0) std::exit(1);
    double size = 0, apart = 0;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        const double expected = rate[static_cast<std::size_t>(3 * n + n * k + i)];
        size = std::max(size, std::fabs(expected));
        apart = std::max(apart, std::fabs(expected - dy[static_cast<std::size_t>(3 * n + 3 * i + k)]));
      }
    if (!(apart <= 1e-12 * size)) {
      fmt::print(stderr, "chain of {}: results differ by {}\n", n, apart / size);
      std::exit(1);
    }
  }
  double least[3] = {1e300, 1e300, 1e300};
  for (int k = 0; k < 40; ++k) {
    least[0] = std::min(least[0], once([&] { by_hand(by_axis.data(), rate.data()); }));
    least[1] = std::min(least[1], once([&] { call(stage); }));
    if (k % 4 == 0) least[2] = std::min(least[2], once([&] { call(rhs); }));
  }
  fmt::print("{:>8}{:>12.3f}{:>12.3f}{:>9.2f}{:>12.3f}{:>9.2f}{:>12.2f}  {}\n", n, least[0], least[1],
             least[1] / least[0], least[2], least[2] / least[0], 1e3 * least[1] / n, laned ? "lanes" : "straight");
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
  fmt::print("chains: us a call\n{:>8}{:>12}{:>12}{:>9}{:>12}{:>9}{:>12}\n", "rods", "by hand", "stage", "ratio", "rhs",
             "ratio", "ns a rod");
  for (const int n : {30, 42, 60, 100, 300, 1000, 10000, 100000}) mbc::bench::chain(n, *engine);
  return 0;
}
