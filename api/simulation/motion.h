// SPDX-License-Identifier: Apache-2.0
// A run that stays alive between calls of Simulation::step() and run_until().
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
  // `settings` holds the methods and the step size, and begins at the time of the state y. `length` is that of the
  // block. The variant and y outlive the object; y is the present state from here on.
  // `model_exchange`: the host makes the steps; then step() and run_until() are not called.
  Motion(const EquationVariant& variant, runtime::SimulateOptions settings, double length,
         const std::vector<double>& params, const std::vector<double>& inputs, const std::vector<double>& held,
         std::vector<double>& y, bool model_exchange = false);
  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;

  // Determines only which contacts and frictions act at the present state, which does not change; then the equations
  // are those of a motion that begins here.
  bool find_discrete_state() { return run_->find_discrete_state(); }
  // Checks the initial state. This and the following functions return false if the run has ended; data() has the
  // reason.
  bool begin();
  // Makes one step of this size.
  bool step(double h);
  // Makes steps of the settings' size up to this time; the last one is shorter if they do not fit.
  bool run_until(double end);

  [[nodiscard]] double time() const { return adaptive_ ? time_ : run_->time_of(at_); }
  // Sets the flag that ends a piece between two steps, or null.
  void set_stop(const volatile std::sig_atomic_t* stop) { settings_.stop = stop; }
  // Sets the inputs from the present state on.
  void set_inputs(const std::vector<double>& inputs);
  // Returns the rate at the present state if the motion knows it; near singular positions it is a limit along the
  // motion.
  [[nodiscard]] const std::vector<double>* rate() {
    return model_exchange_ || inputs_changed_ ? nullptr : &run_->rate();
  }
  [[nodiscard]] runtime::ModelExchange* exchange() { return run_->exchange(); }
  [[nodiscard]] const runtime::RunData& data() const { return run_->data(); }
  [[nodiscard]] runtime::Equations& equations() { return *equations_; }

  void transfer(Archive& archive);

 private:
  bool adapt_to(double end);  // a failed step leaves the state and the time before it
  bool one_step(double h);
  bool ready();

  std::unique_ptr<runtime::Equations> equations_;
  std::optional<runtime::FusedStep> fused_;
  runtime::SimulateOptions settings_;
  runtime::Recorder record_ = [](double, std::span<const double>) { return true; };
  const bool adaptive_, model_exchange_;
  double block_step_;
  std::vector<double>& y_;
  std::vector<double> held_;    // discrete state at the start
  std::vector<double> before_;  // the state before the current step
  std::optional<runtime::Run> run_;
  std::uint64_t at_ = 0;  // steps made since settings_.begin
  double time_ = 0;       // time of adaptive steps
  bool inputs_changed_ = false;
};

}  // namespace mbc::api
