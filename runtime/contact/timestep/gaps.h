// SPDX-License-Identifier: Apache-2.0
// Gaps that a step has left below zero, since rows are curved, are moved back: the least displacement in the mass
// metric that leaves none, by Newton's method; each step is a contact problem.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/constraints/constraint_projector.h"
#include "runtime/contact/timestep/contact_rows.h"
#include "runtime/contact/timestep/near_rows.h"
#include "runtime/contact/timestep/switches.h"
#include "runtime/rows/cone/problem.h"

namespace mbc::runtime {

class Gaps {
 public:
  // Everything outlives the object. tolerance: what they are moved back to, of the size of the model.
  Gaps(Equations& equations, const problem::Problem& info, ConstraintProjector& projector, ContactSwitches& switches,
       Reach& reach, ContactRows& rows, double tolerance);

  // Rows are off before and after. False: a value is not finite. What is within reach is that of the step.
  bool move_back(double t, std::vector<double>& y);
  // From the state whose gaps were looked at last, or of this one if none was, ways are counted; what is within one of
  // it is within reach. way_to(): how far coordinates and time have gone from there.
  void begin(double t, std::vector<double>& y);
  void reach(double way) { reach_.take(values_, way); }
  [[nodiscard]] double way_to(double t, const std::vector<double>& y) const;
  [[nodiscard]] bool moved() const { return moved_; }
  // The largest gap that was missing, and is.
  [[nodiscard]] double missing_before() const { return missing_before_; }
  [[nodiscard]] double missing() const { return missing_; }

  // An inequality whose gap is missing, and by how much: of what a step has left; at the start.
  struct Violated {
    std::uint32_t unilateral = 0;
    double by = 0;
  };
  [[nodiscard]] std::optional<Violated> left(const std::vector<double>& y);
  std::optional<Violated> violated(double t, std::vector<double>& y);

 private:
  void evaluate(double t, std::vector<double>& y);
  double look(double t, std::vector<double>& y);
  bool assemble(double t, std::vector<double>& y);
  enum class Made : std::uint8_t { undefined, nothing, moved };
  Made improve(double t, std::vector<double>& y);
  [[nodiscard]] Eigen::VectorXd displacement(double size);

  Equations& equations_;
  const problem::Problem& info_;
  const problem::Events& events_;
  ConstraintProjector& projector_;
  ContactSwitches& switches_;
  Reach& reach_;
  ContactRows& rows_;
  double tolerance_;
  std::vector<double> dy_, values_;
  struct Place {
    double t = 0;
    std::vector<double> q;
  };
  Place looked_, base_;  // of values_; where what is within reach was found
  NearRows near_;
  ConeProblem problem_;
  bool moved_ = false;
  double missing_before_ = 0, missing_ = 0;
};

}  // namespace mbc::runtime
