// SPDX-License-Identifier: Apache-2.0
#include "bench/w2_subject.h"

#include <cstring>
#include <memory>
#include <stdexcept>

#include "bench/agreement.h"
#include "bench/subject.h"
#include "bench/timing.h"
#include "bench/w2_yardstick.h"

namespace mbc::bench {
namespace {

constexpr int kTurns = 40;
constexpr int kUntilStage = 110'000;  // After this number of calls `fast_rhs` has native code.

// Converts the state of a representation to the motion of the bodies. A body has 7 + 6, 7 + 7 or 12 + 12 entries of q
// and u.
BarsMotion motion_of(const std::string& bodies, const std::vector<double>& y) {
  BarsMotion m{};
  const std::size_t nq = bodies == "natural" ? 12 : 7, nu = bodies == "quaternion" ? 6 : nq;
  for (std::size_t b = 0; b < 3; ++b) {
    const double *q = y.data() + nq * b + 3, *u = y.data() + 3 * nq + nu * b + 3;
    auto& R = m.R[b];
    if (bodies == "natural") {
      double rate[3][3];  // The indices are axis and component.
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t k = 0; k < 3; ++k) {
          R[k][axis] = q[3 * axis + k];
          rate[axis][k] = u[3 * axis + k];
        }
      for (std::size_t k = 0; k < 3; ++k) {  // The values are b'.c, c'.a and a'.b.
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

// Compares the accelerations of the mass centres with those of the hand-written kernel.
double compare(const std::string& what, const BarsMotion& m, const double* acceleration, std::size_t stride) {
  BarsAccelerations wanted;
  bars_by_hand(m, wanted);
  Agreement agreement;
  for (std::size_t b = 0; b < 3; ++b) agreement.see(wanted.a[b], acceleration + stride * b, 3);
  return agreement.demand(what);
}

struct Candidate {
  Subject subject;
  runtime::Equations& equations;
  std::vector<double> dy;
  double difference = 0;

  Candidate(const std::string& bodies, jit::Engine* engine)
      : subject({"triple pendulum, " + bodies, triple_pendulum_text(bodies), Shape::chain, 3, 0.5}, engine),
        equations(subject.equations(subject.has_native(), runtime::SolveMode::fast)),
        dy(subject.state().size()) {
    if (rhs() != 0) throw std::runtime_error(bodies + ": not finite");
    difference =
        compare(bodies, motion_of(bodies, subject.state()), dy.data() + subject.speeds_at(), subject.speeds() / 3);
    const std::vector<double> full = dy;
    bool done = false;
    for (int k = 0; k < kUntilStage; ++k) done = stage();
    if (!done || std::memcmp(full.data(), dy.data(), full.size() * sizeof(double)) != 0)
      throw std::runtime_error(bodies + ": `fast_rhs` gives other bits");
  }
  std::int32_t rhs() { return equations.rhs(subject.time(), subject.state().data(), dy.data()); }
  bool stage() { return equations.fast_rhs(subject.time(), subject.state().data(), dy.data()); }
};

}  // namespace

TriplePendulumSeconds measure_triple_pendulum(jit::Engine* engine) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  TriplePendulumSeconds result;
  for (const char* bodies : {"quaternion", "natural", "euler_parameters"}) {
    candidates.push_back(std::make_unique<Candidate>(bodies, engine));
    result.mbc.push_back({bodies, 0, 0, candidates.back()->difference});
  }
  const std::vector<double>& y = candidates.front()->subject.state();
  std::vector<double> by_hand(y.size(), 0.0);
  triple_pendulum_by_hand(y.data(), by_hand.data());
  compare("by hand", motion_of("quaternion", y), by_hand.data() + 21, 6);

  std::vector<Work> all{[&](int count) {
    for (int k = 0; k < count; ++k) triple_pendulum_by_hand(y.data(), by_hand.data());
  }};
  for (const auto& c : candidates) {
    all.emplace_back([&candidate = *c](int count) {
      for (int k = 0; k < count; ++k) candidate.rhs();
    });
    all.emplace_back([&candidate = *c](int count) {
      for (int k = 0; k < count; ++k) candidate.stage();
    });
  }
  const std::vector<double> seconds = take_turns(all, kTurns);
  result.by_hand = seconds[0];
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    result.mbc[k].rhs = seconds[2 * k + 1];
    result.mbc[k].stage = seconds[2 * k + 2];
  }
  return result;
}

}  // namespace mbc::bench
