// SPDX-License-Identifier: Apache-2.0
// An instance of an FMU, common to both versions of the standard: a model, compiled from the text in the FMU's
// `resources`, and one motion of it, by its own steps (Co-Simulation) or by those of the importer (Model Exchange). It
// is interpreted, because an FMU contains no LLVM; the bits are the same.
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
#include "mbc/result.h"
#include "mbc/simulation.h"

namespace mbc::fmi {

enum class Status : int { ok, warning, discard, error, fatal };  // the numbers of fmi2Status and fmi3Status
enum class Phase : std::uint8_t {
  instantiated,
  initialising,
  stepping,
  ended,   // the motion has ended (`stop`), or a step has failed: values may be read
  closed,  // terminated
  failed,  // only reset and a kept state are allowed
  // phases of Model Exchange that replace `stepping`
  event,
  continuous
};
enum class Interface : std::uint8_t { model_exchange, co_simulation };

using Log = std::function<void(Status status, const char* category, const std::string& message)>;

class Instance {
 public:
  // Returns nothing, after a message to the log, if the resources are not those of an FMU of this version, if the token
  // differs, or if the model cannot be compiled.
  static std::unique_ptr<Instance> make(const std::string& resources, const std::string& token, Interface interface,
                                        Log log);

  // ---- order of calls
  // Returns false, after a message, unless the phase is one of these.
  bool may(const char* call, std::initializer_list<Phase> phases);
  [[nodiscard]] Phase phase() const { return phase_; }

  // ---- the phases
  Status enter_initialisation(double start, std::optional<double> stop, std::optional<double> tolerance = {});
  Status exit_initialisation();
  // Moves the instance from `at`, its present time, to at + h. `ended`: the motion ended before at + h, at time().
  Status step(double at, double h, bool& ended);
  Status terminate();
  Status reset();

  // ---- values, by value references
  Status get(const std::uint32_t* references, std::size_t count, double* values);
  Status set(const std::uint32_t* references, std::size_t count, const double* values);
  [[nodiscard]] double time() const { return exchanging() ? at_ : simulation_->time(); }

  // ---- Model Exchange: instance_exchange.cpp
  struct Update {
    bool moved = false, ended = false;
    std::optional<double> next;
  };
  Status enter_event_mode();
  Status enter_continuous_time();
  Status update(Update& made);
  Status completed_step(bool& event);
  Status set_time(double t);
  Status set_states(const double* values, std::size_t count);
  Status get_states(double* values, std::size_t count);
  Status get_rates(double* values, std::size_t count);
  Status get_indicators(double* values, std::size_t count);
  Status get_nominals(double* values, std::size_t count);
  [[nodiscard]] std::size_t state_count() const { return variables_.states.size(); }
  [[nodiscard]] std::size_t indicator_count() const { return variables_.indicators.size(); }

  // ---- the state, as bytes for this version and token
  Status save(std::string& bytes);
  Status restore(const std::string& bytes);

  // Logs the message and returns the status of a failed call.
  Status fail(const std::string& message);
  Status set_logging(bool on) {
    logging_ = on;
    return Status::ok;
  }

 private:
  Instance(Model model, Simulation simulation, std::string block, std::string token, Interface interface, Log log);

  bool restart();       // starts at the beginning, with the values that were set
  bool know_columns();  // computes the columns at the present state
  Status know_rates();
  Status know_indicators();
  Status value(const Variable& variable, double& value);
  void forget();  // discards values of the present state
  // True in Model Exchange after initialisation: the importer makes the steps.
  [[nodiscard]] bool exchanging() const {
    return interface_ == Interface::model_exchange && phase_ > Phase::initialising;
  }
  Status make_instant();
  Status cannot(const Error& why);  // no values at this state: the importer may try another one
  Status wrong_count(const char* what, std::size_t count);

  Model model_;
  std::optional<Simulation> simulation_;
  std::string block_, token_;
  Log log_;
  bool logging_ = true;
  Interface interface_;
  Variables variables_;
  Phase phase_ = Phase::instantiated;
  double start_ = 0;            // start time of the initialisation
  std::optional<double> stop_;  // no step goes beyond it
  bool set_anew_ = true;        // something was set since restart()
  std::optional<std::vector<double>> columns_, rates_, indicators_;

  // ---- Model Exchange
  double at_ = 0;  // time and state that the importer has set
  std::vector<double> y_;
  std::optional<double> tolerance_;  // tolerance of the importer: the largest distance of a state from the constraints
  bool pending_ = false;             // event mode was entered, and the events of the instant were not executed yet
  Update made_;                      // result of the current instant
};

}  // namespace mbc::fmi
