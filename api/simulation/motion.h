// SPDX-License-Identifier: Apache-2.0
// A run that is kept alive between calls: Simulation::step() and run_until().
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model/equation_variant.h"
#include "base/archive.h"
#include "runtime/run/run.h"

namespace mbc::api {

class Motion {
 public:
  // `settings`: the methods, and the size of a step; begin is where the state y is. `length`: of the block. The variant
  // and y outlive the object; y is the state at hand from here on.
  // `hosted`: by steps that the host makes; step() and run_until() are not for that.
  Motion(const EquationVariant& variant, runtime::SimulateOptions settings, double length,
         const std::vector<double>& params, const std::vector<double>& inputs, const std::vector<double>& held,
         std::vector<double>& y, bool hosted = false);
  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;

  // Only decides which contacts and frictions act at the state at hand, which stays; then the equations are those of a
  // motion that begins here, and nothing moves them.
  bool find_discrete_state() { return run_->find_discrete_state(); }
  // Looks at the initial state. This and the others: false when the run has ended, failure() says why.
  bool begin();
  // One step of that size, from time().
  bool step(double h);
  // Steps of the size of the settings to that time, a shorter one at the end where they do not fit.
  bool run_until(double end);

  [[nodiscard]] double time() const { return adaptive_ ? time_ : run_->time_of(at_); }
  // They count from the state at hand on.
  void set_inputs(const std::vector<double>& inputs);
  // The rate at the state at hand, where the motion knows it: beside singular positions it is a limit along the motion.
  [[nodiscard]] const std::vector<double>* rate() {
    return adaptive_ || hosted_ || inputs_changed_ ? nullptr : &run_->rate();
  }
  [[nodiscard]] runtime::ModelExchange* hosted() { return run_->hosted(); }
  // Why native code that was demanded is not there; "" when it is, or was not.
  [[nodiscard]] const runtime::RunData& data() const { return run_->data(); }
  [[nodiscard]] runtime::Equations& equations() { return *equations_; }

  void transfer(Archive& archive);

 private:
  bool adapt_to(double end);  // where a step fails, the state and the time are those before it
  bool one_step(double h);
  bool ready();

  std::unique_ptr<runtime::Equations> equations_;
  std::optional<runtime::FusedStep> fused_;
  runtime::SimulateOptions settings_;
  runtime::Recorder record_ = [](double, std::span<const double>) { return true; };
  const bool adaptive_, hosted_;
  double block_step_;
  std::vector<double>& y_;
  std::vector<double> held_;    // at the start
  std::vector<double> before_;  // the state before the step at hand
  std::optional<runtime::Run> run_;
  std::uint64_t at_ = 0;  // steps made since settings_.begin
  double time_ = 0;       // of adaptive ones
  bool inputs_changed_ = false;
};

}  // namespace mbc::api
