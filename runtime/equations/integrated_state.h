// SPDX-License-Identifier: Apache-2.0
// The state that an integrator advances, with its rate. It is y = [q; u; s] of a run, or z = [q; y; s] in independent
// quasi-velocities (quasi_equations.h). All other parts of a run see [q; u; s]. All arrays have n_y entries.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/equations/equations.h"

namespace mbc::runtime {

class IntegratedState {
 public:
  // Both must outlive the object; y is the state of the run.
  IntegratedState(Equations& equations, std::vector<double>& y)
      : equations_(equations), in_quasi_(equations.quasi().integrates()), y_(y), dy_(y.size()) {
    if (!in_quasi_) return;
    z_.resize(y.size());
    dz_.resize(y.size());
  }

  [[nodiscard]] bool in_quasi_velocities() const { return in_quasi_; }
  // Returns the state of the run; dy() is its rate at the accepted state.
  std::vector<double>& y() { return y_; }
  std::vector<double>& dy() { return dy_; }
  // Returns the integrated state; rate() is its rate.
  std::vector<double>& state() { return in_quasi_ ? z_ : y_; }
  std::vector<double>& rate() { return in_quasi_ ? dz_ : dy_; }

  // ---- only in quasi-velocities
  // Returns whether the choice has changed since z was computed, which makes z invalid.
  [[nodiscard]] bool outdated() const { return choice_ != equations_.quasi().choices(); }
  // Invalidates z, because y was changed by itself.
  void forget_quasi_velocities() { choice_ = kNoChoice; }
  // Computes z from y, and then y from z, so that recorded rows have the momenta and rates of z. Returns false if a
  // value is not finite.
  bool take_quasi_velocities(double t) {
    QuasiEquations& quasi = equations_.quasi();
    choice_ = quasi.choices();
    return quasi.to_quasi(t, y_.data(), z_.data()) == 0 && quasi.to_speeds(t, z_.data(), y_.data()) == 0;
  }
  // Computes y from z. Returns false if a value is not finite.
  bool take_speeds(double t) { return equations_.quasi().to_speeds(t, z_.data(), y_.data()) == 0; }
  // Computes the rate of z after rhs has computed that of y.
  void take_rate() { equations_.quasi().quasi_rate(dy_.data(), dz_.data()); }

  // Saves or reads everything except y itself.
  void transfer(Archive& archive) {
    archive.fixed(dy_, z_, dz_);
    archive(choice_);
  }

  // Returns the place in y of an entry of state(). For a quasi-velocity of the user it is that of its first speed.
  [[nodiscard]] std::uint32_t entry_of(std::size_t entry) const {
    const kernel::SystemLayout& layout = equations_.layout();
    const auto at = static_cast<std::uint32_t>(entry);
    if (!in_quasi_ || at < layout.speeds_at() || at >= layout.states_at()) return at;
    const double column = equations_.quasi().choice().y[at - layout.speeds_at()];
    if (column < 0) return at;
    const auto speed = static_cast<std::uint32_t>(column);
    const kernel::QuasiLayout& q = *layout.quasi;
    return layout.speeds_at() + (speed < layout.n_speeds ? speed : q.column[q.row_ptr[speed - layout.n_speeds]]);
  }

 private:
  static constexpr std::uint64_t kNoChoice = ~std::uint64_t{0};
  Equations& equations_;
  const bool in_quasi_;
  std::vector<double>& y_;
  std::vector<double> dy_, z_, dz_;
  std::uint64_t choice_ = 0;  // number of the choice that z_ was computed with
};

}  // namespace mbc::runtime
