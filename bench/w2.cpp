// The spatial triple pendulum of free bodies on ball joints (docs/benchmarks.md, "Bodies"): one right-hand side by
// representation of the rotations beside a kernel written by hand. First all have to give the same accelerations.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/subject.h"
#include "bench/w2_yardstick.h"

namespace mbc::bench {
namespace {

constexpr double kAgreement = 1e-12;  // of accelerations, relative to the largest
constexpr int kCalls = 20000, kRepetitions = 25;
constexpr int kUntilLean = 110'000;

// What the state of a representation says of the bodies: q and u per body are 7 + 6, 7 + 7 or 12 + 12.
BarsMotion motion_of(const std::string& bodies, const std::vector<double>& y) {
  BarsMotion m{};
  const std::size_t nq = bodies == "natural" ? 12 : 7, nu = bodies == "quaternion" ? 6 : nq;
  for (std::size_t b = 0; b < 3; ++b) {
    const double *q = y.data() + nq * b + 3, *u = y.data() + 3 * nq + nu * b + 3;
    auto& R = m.R[b];
    if (bodies == "natural") {
      double rate[3][3];  // axis, component
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t k = 0; k < 3; ++k) {
          R[k][axis] = q[3 * axis + k];
          rate[axis][k] = u[3 * axis + k];
        }
      for (std::size_t k = 0; k < 3; ++k) {  // b'.c, c'.a, a'.b
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        for (std::size_t c = 0; c < 3; ++c) m.omega[b][k] += rate[i][c] * R[c][j];
      }
      continue;
    }
    const double p0 = q[0], p[3] = {q[1], q[2], q[3]};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t other = 3 - i - j;
        const double sign = (j + 3 - i) % 3 == 1 ? -1 : 1;
        R[i][j] = i == j ? 2 * (p0 * p0 + p[i] * p[i]) - 1 : 2 * (p[i] * p[j] + sign * p0 * p[other]);
      }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      m.omega[b][k] =
          bodies == "quaternion" ? u[k] : 2 * (p0 * u[1 + k] - u[0] * p[k] - (p[i] * u[1 + j] - p[j] * u[1 + i]));
    }
  }
  return m;
}

// Of the mass centres, from each.
void compare(const std::string& what, const BarsMotion& m, const double* acceleration, std::size_t stride) {
  BarsAccelerations wanted;
  bars_by_hand(m, wanted);
  double size = 1, error = 0;
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t k = 0; k < 3; ++k) {
      size = std::max(size, std::fabs(wanted.a[b][k]));
      error = std::max(error, std::fabs(wanted.a[b][k] - acceleration[stride * b + k]));
    }
  if (!(error <= kAgreement * size))
    throw std::runtime_error(fmt::format("{}: accelerations differ by {:.3g} of {:.3g}", what, error, size));
}

// Nanoseconds a call: the best of several batches.
template <class Call>
double batch(Call&& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kCalls;
}

// What stages call: with native code after enough calls, and with the bits of the full right-hand side.
void check_lean(const Subject& s, runtime::Equations& equations) {
  std::vector<double> full(s.state().size()), lean(full.size());
  equations.rhs(s.time(), s.state().data(), full.data());
  bool done = false;
  for (int k = 0; k < kUntilLean; ++k) done = equations.lean_rhs(s.time(), s.state().data(), lean.data());
  if (!done || std::memcmp(full.data(), lean.data(), full.size() * sizeof(double)) != 0)
    throw std::runtime_error("the lean function gives other bits");
}

int run() {
  std::string error;
  std::unique_ptr<jit::Engine> engine;
#ifdef MBC_HAVE_JIT
  engine = jit::load_engine(error);
#endif
  const std::vector<std::string> names{"quaternion", "natural", "euler_parameters"};
  std::vector<std::unique_ptr<Subject>> subjects;
  std::vector<runtime::Equations*> equations;
  for (const std::string& bodies : names) {
    subjects.push_back(std::make_unique<Subject>(
        BenchModel{"triple pendulum, " + bodies, triple_pendulum_text(bodies), Shape::chain, 3, 0.5}, engine.get()));
    Subject& s = *subjects.back();
    equations.push_back(&s.equations(s.has_native(), runtime::SolveMode::fast));
    std::vector<double> dy(s.state().size());
    if (equations.back()->rhs(s.time(), s.state().data(), dy.data()) != 0) throw std::runtime_error("not finite");
    compare(bodies, motion_of(bodies, s.state()), dy.data() + s.speeds_at(), s.speeds() / 3);
  }
  const std::vector<double>& y = subjects[0]->state();
  std::vector<double> by_hand(y.size(), 0.0);
  triple_pendulum_by_hand(y.data(), by_hand.data());
  compare("by hand", motion_of("quaternion", y), by_hand.data() + 21, 6);

  std::vector<double> best(names.size() + 1, 1e300), lean(names.size(), 1e300);
  for (std::size_t k = 0; k < names.size(); ++k) check_lean(*subjects[k], *equations[k]);
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    best[0] = std::min(best[0], batch([&] { triple_pendulum_by_hand(y.data(), by_hand.data()); }));
    for (std::size_t k = 0; k < names.size(); ++k) {
      Subject& s = *subjects[k];
      std::vector<double> dy(s.state().size());
      best[k + 1] = std::min(best[k + 1], batch([&] { equations[k]->rhs(s.time(), s.state().data(), dy.data()); }));
      lean[k] = std::min(lean[k], batch([&] { equations[k]->lean_rhs(s.time(), s.state().data(), dy.data()); }));
    }
  }
  fmt::print("spatial triple pendulum, one right-hand side\n{:<18} {:>8} {:>7} {:>8} {:>7}\n", "bodies", "ns", "ratio",
             "lean, ns", "ratio");
  fmt::print("{:<18} {:>8.1f} {:>7.2f}\n", "by hand", best[0], 1.0);
  for (std::size_t k = 0; k < names.size(); ++k)
    fmt::print("{:<18} {:>8.1f} {:>7.2f} {:>8.1f} {:>7.2f}\n", names[k], best[k + 1], best[k + 1] / best[0], lean[k],
               lean[k] / best[0]);
  return 0;
}

}  // namespace
}  // namespace mbc::bench

int main() {
  try {
    return mbc::bench::run();
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
