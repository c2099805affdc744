// SPDX-License-Identifier: Apache-2.0
// An instance of an FMU for Co-Simulation, the same behind both versions of the standard: a model, compiled from the
// text in the FMU's `resources`, and one motion of it. It is interpreted: an FMU holds no LLVM, and has the same bits.
//
// One thread at a time uses an instance; any number of instances may be used at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/fmi/variables.h"
#include "mbc/simulation.h"

namespace mbc::fmi {

enum class Status : int { ok, warning, discard, error, fatal };  // the numbers of fmi2Status and fmi3Status
enum class Phase : std::uint8_t {
  instantiated,
  initialising,
  stepping,
  ended,   // the motion has ended by itself (`stop`), or a step has failed: values may be read
  closed,  // terminated
  failed   // nothing but reset and a state that was kept
};

using Log = std::function<void(Status status, const char* category, const std::string& message)>;

class Instance {
 public:
  // Nothing, after a message to the log, for resources that are not those of an FMU of this version, another token, and
  // a model that cannot be had.
  static std::unique_ptr<Instance> make(const std::string& resources, const std::string& token, Log log);

  // ---- order of calls
  // Status::error, with a message, unless the phase is one of these.
  bool may(const char* call, std::initializer_list<Phase> phases);
  [[nodiscard]] Phase phase() const { return phase_; }

  // ---- the phases
  Status enter_initialisation(double start, std::optional<double> stop);
  Status exit_initialisation();
  // From `at`, where the instance is, to at + h. `ended`: the motion has ended by itself on the way, at time().
  Status step(double at, double h, bool& ended);
  Status terminate();
  Status reset();

  // ---- values, by value references
  Status get(const std::uint32_t* references, std::size_t count, double* values);
  Status set(const std::uint32_t* references, std::size_t count, const double* values);
  [[nodiscard]] double time() const { return simulation_->time(); }

  // ---- the state, as bytes for this version and token
  Status save(std::string& bytes);
  Status restore(const std::string& bytes);

  // Says it, and is what a call that fails gives.
  Status fail(const std::string& message);
  void set_logging(bool on) { logging_ = on; }

 private:
  Instance(Model model, Simulation simulation, std::string block, std::string token, Log log);

  bool restart();       // at the beginning, with what was set
  bool know_columns();  // at the present state

  Model model_;
  std::optional<Simulation> simulation_;
  std::string block_, token_;
  Log log_;
  bool logging_ = true;
  std::vector<Variable> variables_;
  Phase phase_ = Phase::instantiated;
  double start_ = 0;            // where initialisation began
  std::optional<double> stop_;  // no step goes beyond it
  bool set_anew_ = true;        // something was set since restart()
  std::optional<std::vector<double>> columns_;
};

}  // namespace mbc::fmi
