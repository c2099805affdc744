// SPDX-License-Identifier: Apache-2.0
// Rows of velocity level whose gradient goes to zero (p.vx^2 + p.vy^2 == p.vz^2 at rest).
//
// Scaled to norm 1, as the certification has them, such rows never lose their rank; they are compared with their usual
// size instead. Speeds and coordinates are continuous where the gradient is zero, accelerations need not be. So the
// direction in which the row goes on is known there if the gradient depends on coordinates and time alone
// (f(t) p.vx == 0), and is not if it depends on the speeds: then the run ends.
//
// Rows of acceleration level hold no speed: J v' = b(v), v the speed along the gradient J n, which goes through zero at
// the rate J'. Where b there depends on v, with the slope beta, deviations go as |t|^(-beta/J'): either all motions
// arrive with one speed, and what each goes on with is not determined, or none arrives. So such a run ends as well;
// (t - 1) p.ax == (t - 1) (2 - p.vx), of which beta is zero there, goes on.
//
// In a row of velocity level, J v = c, whose gradient depends on coordinates and time, b is -J' v plus other terms that
// change with the speed. The speed is c on both sides. If beta/J' > 0, however, deviations grow as t^(beta/J') after
// the zero, and each is a motion of the model (a pursuer that has reached its target; f(t) p.vx == 0 has -1).
//
// A gradient may also turn round where speeds are zero and be zero nowhere (p.vz == k norm((p.vx, p.vy))). A motion
// that cannot leave such a point hangs there in steps that get nowhere, held by the projection; such a run ends.
//
// A gradient that is zero where the motion begins, and not after (t p.vx == 0 at t = 0), belongs to a row that the
// start leaves out. Where the motion without it breaks it at once the run ends.
//
// Rows of position level are the generic rank's (generic_rank.h), but for those that are zero at rest and hold nothing
// beside it either, on the constraints (p.x^2 == 0): where the motion without them breaks them the run ends.
//
// States are y = [q; u; s], n_y entries; t in s.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"
#include "runtime/rows/rank.h"

namespace mbc::runtime {

constexpr double kMomentLater = 1e-3;  // of a step: a time that is short for the motion

class VanishingRows {
 public:
  // Both outlive the object.
  VanishingRows(Equations& equations, const problem::Problem& info);

  // At a certified start: why the motion cannot begin. beside: a time that is short for the motion, s.
  std::optional<Diagnostic> at_start(double t, const double* y, const RankReport& start, double beside);
  // The same of rows of position level at a state at rest, which is no singular position.
  std::optional<Diagnostic> at_rest(double t, const double* y, const RankReport& start, double beside);
  // After an rhs at the accepted state y: whether a row is so small, or has turned so far since the state before, that
  // passed() has to look.
  bool asks(double t, const double* y);
  // The next state does not follow from the last one.
  void forget() { speeds_.clear(); }
  // Why the motion cannot go on, where the gradient of a row went through zero since the state before. The work arrays
  // are those of this state afterwards.
  std::optional<Diagnostic> passed(double t, const double* y);
  // The same where no step leads on from the state: the gradient is about to.
  std::optional<Diagnostic> stuck(double t, const double* y);

  // Pivots from which on, downwards, asks() has to be: the larger of these and what is there already.
  void raise(std::vector<double>& limits) const;

  void transfer(Archive& archive);

 private:
  static constexpr double kSmall = 0.1;  // S_kk, relative to what is usual: from here on the row is followed
  struct Watched {
    std::uint32_t row = 0;
    bool accelerations = false;  // its level
    double usual = 0;            // the largest S_kk so far
    double pivot = 0;            // at the start
    bool seen = false;           // at the state before it was small
    std::vector<double> before;  // its entries there
    double fastest = 0;          // of the speeds that it holds
    std::uint32_t slow = 0;      // states in a row at which these were as good as none
    double slow_since = 0;       // the time of the first
  };

  bool assemble_beside(double t, const double* y, std::uint32_t j, double speed);
  [[nodiscard]] double slope(double t, const double* y, std::uint32_t row, const Eigen::VectorXd& along);
  [[nodiscard]] bool leaves_open(double t, const double* y, const Watched& w, const Eigen::VectorXd& before,
                                 const Eigen::VectorXd& here);
  [[nodiscard]] std::optional<std::uint32_t> first_that_speeds_change(double t, const double* y,
                                                                      const std::vector<std::uint32_t>& zero);
  [[nodiscard]] std::optional<std::uint32_t> first_broken(double t, const double* y, const std::vector<double>& rate,
                                                          const std::vector<std::uint32_t>& zero, double beside);
  [[nodiscard]] bool turns_with_speeds(double t, const double* y, const Watched& w, const Eigen::VectorXd& here,
                                       double speed);
  [[nodiscard]] bool turned(const Watched& w) const;
  [[nodiscard]] bool hangs(Watched& w, double t, const double* y) const;
  void remember(double t, const double* y);
  [[nodiscard]] Diagnostic failure(
      double t, std::uint32_t row, const char* why,
      const char* help = "write it so that its gradient does not vanish on the way, or end the run before") const;

  Equations& equations_;
  const problem::Problem& info_;
  std::vector<Watched> watched_;
  double begin_ = 0;            // the time of the start
  double time_ = 0;             // of the state before
  std::vector<double> speeds_;  // there; empty where none is known
  std::vector<double> state_;   // there
  Assembled here_, there_;
  std::vector<double> aside_;
};

}  // namespace mbc::runtime
