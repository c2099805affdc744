// SPDX-License-Identifier: Apache-2.0
// This header holds what all questions at a state share (include/mbc/questions.h): the equations with the contacts and
// rows that act there, their derivatives along the manifold, the names of the directions, and the reasons why there is
// no answer.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/simulation/simulation_impl.h"
#include "runtime/linear/manifold_derivatives.h"

namespace mbc::api {

// Returns a state with the speeds at zero.
[[nodiscard]] std::vector<double> at_rest(std::vector<double> y, const problem::Problem& info);

class MBC_HIDDEN StateQuestion {
 public:
  // The simulation belongs to the question and outlives it. The question changes its variant: inputs with signals are
  // held at their values at the present state, terms of Baumgarte are left out and contacts are constraints.
  explicit StateQuestion(Simulation::Impl& simulation) : simulation_(simulation) {}

  // Chooses the equations; it is called once, with time and state of the simulation set.
  Result<void> begin();
  // Decides the rows that act at a state, and returns the equations.
  Result<runtime::Equations*> equations_at(double t, const std::vector<double>& y);
  // Evaluates the derivatives at a state, or says why there are none.
  Result<void> evaluate(double t, const std::vector<double>& y);

  [[nodiscard]] const problem::Problem& info() const { return simulation_.facts().info; }
  [[nodiscard]] runtime::Equations& equations() { return *equations_; }
  // Returns whether equations_at() has returned any.
  [[nodiscard]] bool known() const { return equations_ != nullptr; }
  // Returns the derivatives; they are those of the last state that was evaluated.
  [[nodiscard]] runtime::ManifoldDerivatives& derivatives() { return *derivatives_; }
  // Returns name and unit of each direction, and of any displacement of the tangent space.
  [[nodiscard]] std::vector<Quantity> directions() const;
  [[nodiscard]] Quantity displacement(std::uint32_t index) const;
  // Returns the row of an output's multiplier that is not unique; nothing if there is none.
  [[nodiscard]] bool is_unique(std::uint32_t output) const;
  [[nodiscard]] bool is_unique_multiplier(std::uint32_t row) const { return unique_multiplier_[row]; }
  // Returns the error for derivatives that are not finite, with the place of the operation.
  [[nodiscard]] Error undefined(double t, const std::vector<double>& y);
  // Returns the error of a diagnostic at a time.
  [[nodiscard]] Error refused(Kind kind, Span span, std::vector<std::string> args, double t) const;

 private:
  Result<void> check_reactions(double t) const;
  Result<void> check_ranks(double t, const std::vector<double>& y);
  Result<void> check_contacts(double t, const std::vector<double>& y);

  Simulation::Impl& simulation_;
  runtime::Equations* equations_ = nullptr;
  std::unique_ptr<runtime::ManifoldDerivatives> derivatives_;
  std::vector<bool> unique_multiplier_;  // by row
};

}  // namespace mbc::api
