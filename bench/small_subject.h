// SPDX-License-Identifier: Apache-2.0
// Small systems beside straight-line code written by hand: what bench/small.cpp and bench/targets.cpp time.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bench/small_yardstick.h"
#include "bench/subject.h"

namespace mbc::bench {

struct SmallModel {
  BenchModel model;
  SmallRhs by_hand;
};

// Chains of 1, 3 and 10 rods with literals and with parameters, rotary pendulum, sleigh, two_particles.
std::vector<SmallModel> small_models();

// Seconds a call. `rhs` is what is called at accepted states, `fast_rhs` what the inner stages of an integrator and
// Simulation::rhs call, where the model has that function.
struct SmallSeconds {
  double by_hand = 0, rhs = 0;
  std::optional<double> stage;
};

class SmallSubject {
 public:
  // Throws when the model's derivatives are not those by hand, or those of `fast_rhs` not those of `rhs`.
  SmallSubject(const SmallModel& small, jit::Engine* engine);
  [[nodiscard]] const std::string& name() const { return small_.model.name; }
  [[nodiscard]] double difference() const { return difference_; }
  // Throughput: the same state in every call. Dependent: each state has been touched by the result before.
  SmallSeconds measure(bool dependent);

 private:
  SmallModel small_;
  Subject subject_;
  runtime::Equations& equations_;
  bool has_stage_ = false;
  double difference_ = 0;
};

// examples/two_particles.mbd, 1,000 steps, only the last row recorded.
struct LoopSeconds {
  double by_hand = 0;     // the loop
  double loop = 0;        // of a run, as it says itself
  double simulate = 0;    // the whole of Simulation::simulate
  double difference = 0;  // of the last states; the run is also kept on its constraints, the loop by hand is not
};
LoopSeconds measure_two_particles_loop();

}  // namespace mbc::bench
