// SPDX-License-Identifier: Apache-2.0
// States inside a step of a method that chooses its steps, and at the ends of other steps from the same state, for the
// search of events.
//
// If a step ends close to one that was made (kNextTo of the step), its end follows from that one by the rate there,
// because the curvature does not count over such a distance. The final state of a located change must be the located
// one to the last bit. A repeated step, or one computed from another end, would differ by rounding. Each end that was
// looked at is therefore kept until the next step.
#pragma once
#include <cstddef>
#include <vector>

#include "runtime/record/run_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"
#include "runtime/step/stepping.h"

namespace mbc::runtime {

class TrialSteps {
 public:
  TrialSteps(RunState& state, ConstraintHandling& constraints, Integration& integration, Stepping& stepping)
      : state_(state), constraints_(constraints), integration_(integration), stepping_(stepping) {}

  // Begins with the state at t, from which the method has made a step of size h (s). The method for stiff problems
  // remembers its steps and repeats none; its changes are located on its dense output.
  void begin(double t, double h);
  // Shortens the step that is looked at.
  void shorten(double h);

  // Return the integrated state on the dense output at a part of the step, and at the end of a step of that size. The
  // caller may change it. Null means that it is undefined.
  std::vector<double>* dense(double theta);
  std::vector<double>* made(double size);

  // Ends the step at that distance from t. The method makes the step unless its end was located. Returns false if it is
  // undefined.
  bool end_at(double size);
  // Makes the step by the method even if its end was located, for states inside it.
  bool inside(double size) { return !located(size) || make(size); }
  // Returns the state at the end of a step of that size if it was located, else null.
  [[nodiscard]] const std::vector<double>* located(double size) const {
    return located_size_ > 0 && size == located_size_ ? &located_ : nullptr;
  }
  void forget() { located_size_ = 0; }

 private:
  [[nodiscard]] bool makes_none() const { return integration_.method().get<Bdf>() != nullptr; }
  bool make(double size);
  bool make_end(double size);
  [[nodiscard]] bool is_next_to_end(double size) const;
  void move_end(double size, std::vector<double>& y) const;
  [[nodiscard]] const std::vector<double>* looked_at(double size) const;
  void keep(double size, const std::vector<double>& y);

  RunState& state_;
  ConstraintHandling& constraints_;
  Integration& integration_;
  Stepping& stepping_;
  double t_ = 0, whole_ = 0;
  double at_hand_ = 0;     // size of the method's present step; 0 if only its end is known
  bool extended_ = false;  // its dense output is complete
  double end_size_ = 0;    // size of the last step made for its end; 0 if no rate is known there
  double located_size_ = 0;
  std::vector<double> row_, end_, end_rate_, located_;
  struct End {
    double size = 0;
    std::vector<double> state;
  };
  std::vector<End> ends_;  // of this step: the first n_ends_; the others are spare
  std::size_t n_ends_ = 0;
};

}  // namespace mbc::runtime
