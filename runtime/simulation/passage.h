// SPDX-License-Identifier: Apache-2.0
// Steps beside a singular position: a parallelogram that folds flat, a crank at dead centre. One way for all
// formulations, stabilisations and methods:
//
//   - Accelerations and corrections are those of the usual rank (usual_rank.h), on states [q; u; s].
//   - Nothing is evaluated on the position itself, where errors grow as eps/s^3 with the distance s. A step with a
//     stage or an end there is divided elsewhere, or made longer, over the position. The state at the time that was
//     asked for is then interpolated, and the motion goes on from the later of the two around it.
//   - Where a step carries the rows through a singular value of 0, they are looked at there. If they are met to
//     rounding it is a singular position, and the motion goes straight through it. If not they only come near to one,
//     and the motion turns off sharply beside it, in steps as small as that needs.
//   - Pieces are made by Dormand and Prince's method, whatever the method of the run, and their errors are controlled;
//     the energy has to agree with the work done.
//
// Times in s; states have n_y entries.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/crossing.h"
#include "runtime/constraints/singular/branch_drift.h"
#include "runtime/constraints/singular/usual_rank.h"
#include "runtime/simulation/run_parts.h"

namespace mbc::runtime {

class Passage {
 public:
  explicit Passage(RunParts& run);

  // At a certified state; false when the run ends here.
  bool begin(double t);
  // After the rate at the accepted state (run.integrated) was evaluated, or could not be: whether the next step is to
  // be made by step(). The rate is then that of the usual rank. h: the step that comes.
  bool looks_near(double t, double h);
  [[nodiscard]] bool near() const { return near_; }
  // The rows are apart there: what was found out about a position counts no more. Always false.
  bool away();
  // The rows taken for independent are near to each other where all rows together are not.
  [[nodiscard]] bool rows_chosen_poorly() { return std::exchange(chosen_poorly_, false); }
  // Other rows are: what is usual of them is counted at this state.
  void rows_chosen_again(double t);
  // `at_singular = stop`: whether a step that ends at the state y leads across a position, from the state before. Is it
  // accepted, the next one begins there.
  bool leads_across(double t, const std::vector<double>& y, bool accepted);
  [[nodiscard]] std::size_t row_about_to_be_lost() const;
  // It has ended the run where it only looked.
  [[nodiscard]] bool failed() const { return failed_; }
  // The rows were counted beside the start, since that is a singular position, and are to be certified again here.
  bool left_start() { return !near_ && std::exchange(from_position_, false); }
  // From the accepted state at t to `end`, in as many pieces as are needed, none longer than h. left: the rows have
  // lost directions for good, nothing was done, and the step is one like others.
  enum class Went : std::uint8_t { there, ended, left };
  Went step(double t, double end, double h);
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
    std::vector<CountedPart> parts;  // decomposed there; empty: unknown
    MassScaling scaling;             // not valid: unknown, too
    void transfer(Archive& archive);
  };
  enum class Outcome : std::uint8_t {
    good,
    end_too_close,
    stage_too_close,
    turns,
    inaccurate,
    energy,
    undefined,
    off,
    drifts
  };

  void watch();
  Outcome attempt(double h);
  bool accurate();
  bool keeps_energy();
  [[nodiscard]] double noise_of_work() const;
  void note();
  Outcome judge();
  Outcome passes(const SignChange& change, std::size_t part);
  std::int32_t evaluate(double t, const double* y, double* dy);
  bool at_point(Point& point);
  Went go_to(double end, double h);
  bool lost_for_good(double h);
  bool avoid(double length, double h, bool nearer);
  void show(double end);
  void interpolate(double t);
  Went fail(Outcome why, double h);
  bool limit_at(double t);
  [[nodiscard]] bool slow(const std::vector<double>& y, double part_of_natural) const;
  bool rest(double t);
  bool rests_at_start(double t);
  bool comes_to_rest();
  bool stop_at(double t);
  Went stop_before(double t);
  bool stays(double t);
  [[nodiscard]] bool moves_fast(double t, double h, double least);

  RunParts& run_;
  UsualRank& rank_;
  BranchDrift drift_;
  Dopri5 method_;
  bool chosen_poorly_ = false;
  bool failed_ = false;   // the run has ended here
  bool resting_ = false;  // on a singular position, for good
  bool near_ = false, too_close_ = false, from_position_ = false;
  double bound_;
  double gap_ = 0;  // by how much the rows miss the singular position they pass; 0: they meet it
  Point now_, next_;
  bool measures_ = true;  // the error of a piece counts
  struct {
    bool keeps = true, refused = false;  // an attempt has been, for that
  } farther_;                            // ends of pieces, where rows that move do work
  int pieces_ = 0;                       // attempts of the last step
  double livelier_ = 0;                  // the largest kinetic energy seen here
  double nearest_ = 0;                   // the smallest singular value of a stage of the attempt at hand
  bool ahead_ = false;                   // next_ is later than the time that was asked for
  double asked_for_ = 0;
  std::vector<CountedPart> before_;  // at the accepted state before, where that is looked at
  std::vector<double> began_;        // the state that the step at hand began with
  std::optional<double> crossed_;    // in the attempt at hand: when
  std::vector<double> scratch_, between_;
};

}  // namespace mbc::runtime
