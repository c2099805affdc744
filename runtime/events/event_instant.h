// SPDX-License-Identifier: Apache-2.0
// The actions of all events that fire at one instant, executed together.
//
// All right-hand sides read the values before the instant; then everything is assigned at once. Rows are switched
// first. An impulse J then changes the speeds by P M^-1 J, which is the difference of two evaluations of the
// accelerations, with a load of that size and without it. Each formulation therefore computes it by its own
// elimination. Positions and velocities are brought onto the constraints last. Assigned values are hard, as in `init`.
//
// Conditions that became true and event functions that jumped through zero fire in the next pass at the same time.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/constraints/assembly.h"
#include "runtime/events/discontinuity_modes.h"
#include "runtime/events/functions/discontinuity_jumps.h"
#include "runtime/events/functions/event_signs.h"
#include "runtime/events/held_numbers.h"
#include "runtime/record/options.h"
#include "runtime/record/recording.h"
#include "runtime/record/run_state.h"
#include "runtime/simulation/contact_instant.h"
#include "runtime/state/accepted_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"

namespace mbc::runtime {

// Builds the diagnostic for an event; the event's name is the first argument.
Diagnostic about_event(const problem::Problem& info, Kind kind, std::uint32_t event, std::vector<std::string> args,
                       Span span, double t, const char* help = "");

class EventInstant {
 public:
  // The references must outlive the object. `certify_again` is called after rows were switched or positions have
  // jumped.
  EventInstant(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
               Integration& integration, Recording& recording, AcceptedState& accepted, EventSigns& signs,
               DiscontinuityModes& modes, std::function<bool(double t)> certify_again);

  // Executes the events at the accepted, evaluated state at t. Returns false if the run ends here, by `stop` or by a
  // failure.
  bool execute(double t, std::vector<std::uint32_t>& fired, double tolerance);

  // Decides which unilateral constraints are active at the accepted, evaluated state at the beginning of a run.
  bool begin(double t);

  // Finds the numbers that rows hold at zero from t on.
  void find_held_numbers(double t, const std::vector<double>& values) { held_numbers_.find(t, values); }

  [[nodiscard]] ContactInstant& contact() { return contact_; }

  // Computes the event functions at a state, and its rate if it is needed. y has n_y entries.
  void evaluate(double t, const double* y, double* dy, std::vector<double>& values);
  void transfer(Archive& archive) { archive(contact_); }

 private:
  static constexpr int kMostPasses = 100;  // per instant
  // The kinds of changes that an instant has made.
  struct Changes {
    bool held = false, positions = false, speeds = false, rows = false, impulses = false;
  };
  bool tell(double t, const std::vector<std::uint32_t>& fired);
  bool first_row(double t, const std::vector<std::uint32_t>& fired);
  bool conclude(double t);
  bool without_end(double t, const std::vector<std::uint32_t>& fired, const std::vector<std::uint32_t>& passed);
  void take_samples(double t, const std::vector<std::uint32_t>& fired);
  bool pass(double t, std::vector<std::uint32_t>& fired);
  bool collect(double t, const std::vector<std::uint32_t>& fired);
  bool collides(double t, std::uint32_t event, const problem::EventAction& action);
  void assign(double t, const std::vector<std::uint32_t>& fired);
  bool assigned_rotations(double t);
  bool change_modes(double t, const std::vector<std::uint32_t>& fired);
  bool give_impulses(double t);
  bool onto_constraints(double t, std::uint32_t event);
  void turn_with_bodies();
  bool go_on_turning(double t, std::uint32_t event);
  bool by_assembly(double t, std::uint32_t event);
  bool part(double t);
  bool keeps_contact(double t);
  AssemblyResult assembled(double t, std::vector<double>& y);
  bool positions_hold(double t, std::uint32_t event);
  bool go_on(double t);
  void next_pass(const std::vector<std::uint32_t>& fired, std::vector<std::uint32_t>& next);
  bool end_by(double t, const std::string& text);
  [[nodiscard]] std::string shown(const problem::EventAction& action) const;
  bool fail(Kind kind, std::uint32_t event, std::vector<std::string> args, Span span, double t, const char* help = "");
  [[nodiscard]] double energy() const { return state_.equations().kinetic() + state_.equations().potential(); }
  [[nodiscard]] problem::DiscreteState discrete() const { return state_.discrete(); }

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  Integration& integration_;
  Recording& recording_;
  const problem::Events& events_;
  AcceptedState& accepted_;
  EventSigns& signs_;
  DiscontinuityModes& modes_;
  std::function<bool(double t)> certify_again_;
  std::vector<double> before_, after_;     // values of the events
  std::vector<double> y_before_;           // the state before the instant
  std::vector<double> given_;              // by number of the assigned quantity: entries of y, then discrete variables
  std::vector<std::uint32_t> given_by_;    // number of the event that assigns the quantity + 1, or 0
  std::vector<std::uint32_t> given_list_;  // the quantities that are assigned
  std::vector<problem::EventAction> impulses_;
  std::vector<double> jump_, rate_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> fired_;  // events of the user that fired in this instant so far
  double row_ = 0;                    // number of the event that the rows of this instant name, or 0
  bool keeps_row_ = false;            // the row before the instant is kept although no event names it yet
  Changes changes_;
  ContactInstant contact_;
  Jumps jumps_;
  DiscontinuityJumps discontinuity_jumps_;
  HeldNumbers held_numbers_;
};

}  // namespace mbc::runtime
