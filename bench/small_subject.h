// SPDX-License-Identifier: Apache-2.0
// Compares small systems with hand-written straight-line code, for bench/small.cpp and bench/targets.cpp.
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

// Returns chains of 1, 3 and 10 rods with literals and with parameters, the rotary pendulum, the sleigh, and
// two_particles.
std::vector<SmallModel> small_models();

// The values are seconds per call. Accepted states call `rhs`. The inner stages of an integrator and Simulation::rhs
// call `fast_rhs` if the model has that function.
struct SmallSeconds {
  double by_hand = 0, rhs = 0;
  std::optional<double> stage;
};

class SmallSubject {
 public:
  // Throws if the derivatives of the model differ from the hand-written ones, or those of `fast_rhs` from those of
  // `rhs`.
  SmallSubject(const SmallModel& small, jit::Engine* engine);
  [[nodiscard]] const std::string& name() const { return small_.model.name; }
  [[nodiscard]] double difference() const { return difference_; }
  // Throughput uses the same state in every call. In dependent calls each result changes the next state.
  SmallSeconds measure(bool dependent);

 private:
  SmallModel small_;
  Subject subject_;
  runtime::Equations& equations_;
  bool has_stage_ = false;
  double difference_ = 0;
};

// The run is examples/two_particles.mbd with 1,000 steps, of which only the last row is recorded.
struct LoopSeconds {
  double by_hand = 0;     // the hand-written loop
  double loop = 0;        // the loop of a run, as the run reports it
  double simulate = 0;    // the whole of Simulation::simulate
  double difference = 0;  // difference of the last states; only the run is projected onto its constraints
};
LoopSeconds measure_two_particles_loop();

}  // namespace mbc::bench
