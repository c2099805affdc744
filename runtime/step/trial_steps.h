// SPDX-License-Identifier: Apache-2.0
// Where a step of a method that chooses its steps leads, inside it and for others of other sizes from the same state:
// what events are looked for on.
//
// A step that ends next to one that was made has its end but for the way in between, at the rate that the first one
// ends with: over so short a way (kNextTo of the step) nothing is curved. The state that a step ends with where a
// change is located is that by which it was, to the last bit; what the method makes of that size, or what another end
// leads to, differs by rounding. So each end that was looked at is kept until the next step.
#pragma once
#include <cstddef>
#include <vector>

#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"
#include "runtime/state/run_state.h"
#include "runtime/step/stepping.h"

namespace mbc::runtime {

class TrialSteps {
 public:
  TrialSteps(RunState& state, ConstraintHandling& constraints, Integration& integration, Stepping& stepping)
      : state_(state), constraints_(constraints), integration_(integration), stepping_(stepping) {}

  // From the state at t, where the method has made a step of size h (s). The one for stiff problems, which remembers
  // its steps, makes none again: its changes are those of its continuous output.
  void begin(double t, double h);
  // Shorter ones from now on.
  void shorten(double h);

  // The state in the form that is integrated, for the caller to change, at a part of the step on its dense output, and
  // at the end of a step of that size. Null: undefined.
  std::vector<double>* dense(double theta);
  std::vector<double>* made(double size);

  // The step ends so far from t: the method has made it, unless its end is located. False: undefined.
  bool end_at(double size);
  // The method has made it as well, for what lies inside.
  bool inside(double size) { return !located(size) || make(size); }
  // What a step of that size ends with, where it has been located; else null.
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
  double at_hand_ = 0;     // the step that the method has made; 0: not as far as its continuous extension
  bool extended_ = false;  // the continuous extension of that
  double end_size_ = 0;    // of the last step that was made to look at its end; 0: none whose rate is known there
  double located_size_ = 0;
  std::vector<double> row_, end_, end_rate_, located_;
  struct End {
    double size = 0;
    std::vector<double> state;
  };
  std::vector<End> ends_;  // of this step, the first n_ends_ of them; the others are room
  std::size_t n_ends_ = 0;
};

}  // namespace mbc::runtime
