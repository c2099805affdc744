// SPDX-License-Identifier: Apache-2.0
// Gaps that a step has left below zero, since rows are curved, are moved back: the least displacement in the mass
// metric that leaves none, by Newton's method, each step by the sweeps that find impulses.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/constraints/constraint_projector.h"
#include "runtime/contact/timestep/cone_sweeps.h"
#include "runtime/contact/timestep/contact_rows.h"
#include "runtime/contact/timestep/near_rows.h"
#include "runtime/contact/timestep/switches.h"

namespace mbc::runtime {

class Gaps {
 public:
  // Everything outlives the object. tolerance: what they are moved back to, of the size of the model.
  Gaps(Equations& equations, const ModelInfo& info, ConstraintProjector& projector, ContactSwitches& switches,
       ContactRows& rows, double tolerance);

  // Rows are off before and after. False: a value is not finite.
  bool move_back(double t, std::vector<double>& y);
  [[nodiscard]] bool moved() const { return moved_; }
  // The largest gap that was missing, and is.
  [[nodiscard]] double missing_before() const { return missing_before_; }
  [[nodiscard]] double missing() const { return missing_; }

  // An inequality at the start whose gap is missing, and by how much.
  struct Violated {
    std::uint32_t unilateral = 0;
    double by = 0;
  };
  std::optional<Violated> violated(double t, std::vector<double>& y);

 private:
  double look(double t, std::vector<double>& y);
  bool assemble(double t, std::vector<double>& y);
  enum class Made : std::uint8_t { undefined, nothing, moved };
  Made improve(double t, std::vector<double>& y);
  [[nodiscard]] Eigen::VectorXd displacement(double size);

  Equations& equations_;
  const ModelInfo& info_;
  const EventsInfo& events_;
  ConstraintProjector& projector_;
  ContactSwitches& switches_;
  ContactRows& rows_;
  double tolerance_;
  std::vector<double> dy_, values_;
  NearRows near_;
  ConeProblem problem_;
  bool moved_ = false;
  double missing_before_ = 0, missing_ = 0;
};

}  // namespace mbc::runtime
