// SPDX-License-Identifier: Apache-2.0
// HeldNumbers tells which of the numbers that events watch are held at zero by the active rows. An example is the
// difference between the length of a taut rope and its length at rest. On the dense output inside a step such a number
// is as large as the interpolation error, and after the step it is rounding. Its sign says nothing.
//
// A number is held if it is zero at all states around the one at hand that satisfy the rows. This is tested on states
// that are displaced at random by a part of the size of the model, and then projected onto the rows a little later.
// A number that is not held keeps about that part of its variation. A number that is held falls to the tolerance of
// the projection.
#pragma once
#include <functional>
#include <vector>

#include "base/split_mix64.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/events/functions/event_signs.h"
#include "runtime/record/run_state.h"

namespace mbc::runtime {

class HeldNumbers {
 public:
  // Evaluates the numbers at a state y of n_y entries, whose rate is dy.
  using Evaluate = std::function<void(double t, const double* y, double* dy, std::vector<double>& values)>;

  // The references must outlive the object. `later` is a time that is short for the motion (s).
  HeldNumbers(RunState& state, ConstraintProjector& projector, EventSigns& signs, double later, Evaluate evaluate);

  // Finds the numbers that are held from time t on, and tells the signs. `values` are those of the state, which was
  // evaluated before and is evaluated again.
  void find(double t, const std::vector<double>& values);

 private:
  void displace(double t, SplitMix64& random);
  bool hold_on_rows(double t, const std::vector<double>& values);

  RunState& state_;
  ConstraintProjector& projector_;
  EventSigns& signs_;
  double later_;
  Evaluate evaluate_;
  std::vector<std::uint32_t> numbers_;  // those that may be held
  std::vector<char> held_;              // by number
  std::vector<double> y_, dy_, w_, displaced_, projected_;
};

}  // namespace mbc::runtime
