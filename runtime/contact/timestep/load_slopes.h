// SPDX-License-Identifier: Apache-2.0
// The slopes of the loads of a model at a state, from compiled partial derivatives (kernel/partials.h, scope `loads`):
// a change w of the speeds, or a displacement W w of the coordinates, changes the generalised loads by -C w or -K w,
// C = -f_u and K = -f_q W. They are lists of entries, by pairs of speeds.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/equations/partials_runner.h"

namespace mbc::runtime {

class LoadSlopes {
 public:
  struct Entry {
    std::uint32_t i = 0, j = 0;  // speeds
    double stiffness = 0, damping = 0;
  };

  // Both arguments must outlive the object.
  LoadSlopes(const PartialsCode& code, const Equations& equations);

  // Returns whether any load depends on positions or speeds.
  [[nodiscard]] bool any() const { return !entries_.empty(); }
  // Evaluates the slopes at a state. A derivative that is not finite, as that of a root at zero, counts as zero.
  const std::vector<Entry>& evaluate(double t, const double* y);
  // Calls `found(name)` for each load with a slope, at the last state, in one of the marked entries.
  template <class Found>
  void name_loads(const std::vector<char>& marked, Found&& found) const {
    for (std::size_t k = 0; k < of_load_.size(); ++k)
      for (const Term& term : of_load_[k])
        if (marked[term.entry] != 0 && value(term) != 0) {
          found(layout_.loads[k].name);
          break;
        }
  }

 private:
  // A product of a derivative of a load and, of a coordinate, of its rate by a speed.
  struct Term {
    std::uint32_t entry = 0, load = 0, rate = kNone;
  };
  static constexpr std::uint32_t kNone = 0xffffffffu;
  [[nodiscard]] double value(const Term& term) const {
    return runner_.values()[term.load] * (term.rate == kNone ? 1 : runner_.values()[term.rate]);
  }

  const kernel::PartialsLayout& layout_;
  PartialsRunner runner_;
  std::vector<double> rates_;
  std::vector<Entry> entries_;
  std::vector<Term> terms_;
  std::vector<std::vector<Term>> of_load_;
};

}  // namespace mbc::runtime
