// SPDX-License-Identifier: Apache-2.0
// Finds jumps at a discontinuity of a piecewise function that no motion of the model follows. These are jumps of an
// energy (a step of the potential is an impact, a step of an inertia changes a speed), of a momentum (a step of a term
// that is linear in the speeds), and of the place or the velocity of a prescribed body (a corner of its track). The
// functions are differentiated piece by piece, which gives no force for such a jump. Each quantity is compared a little
// before and after the instant, and again at a smaller distance. The difference of a continuous quantity shrinks with
// the distance.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

class DiscontinuityJumps {
 public:
  // References must outlive the object. `step` is the step of the run (s).
  DiscontinuityJumps(Equations& equations, const problem::Problem& info, double step);

  // Looks around an accepted state y with its rate dy, by the modes before the change.
  void before(double t, const std::vector<double>& y, const std::vector<double>& dy);
  // Looks around the same state by the modes after the change. `kink` is an event that has changed a mode; `exchanged`
  // is the energy that has been exchanged so far.
  std::optional<Diagnostic> after(double t, std::uint32_t kink, double exchanged);

 private:
  struct Seen {
    double kinetic = 0, potential = 0;
    std::vector<double> values;  // event functions
  };
  struct Beside {
    Seen far, near;
  };
  Seen look(double aside);
  Beside look_beside(double side);
  template <class Value>
  [[nodiscard]] bool jumped(const Beside& later, double size, const Value& value) const;
  [[nodiscard]] bool differs(const Beside& later, std::uint32_t first, std::uint32_t count, double size) const;
  [[nodiscard]] std::optional<Diagnostic> of_energy(const Beside& later, const problem::Event& e,
                                                    double exchanged) const;
  [[nodiscard]] std::optional<Diagnostic> of_momenta(const Beside& later, const problem::Event& e) const;
  [[nodiscard]] std::optional<Diagnostic> of_prescribed(const Beside& later, const problem::Event& e) const;
  [[nodiscard]] Diagnostic jumps(const problem::Event& e, const std::string& of, const std::string& what,
                                 const char* help) const;

  Equations& equations_;
  const problem::Problem& info_;
  double step_ = 0;
  double t_ = 0;
  std::vector<double> y_, dy_, beside_, rate_;
  Beside seen_;
};

}  // namespace mbc::runtime
