// SPDX-License-Identifier: Apache-2.0
// AssemblyLevel solves one level (positions or speeds) of the assembly of an initial state. Only assembly.cpp uses it.
// x is q or u, and a displacement w has one entry for each free column. Lengths are mass-weighted, in SI units.
#pragma once
#include <utility>
#include <vector>

#include "runtime/constraints/assembly.h"
#include "runtime/constraints/body_offsets.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

class AssemblyLevel {
 public:
  AssemblyLevel(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
                ConstraintProjector& projector, bool position, double t, const std::vector<double>& y);

  // Writes the consistent state to y. If there is none, the result is false and y is the best state found. The search
  // makes at most `most_attempts` perturbed starts.
  bool solve(std::vector<double>& y, int most_attempts = kAllAttempts);

  // Returns whether both wishes given with `~` and quantities without a given value may move.
  [[nodiscard]] bool mixed() const { return mixed_; }

  static constexpr int kAllAttempts = 48;  // as long as nothing is found
  static constexpr int kFewAttempts = 12;  // and those of which the nearest result is taken

  // Returns the mass-weighted distance of this state from the soft values.
  [[nodiscard]] double distance() const { return distance_; }

  // A Conflict lists what contradicts what at the best state after a failure. The indices ascend within each list.
  struct Conflict {
    std::vector<int> rows;     // rows of the constraints
    std::vector<int> targets;  // hard targets
    std::vector<int> hard;     // hard coordinates or speeds
    std::vector<int> soft;     // soft quantities that the rows contain
  };
  [[nodiscard]] Conflict conflict(const std::vector<double>& y);

 private:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  struct Local {  // the equations at a state, with all n_speeds columns
    Vector e;     // residuals of rows_, then of hard_, then of hard_coordinates_
    Matrix J;     // their derivatives
    Vector s;     // residuals of soft_
    Matrix S;
    bool finite = false;
  };

  void choose_columns();
  void choose_scaling();
  void add_rows_to_mass();
  void weigh_wishes();
  bool evaluate(const Vector& x, Local& out);
  Vector displaced(const Vector& x, const Vector& w);
  ProjectionReport project(Vector& x);
  [[nodiscard]] bool good(const ProjectionReport& report) const;
  Vector row_weights();
  double damped(Vector& x);  // Levenberg-Marquardt; returns the final norm of the scaled residuals
  bool attempt(const Vector& start, Vector& x);
  bool lead(const Vector& start, Vector& x);
  Vector perturbed(int attempt);
  Matrix rate_matrix(const Vector& x);  // W with the columns of the free speeds
  Vector offset(const Vector& x);       // d, the displacement of the free columns from the soft values
  double objective(const Vector& x);    // half of the sum in assembly.h
  bool slope_along(const Vector& x, Vector& gradient, double& whole);
  void descend(Vector& x);
  [[nodiscard]] std::vector<std::pair<int, int>> held_columns() const;
  void add_row(Conflict& conflict, int row) const;
  void add_soft(Conflict& conflict, const std::vector<char>& touched) const;

  Equations& equations_;
  const problem::Problem& info_;
  const AssemblyProblem& problem_;
  ConstraintProjector& projector_;
  const bool position_;
  const double t_;
  const std::uint32_t at_, size_;  // place and size of x in y
  std::vector<double> trial_;
  Vector x0_;
  double extent_ = 1, longest_ = 1;
  std::vector<int> rows_, hard_, soft_;  // rows of the level; indices of targets
  Vector still_off_;                     // required residuals of the hard targets while they are led; empty for zero
  bool rows_alone_ = false;              // evaluates the rows without the hard targets
  std::vector<int> free_;                // columns that may be used
  std::vector<int> hard_coordinates_;    // coordinates that share free columns and are not soft
  bool plain_ = true;                    // Every free column is the rate of one coordinate.
  struct Metric {
    MassScaling scaling = MassScaling::identity(0);
    Matrix mass;          // of the free columns
    Matrix weights;       // the same in the objective; only of wishes if there are any
    Vector soft;          // |g_k|
    PseudoInverse rates;  // W^+ at the soft values
    BodyOffsets bodies;
  } metric_;
  bool mixed_ = false;
  double distance_ = 0, best_ = 0;
};

}  // namespace mbc::runtime
