// SPDX-License-Identifier: Apache-2.0
// The rule by which a time step of size h takes loads that change much within it. In the metric of the masses, along
// the equations of the model, the slopes K and C of the loads (load_slopes.h) give each direction a stiffness
//
//   S = h^2 K + (h C)^T (h C),   s of a direction: (h omega)^2 of a spring, (h c/m)^2 of a damper
//
// and a share of the backward rule, sigma = s^2/(s^2 + kHalfBackward^2). With T = (1 + sigma)/2 by direction, du the
// change of the speeds in the step, loads are those of q + T h v and v, v = u + T du, and positions move by h v: the
// midpoint rule where loads are soft, the backward rule where they are stiff. The speeds are found by Newton's method
// with M + h C T + h^2 K T^2.
//
// Contacts that press or stick are no direction of a share: sides that stay together move together.
//
// Loads that differ within a step, as of a spring that begins to be pressed, are looked at in several states.
// Directions that are stiff in one of them keep their share of the backward rule.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/contact/timestep/load_slopes.h"
#include "runtime/contact/timestep/mass_blocks.h"
#include "runtime/equations/dense_rows.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

class BackwardRule {
 public:
  // Everything outlives the object. `rows` are those of the equations of the model.
  BackwardRule(const PartialsCode& code, Equations& equations, const std::vector<std::uint32_t>& rows);

  // Returns whether any load depends on positions or speeds. Without such loads nothing else is called.
  [[nodiscard]] bool any() const { return slopes_.any(); }

  // The entries of a row of a contact.
  struct Row {
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
  };
  // Begins a step of size h with the masses and rows of this state. Returns false if M has no inertia of its own.
  bool begin(double t, double h, const double* y);
  // Sets the rows of the contacts that are taken to stay together in this step.
  void hold(std::vector<Row> rows);
  // Looks at the loads of a state. Returns whether loads are stiff there or were where it looked before in this step.
  bool look(double t, const double* y);

  // Takes all stiff loads by the backward rule in the rest of this step.
  void take_whole();

  // ---- after look() has returned true
  [[nodiscard]] Eigen::VectorXd weighed(const Eigen::VectorXd& change) const;     // T times a change of the speeds
  [[nodiscard]] Eigen::VectorXd stiff_part(const Eigen::VectorXd& change) const;  // sigma times it
  // Returns the correction of the speeds that Newton's method asks for.
  [[nodiscard]] Eigen::VectorXd correction(const Eigen::VectorXd& residual) const;
  // The metric in which impulses of contacts are answered: the symmetric part of the matrix of Newton's method. The
  // impulse P of a jump in it, as M^-1 P, and the jump of such an impulse.
  [[nodiscard]] MassBlocks& metric() { return *metric_; }
  [[nodiscard]] Eigen::VectorXd impulse_of(const Eigen::VectorXd& jump) const;
  [[nodiscard]] Eigen::VectorXd jump_of(const Eigen::VectorXd& impulse) const;
  // In the metric of M.
  [[nodiscard]] double norm(const Eigen::VectorXd& change) const { return masses_.to_scaled(change.data()).norm(); }
  [[nodiscard]] double product(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
    return masses_.to_scaled(a.data()).dot(masses_.to_scaled(b.data()));
  }
  // Returns the energy that the rule takes in a step with this change of the speeds and this displacement over h.
  [[nodiscard]] double loss(const Eigen::VectorXd& change, const Eigen::VectorXd& speeds) const;
  [[nodiscard]] double stiffest() const { return stiffest_; }  // the largest entry of h^2 K/m or h C/m
  template <class Found>
  void name_loads(Found&& found) const {
    slopes_.name_loads(marked_, found);
  }

 private:
  // Speeds that stiff loads, masses and equations join. Reduced coordinates x of a change of these speeds that keeps
  // the equations are change = L^-T N x.
  struct Part {
    std::vector<std::uint32_t> speeds;
    Eigen::MatrixXd root;                // L, M = L L^T
    Eigen::MatrixXd free;                // N: orthonormal, of what the equations leave free
    Eigen::MatrixXd loose;               // of N: orthonormal, of what contacts leave free as well
    Eigen::MatrixXd stiffness, damping;  // h^2 K, h C, reduced
    Eigen::MatrixXd seen;                // S of all states that were looked at, reduced
    Eigen::MatrixXd share;               // sigma
    Eigen::MatrixXd symmetric, answer;   // part of Newton's matrix less 1; (1 + symmetric)^-1
    LuFactors factors;                   // of Newton's matrix
  };
  struct Seen {
    std::vector<LoadSlopes::Entry> entries;
  };

  bool mark();
  void choose();
  void gather_parts();
  void add_mass(Part& part) const;
  void leave_free(Part& part) const;
  [[nodiscard]] static Eigen::MatrixXd beside(const std::vector<Eigen::VectorXd>& rows, Eigen::Index size);
  void reduce(Part& part, const std::vector<LoadSlopes::Entry>& entries, Eigen::MatrixXd& stiffness,
              Eigen::MatrixXd& damping) const;
  void choose_shares(Part& part) const;
  void take_metric();
  [[nodiscard]] static Eigen::VectorXd to_reduced(const Part& part, const Eigen::VectorXd& change);
  static void add(const Part& part, const Eigen::VectorXd& reduced, Eigen::VectorXd& change);

  Equations& equations_;
  const kernel::SystemLayout& layout_;
  const std::vector<std::uint32_t>& rows_;
  LoadSlopes slopes_;
  MassBlocks masses_;
  std::vector<double> mass_values_, row_values_;
  Assembled full_;                 // where rows are added to M
  std::vector<double> lightness_;  // by speed: the root of the diagonal of M^-1
  double h_ = 0, stiffest_ = 0;
  double half_ = 0;  // s of a direction that is half backward
  std::vector<Row> held_;
  std::vector<Seen> seen_;
  std::vector<char> marked_;  // by entry of the slopes: it is stiff, in one of the states
  std::vector<Part> parts_;
  std::vector<std::vector<std::uint32_t>> joined_;  // speeds of the parts that metric_ was made for
  std::unique_ptr<MassBlocks> metric_;
};

}  // namespace mbc::runtime
