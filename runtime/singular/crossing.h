// SPDX-License-Identifier: Apache-2.0
// Crosses singular positions of rows of position level: a parallelogram that folds flat, a crank at dead centre. All
// formulations, stabilisations and methods cross in one way:
//
//   - Accelerations and corrections are those of the generic rank (generic_rank.h), on states [q; u; s].
//   - Nothing is evaluated on the position itself: with the least singular value s of the rows, positions are known to
//     eps/s along the direction about to be lost, velocities to eps/s^2, accelerations to eps/s^3. A step with a stage
//     or an end there is divided elsewhere, or lengthened over the position. The state at the time that was asked for
//     is then interpolated, and the motion continues from the later of the two around it.
//   - Where a step carries the rows through a singular value of 0, the rows are evaluated there. If they are met to
//     rounding it is a singular position, and the motion crosses it straight. If not they only come near to one, and
//     the motion turns off sharply beside it, in steps as small as that needs.
//   - Pieces of steps are made by Dormand and Prince's method, whatever the method of the run, and their errors are
//     controlled; the energy has to agree with the work done.
//   - A model at rest on a position stays there, unless a load acts along what the rows leave open.
//
// Times in s; states have n_y entries.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/diagnostics/diagnostic.h"
#include "runtime/constraints/stabilisation.h"
#include "runtime/integrators/dopri5.h"
#include "runtime/integrators/method.h"
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"
#include "runtime/singular/certification.h"
#include "runtime/singular/generic_rank.h"
#include "runtime/singular/sign_changes.h"
#include "runtime/singular/vanishing_rows.h"

namespace mbc::runtime {

// Builds the diagnostic for a run that ends before a position at which that row is lost.
Diagnostic singular_position(const problem::Problem& info, std::size_t row, double t);

class Crossing {
 public:
  // All outlive the object. `of_run` is the method of the run.
  Crossing(const SimulateOptions& options, RunState& state, GenericRank& rank, VanishingRows& vanishing_rows,
           Certification& certification, const Stabiliser& stabiliser, Method& of_run);

  // The rows have just been certified at the state, whose report is in the data of the run. False when the run ends
  // here.
  bool begin(double t);
  // After the rate at the accepted state was evaluated, or could not be: whether step() is to make the next step. The
  // rate is then that of the generic rank. h: the step that comes.
  bool looks_near(double t, double h);
  [[nodiscard]] bool near() const { return near_; }
  // The rows are apart there: what was found out about a position counts no more. Always false.
  bool away();
  // The rows taken for independent are near to each other where all rows together are not.
  [[nodiscard]] bool rows_chosen_poorly() { return std::exchange(chosen_poorly_, false); }
  // Others have been chosen: their sizes are taken at this state.
  void rows_chosen_again(double t);
  // `at_singular = stop`: whether a step that ends at the state y leads across a position, from the state before. If
  // the step is accepted, the next one begins there.
  bool leads_across(double t, const std::vector<double>& y, bool accepted);
  // At the last decomposition: the row that the weakest direction holds most of.
  [[nodiscard]] std::size_t row_about_to_be_lost() const;
  // It has ended the run where it only looked.
  [[nodiscard]] bool failed() const { return failed_; }
  // The rank was decided beside the start, since that is a singular position, and the rows are to be certified here.
  bool left_start() { return !near_ && std::exchange(from_position_, false); }
  // From the accepted state at t to `end`, in as many pieces as are needed, none longer than h. left: the rows have
  // lost directions for good, nothing was done, and the step is one like others.
  enum class Status : std::uint8_t { reached, ended, left };
  Status step(double t, double end, double h);
  // The last step was made in one piece.
  [[nodiscard]] bool in_one_piece() const { return pieces_ <= 1; }
  // The state at t is interpolated: it is not evaluated.
  [[nodiscard]] bool interpolated(double t) const { return ahead_ && t == asked_for_; }

  void transfer(Archive& archive);

 private:
  static constexpr double kWeak = 0.3;  // singular values whose sign is followed
  // A state on the constraints with its rate and multipliers.
  struct Point {
    double t = 0;
    std::vector<double> y, dy;
    Eigen::VectorXd lambda;
    double energy = 0;  // less the work done since the run began
    double kinetic = 0;
    std::vector<RowComponent> parts;  // decomposed there; empty: unknown
    MassScaling scaling;              // not valid: unknown, too
    void transfer(Archive& archive);
  };
  enum class Piece : std::uint8_t { good, too_close, turns, inaccurate, energy, undefined, off, drifts };

  void watch();
  [[nodiscard]] double bound() const;
  Piece attempt(double h, bool measured);
  bool accurate();
  bool keeps_energy();
  [[nodiscard]] double noise_of_work() const;
  void note();
  Piece judge();
  Piece passes(const SignChange& change, std::size_t part);
  [[nodiscard]] double drift(const Eigen::VectorXd& left, std::size_t part, const Point& at);
  std::int32_t evaluate(double t, const double* y, double* dy);
  bool at_point(Point& point);
  Status go_to(double end, double h);
  bool lost_for_good(double h);
  bool avoid(double length, double h, bool nearer);
  void show(double end);
  void interpolate(double t);
  Status fail(Piece why, double h);
  [[nodiscard]] Diagnostic bifurcation(double t, std::string what, const char* help) const;
  bool limit_at(double t);
  [[nodiscard]] bool slow(const std::vector<double>& y, double part_of_natural) const;
  [[nodiscard]] bool loaded() const;
  [[nodiscard]] bool driven(const std::vector<double>& rate) const;
  [[nodiscard]] bool begins_at_rest() const;
  [[nodiscard]] bool comes_to_rest(const std::vector<double>& y, const std::vector<double>& dy) const;
  bool rest(double t);
  bool stop_at(double t);
  Status stop_before(double t);
  bool stays(double t);
  [[nodiscard]] bool moves_fast(double t, double h, double least);

  const SimulateOptions& options_;
  RunState& state_;
  Equations& equations_;
  const problem::Problem& info_;
  const kernel::SystemLayout& layout_;
  GenericRank& rank_;
  VanishingRows& vanishing_rows_;
  Certification& certification_;
  const Stabiliser& stabiliser_;
  std::vector<double>&y_, &dy_;
  Method& of_run_;
  Dopri5 method_;
  int rank_at_start_ = 0;
  bool chosen_poorly_ = false;
  bool failed_ = false;   // the run has ended here
  bool resting_ = false;  // on a singular position, for good
  bool near_ = false, too_close_ = false, from_position_ = false;
  double gap_ = 0;    // by how much the rows miss the singular position they pass; 0: they meet it
  double drift_ = 0;  // by how much rows that nothing corrects are off where that decides; 0: nowhere
  Point now_, next_;
  int pieces_ = 0;       // attempts of the last step
  double livelier_ = 0;  // the largest kinetic energy seen here
  double nearest_ = 0;   // the smallest singular value of a stage of the attempt at hand
  bool ahead_ = false;   // next_ is later than the time that was asked for
  double asked_for_ = 0;
  std::vector<RowComponent> before_;  // at the accepted state before, where that is looked at
  std::vector<double> began_;         // the state that the step at hand began with
  std::optional<double> crossed_;     // in the attempt at hand: when
  std::vector<double> scratch_, between_;
};

}  // namespace mbc::runtime
