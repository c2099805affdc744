// SPDX-License-Identifier: Apache-2.0
// QuasiEquations evaluates the equations of motion in independent speeds (layout().quasi). It chooses the
// quasi-velocities and converts the state to z = [q; y; s], with y in the first places of the speeds and zeros after
// them. The choice is made at the first evaluation. It is made again if the mask changes or if the choice becomes
// singular.
//
// States and rates have n_y entries. A status is 0 or the failed entry + 1. One thread at a time may use an object.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/equations/independent_speeds.h"
#include "runtime/equations/kernel_runner.h"

namespace mbc::runtime {

class QuasiEquations {
 public:
  // The runner must outlive the object. For a layout without `quasi` only integrates() and lost() may be called.
  explicit QuasiEquations(KernelRunner& runner) : runner_(runner), layout_(runner.layout()) {}

  // Returns whether the integrated state is z instead of y = [q; u; s].
  [[nodiscard]] bool integrates() const { return layout_.quasi && layout_.quasi->state; }

  // This is Equations::rhs at y = [q; u; s].
  std::int32_t rhs(double t, const double* y, double* dy);
  // Computes the rate of z for the current choice.
  std::int32_t rhs_of_quasi_state(double t, const double* z, double* dz);
  // These functions convert the state to z and back. Only to_speeds() may get the same array twice.
  std::int32_t to_quasi(double t, const double* y, double* z);
  std::int32_t to_speeds(double t, const double* z, double* y);
  // Computes the dz that belongs to the dy of the preceding rhs.
  void quasi_rate(const double* dy, double* dz) const;

  // Makes a choice for the state y and takes it if it is clearly better than the current one. The result says whether
  // the choice changed. In either case dy and work belong to the choice that is in use afterwards.
  bool renew(double t, const double* y, double* dy);
  // The current choice was made at a singular position, so the next evaluation makes another one.
  void choose_again() { chosen_ = false; }
  // Keeps the momenta of this state, because conserved momenta are rows.
  void hold_momenta(double t, const double* y);
  [[nodiscard]] const SpeedChoice& choice() const { return choice_; }
  // This counter increases with every change of the choice, because z has another meaning afterwards.
  [[nodiscard]] std::uint64_t choices() const { return choices_; }

  // Returns the rows of the current choice that depend on the others at a state (of either kind).
  std::vector<std::size_t> lost_rows(double t, const double* y);
  // Returns whether the last evaluation found no independent speeds.
  [[nodiscard]] bool lost() const { return layout_.quasi && runner_.work()[layout_.quasi->quality] == 0; }

  // Restores the state after construction.
  void forget();
  // Transfers the choice and the mask that it was made for.
  void transfer(Archive& archive);

 private:
  void choose(double t, const double* y);
  void set_choice(const SpeedChoice& choice);
  [[nodiscard]] double quality() const { return runner_.work()[layout_.quasi->quality]; }
  [[nodiscard]] double value_of(std::uint32_t k, const double* y) const;

  KernelRunner& runner_;
  const kernel::SystemLayout& layout_;
  SpeedChoice choice_;
  std::vector<double> chosen_for_;  // the mask of the choice
  bool chosen_ = false;
  double chosen_quality_ = 0;
  std::uint64_t choices_ = 0;
};

}  // namespace mbc::runtime
