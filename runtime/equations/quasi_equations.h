// SPDX-License-Identifier: Apache-2.0
// Equations of motion in independent speeds (layout().quasi): which quasi-velocities are taken, and the state
// z = [q; y; s] in terms of them, y in the first places of the speeds and then zeros. The choice is made at the first
// evaluation, and anew when the mask has changed or the choice has become singular.
//
// States and rates have n_y entries; statuses are 0 or the failed entry + 1. One object belongs to one thread.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/equations/independent_speeds.h"
#include "runtime/equations/kernel_runner.h"

namespace mbc::runtime {

class QuasiEquations {
 public:
  // The runner outlives the object. Of a layout without `quasi` nothing but is_used(), integrates() and lost() may be
  // called.
  explicit QuasiEquations(KernelRunner& runner) : runner_(runner), layout_(runner.layout()) {}

  [[nodiscard]] bool is_used() const { return layout_.quasi.has_value(); }
  // Whether the state to be integrated is z, and not y = [q; u; s].
  [[nodiscard]] bool integrates() const { return layout_.quasi && layout_.quasi->state; }

  // Equations::rhs, at y = [q; u; s].
  std::int32_t rhs(double t, const double* y, double* dy);
  // The rate of z, by the choice at hand.
  std::int32_t rhs_of_quasi_state(double t, const double* z, double* dz);
  // From the state to z and back; in place, where both are the same array, the latter only.
  std::int32_t to_quasi(double t, const double* y, double* z);
  std::int32_t to_speeds(double t, const double* z, double* y);
  // dz that belongs to the rate dy that rhs has just given.
  void quasi_rate(const double* dy, double* dz) const;

  // A choice for the state y, taken when it is clearly better than the one at hand. Whether it was changed; in either
  // case dy and work belong to the choice that holds then.
  bool renew(double t, const double* y, double* dy);
  // The choice at hand was made at a singular position: another one at the next evaluation.
  void choose_again() { chosen_ = false; }
  // Keeps the momenta of this state (conserved ones are rows).
  void hold_momenta(double t, const double* y);
  [[nodiscard]] const SpeedChoice& choice() const { return choice_; }
  // Counts up with every change of the choice: before and after, z means different things.
  [[nodiscard]] std::uint64_t choices() const { return choices_; }

  // Rows of the choice at hand that depend on the others at a state (of either kind).
  std::vector<std::size_t> lost_rows(double t, const double* y);
  // The last evaluation found no independent speeds.
  [[nodiscard]] bool lost() const { return layout_.quasi && runner_.work()[layout_.quasi->quality] == 0; }

  // As after the constructor.
  void forget();
  // The choice and what it was made for.
  void transfer(Archive& archive);

 private:
  void choose(double t, const double* y);
  void set_choice(const SpeedChoice& choice);
  [[nodiscard]] double quality() const { return runner_.work()[layout_.quasi->quality]; }
  [[nodiscard]] double value_of(std::uint32_t k, const double* y) const;

  KernelRunner& runner_;
  const kernel::SystemLayout& layout_;
  SpeedChoice choice_;
  std::vector<double> chosen_for_;  // the mask it was made for
  bool chosen_ = false;
  double chosen_quality_ = 0;
  std::uint64_t choices_ = 0;
};

}  // namespace mbc::runtime
