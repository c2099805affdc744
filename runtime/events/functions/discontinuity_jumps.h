// SPDX-License-Identifier: Apache-2.0
// What jumps where a piecewise function changes its mode, so that no motion of the model follows: an energy (a step
// of the potential is an impact, a step of an inertia changes a speed), a momentum (a step of a term that is linear in
// the speeds), the place or the velocity of a prescribed body (a corner of its track). The functions are differentiated
// piece by piece, which has no force for it. Looked at a little before and behind the instant, and nearer: what is
// continuous differs there by what it changes in that time, the less the nearer.
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
  // Equations and info outlive the object. step: of the run, s.
  DiscontinuityJumps(Equations& equations, const problem::Problem& info, double step);

  // At an accepted state y with its rate dy: by the modes that are held.
  void before(double t, const std::vector<double>& y, const std::vector<double>& dy);
  // At the same state, by those that are held now. kink: an event that has changed one of them; exchanged: the energy
  // that has been, so far.
  std::optional<Diagnostic> after(double t, std::uint32_t kink, double exchanged);

 private:
  struct Seen {
    double kinetic = 0, potential = 0;
    std::vector<double> values;  // of all events
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
