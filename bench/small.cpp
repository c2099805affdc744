// SPDX-License-Identifier: Apache-2.0
// Compares right-hand sides of small systems with hand-written straight-line code (docs/benchmarks.md, "Small
// systems"). It measures throughput (the same state in every call) and dependent calls (the result of each call changes
// the next state).
#include <fmt/format.h>

#include <stdexcept>

#include "bench/arguments.h"
#include "bench/small_subject.h"

namespace mbc::bench {
namespace {

void report(SmallSubject& subject) {
  fmt::print("| {} |", subject.name());
  for (const bool dependent : {false, true}) {
    const SmallSeconds s = subject.measure(dependent);
    fmt::print(" {:.1f} | {:.1f} ({:.2f}) |", s.by_hand * 1e9, s.rhs * 1e9, s.rhs / s.by_hand);
    if (s.stage)
      fmt::print(" {:.1f} ({:.2f}) |", *s.stage * 1e9, *s.stage / s.by_hand);
    else
      fmt::print(" |");
  }
  fmt::print("\n");
}

void report_loop() {
  const LoopSeconds s = measure_two_particles_loop();
  fmt::print(
      "\n1,000 steps of two_particles: by hand {:.1f} us, Simulation::simulate {:.1f} us ({:.2f}), its loop {:.1f} us "
      "({:.2f})\n",
      s.by_hand * 1e6, s.simulate * 1e6, s.simulate / s.by_hand, s.loop * 1e6, s.loop / s.by_hand);
}

int run(const std::string& wanted) {
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  if (!engine) throw std::runtime_error(error);
  fmt::print(
      "| ns a call | by hand | rhs | stage | by hand, dependent | rhs | stage |\n|---|---|---|---|---|---|---|\n");
  for (const SmallModel& small : small_models()) {
    if (small.model.name.find(wanted) == std::string::npos) continue;
    SmallSubject subject(small, engine.get());
    report(subject);
  }
  if (wanted.empty() || wanted == "run") report_loop();
  return 0;
}

}  // namespace
}  // namespace mbc::bench

int main(int argc, char** argv) {
  try {
    return mbc::bench::run(mbc::bench::wanted_of(argc, argv));
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
