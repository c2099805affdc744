// SPDX-License-Identifier: Apache-2.0
// The forces of one state of contact and friction at an instant, which presses, sticks and slides being given: the
// multipliers of what is held, the sizes of the frictions that slide and of the loads that hold multipliers, found
// together; and whether they are the only ones (friction_uniqueness.cpp). All is affine in the sizes but what they
// should be.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "kernel/problem/events.h"
#include "runtime/equations/dense_rows.h"
#include "runtime/equations/equations.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

class FrictionForces {
 public:
  // One that is not disabled.
  struct Acting {
    std::uint32_t which = 0;
    Eigen::VectorXd slip, direction;  // direction: of the force's opposite where it slides
    double speed_size = 0, limit_size = 0, limit_rounding = 0;
    double limit_at_none = 0, still_at_none = 0;  // of an impact: the limits without impulses, which are forces
    bool rests = false, sticks = false;
    int changes = 0;  // between sticking and sliding, at this instant
  };
  // What touches and does not part, by number of the inequality.
  struct Resting {
    std::uint32_t which = 0;
    bool held = false, leaves = false;  // leaves: its multiplier has just become zero
    bool stays = false;                 // held whatever it takes: its speed is as good as none
    bool left = false;                  // it was held in a state that did not hold
    bool idle = false;                  // not held, since others hold it and its share of the smallest pushes is none
  };

 protected:
  static constexpr double kRest = 1e-10;     // of the speeds of the model, or of accelerations: one that is none
  static constexpr double kReached = 1e-8;   // of a limit: it has been reached where that was located
  static constexpr double kSpanned = 1e-10;  // of the largest singular value of the equations: one that is zero

  // Both outlive the object.
  FrictionForces(Equations& equations, const problem::Events& events);

  // ---- of the state in acting_ and resting
  void take_rows(const std::vector<Resting>& resting);
  void respond();
  bool find_sizes(double t, const std::vector<double>& y);
  void values_at(double t, const std::vector<double>& y, const Eigen::VectorXd& sizes);
  [[nodiscard]] bool is_unique(double t, const std::vector<double>& y, const std::vector<Resting>& resting);
  [[nodiscard]] bool all_stays() const;
  [[nodiscard]] double share(std::uint32_t row) const;
  [[nodiscard]] double wanted_share(const Resting& r) const;
  void note_idle(std::vector<Resting>& resting) const;
  [[nodiscard]] bool is_determined(double t, const std::vector<double>& y, const std::vector<Resting>& resting);

  void constrain(const Eigen::VectorXd& applied, const Eigen::VectorXd& wanted, Eigen::VectorXd& acceleration,
                 Eigen::VectorXd& lambda) const;
  void find_load_forces(double t, const std::vector<double>& y);
  [[nodiscard]] Eigen::Index n_loads() const { return load_forces_.cols(); }
  [[nodiscard]] double limit(const Acting& a) const;
  [[nodiscard]] Eigen::VectorXd along(const Acting& a, const Eigen::VectorXd& acceleration) const;
  [[nodiscard]] double row_tolerance(std::uint32_t row) const;
  void set_lambda(const Eigen::VectorXd& lambda);
  [[nodiscard]] problem::DiscreteState discrete() const { return equations_.discrete_state(events_); }

  Equations& equations_;
  const problem::Events& events_;
  std::vector<char> of_contact_;  // by row of the model: an inequality's, or a friction's
  std::vector<Acting> acting_;
  Assembled assembled_;
  Eigen::MatrixXd scaled_;           // A L^-T
  Eigen::VectorXd wanted_, free_;    // accelerations by row, and without rows; of an impact changes of speeds
  std::vector<std::uint32_t> rows_;  // those that are equations in the state that is tried
  Eigen::MatrixXd normal_;           // of them, each of norm 1
  Eigen::VectorXd norms_;
  SingularDecomposition spanned_;  // of normal_
  Eigen::Index rank_ = 0;
  // Accelerations and multipliers: with no force of what slides and no load that holds multipliers, and for one unit of
  // each, in this order.
  struct Response {
    Eigen::VectorXd acceleration_0, lambda_0;
    Eigen::MatrixXd acceleration_per_size, lambda_per_size;
  };
  Response response_;
  Eigen::VectorXd sizes_, acceleration_, lambda_, taken_;
  std::vector<std::uint32_t> sliding_;  // of acting_
  Eigen::MatrixXd load_forces_;         // of one unit of each load that holds multipliers; none in an impact
  std::vector<double> dy_;
  double size_ = 0;  // of accelerations; of speeds, in an impact
  struct Impact {
    bool meets = false, driven = false, rebounds = false, stays = false;
    double speed = 0;
    std::vector<Eigen::VectorXd> before;  // slips, by number
  };
  Impact impact_;

 private:
  [[nodiscard]] double wanted_size(Eigen::Index k) const;
  [[nodiscard]] Eigen::MatrixXd slopes() const;
  [[nodiscard]] Eigen::MatrixXd growth(double t, const std::vector<double>& y);
  [[nodiscard]] Eigen::VectorXd force_of(Eigen::Index k) const;
  [[nodiscard]] bool stays(Eigen::Index k) const;
  [[nodiscard]] bool can_press_instead(double t, const std::vector<double>& y, const std::vector<Resting>& resting);
  [[nodiscard]] Eigen::MatrixXd idle_pushes(const std::vector<Resting>& resting, Eigen::MatrixXd& free) const;
  [[nodiscard]] bool can_move(const Eigen::MatrixXd& moved, const Eigen::MatrixXd& pushes,
                              const std::vector<Resting>& resting) const;
};

}  // namespace mbc::runtime
