// SPDX-License-Identifier: Apache-2.0
// Searches a static equilibrium: a state on the constraints with u = 0 and u' = 0, s' = 0. Newton's method on the
// accelerations along the manifold, with exact derivatives (manifold_derivatives.h):
//
//   minimise |D^-1/2 M u'|^2 + |s'|^2,   D the diagonal of M,   over displacements w of the positions and ds of the
//   states
//
// The squares are those of the forces that no constraint carries, each relative to the force that counts as zero. Each
// step is the shortest one that solves the linearised equations, damped as Levenberg and Marquardt do where that does
// not reduce the sum (J. J. More, Lecture Notes in Mathematics 630 (1978) 105-116), and is followed by the projection
// onto the rows. Where no step reduces the sum, as at a rod that stands out level, the state is moved along its
// acceleration.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/constraints/constraint_projector.h"
#include "runtime/linear/manifold_derivatives.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

struct EquilibriumFound {
  enum class Outcome : std::uint8_t {
    found,
    not_found,  // The search ended where a rate remains.
    moving,     // A constraint requires a velocity; `row` is the one that requires most.
    undefined   // The equations or their derivatives are not finite at the last state.
  } outcome{};
  std::vector<double> y;      // the last state; all of its speeds are 0
  double remaining = 0;       // the largest rate that remains, relative to that of a displacement by the model's size
  std::uint32_t fastest = 0;  // the speed or state with the largest rate that remains, by entry of [u; s], at the
                              // state with the least one
  double fastest_rate = 0;
  std::uint32_t row = 0;       // with the outcome `moving`
  std::uint32_t singular = 0;  // number of directions in which the rates do not change to first order
};

// Returns the norm of the loads at a state in the metric of M^-1: that of their terms where these cancel. `size` must
// have been measured. Afterwards the work array of the equations belongs to the state.
double size_of_loads(Equations& equations, const ModelSize& size, double t, const double* y);

class EquilibriumSearch {
 public:
  // The arguments must outlive the object. All rows that the mask has certified are kept.
  EquilibriumSearch(ManifoldDerivatives& derivatives, Equations& equations, const problem::Problem& info);

  // Searches from the positions and states of y, with the speeds at zero.
  EquilibriumFound from(double t, std::vector<double> y);
  // Draws positions on the constraints around y: angles by up to half a turn, other coordinates by up to the largest
  // one with the same unit. Equal seeds give equal states; nothing if the constraints are not met from there.
  std::optional<std::vector<double>> drawn(double t, const std::vector<double>& y, std::uint64_t seed);

 private:
  // Local holds the rates that are minimised, with their derivatives by the directions of positions and states.
  struct Local {
    Eigen::VectorXd rates;                  // [D^-1/2 M u'; s']
    Eigen::MatrixXd slopes, displacements;  // by coordinates in which a step has the length of its displacement
    Eigen::VectorXd rests;                  // rates that count as zero
    Eigen::VectorXd held;                   // the same for what no displacement changes
    [[nodiscard]] Eigen::VectorXd relative_rates() const { return rates.cwiseQuotient(rests); }
    [[nodiscard]] Eigen::MatrixXd relative_slopes() const { return rests.cwiseInverse().asDiagonal() * slopes; }
    [[nodiscard]] double remaining() const { return rates.size() > 0 ? relative_rates().cwiseAbs().maxCoeff() : 0; }
  };
  bool evaluate(double t, const std::vector<double>& y, Local& out);
  bool find_rests(double t, const std::vector<double>& y, Local& out);
  [[nodiscard]] bool at_rest(const std::vector<double>& y, const Local& here);
  // Computes the norm of the rates relative to what counts as zero at another state near by.
  bool norm(double t, const std::vector<double>& y, const Local& near, double& out);
  bool step(double t, std::vector<double>& y, const Local& here);
  bool corrected_step(double t, std::vector<double>& y, const Local& here, const SingularDecomposition& J);
  [[nodiscard]] Eigen::VectorXd limited(const std::vector<double>& y, Eigen::VectorXd displacement) const;
  void fall(double t, std::vector<double>& y);
  [[nodiscard]] bool may_turn(std::uint32_t speed) const;
  [[nodiscard]] double largest_turn(const std::vector<double>& y, const Eigen::VectorXd& displacement) const;
  [[nodiscard]] std::vector<double> moved(double t, const std::vector<double>& y, const Eigen::VectorXd& displacement);
  [[nodiscard]] std::optional<std::uint32_t> moving_row(double t, const std::vector<double>& y);

  ManifoldDerivatives& derivatives_;
  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector projector_;
  double first_extent_ = 1;      // of the positions where the search begins
  Eigen::VectorXd first_loads_;  // there
};

}  // namespace mbc::runtime
