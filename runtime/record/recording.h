// SPDX-License-Identifier: Apache-2.0
// Records a state: the columns of a row, the balance of energy and work, the largest residuals.
#pragma once
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/equations/equations.h"
#include "runtime/record/energy_monitor.h"
#include "runtime/record/options.h"
#include "runtime/record/recorded_jumps.h"
#include "runtime/record/run_data.h"
#include "runtime/record/runaway.h"

namespace mbc::runtime {

class Recording {
 public:
  // References must outlive the object; the findings go to `data`.
  Recording(Equations& equations, ConstraintProjector& projector, const problem::Problem& info,
            const SimulateOptions& options, const Recorder& record, RunData& data);

  // Records a row at the state y, where dy and the multipliers are those of the rhs. Returns false if the run ends;
  // data.status, and data.diagnostic if an output is not finite, give the reason. `net` is given if only steps have led
  // from the last row to this state.
  bool row(double t, const std::vector<double>& y, std::vector<double>& dy, bool last, EnergyMonitor* net = nullptr);
  // Records a row at an instant. `event` is the number of its first event, from 1; it is negative for the row before
  // the instant.
  bool row_of_event(double t, const std::vector<double>& y, std::vector<double>& dy, double event);
  // The first function keeps a row before an instant whose events are not known yet; the second one records it.
  bool keep_row(double t, const std::vector<double>& y, std::vector<double>& dy);
  bool kept_row(double event);
  // Sets functions that show and hide additional values for the outputs. Residuals are measured while they are hidden.
  void with(std::function<void()> show, std::function<void()> hide) {
    show_ = std::move(show);
    hide_ = std::move(hide);
  }
  // Notes the energy exchanged until a state between two rows.
  void note_work(const std::vector<double>& y);
  // Returns the time from which on the balance error exceeds what the accuracy explains.
  [[nodiscard]] std::optional<double> unbalanced_since() const { return unbalanced_since_; }

  // A constraint that was off by kDriftedOff of the size of the model, without stabilisation.
  struct DriftedOff {
    std::optional<double> since;
    std::uint32_t row = 0;
    double most = 0;  // largest distance of any constraint, relative to the model
    void transfer(Archive& archive) {
      archive.optional(since);
      archive(row, most);
    }
  };
  [[nodiscard]] const DriftedOff& drifted_off() const { return drifted_off_; }

  // Saves or reads what the next row depends on besides `data`.
  void transfer(Archive& archive) {
    archive.fixed_or_empty(works_begin_, layout_.n_y() - layout_.work_at() - 2);  // those of all loads and rows
    archive.fixed_or_empty(sign_of_, info_.outputs.size());
    archive.fixed_or_empty(last_quaternions_, 4 * info_.quaternion_outputs.size());
    archive(loads_begin_, constraints_begin_, events_begin_, lowest_, highest_);
    archive.optional(unbalanced_since_);
    archive(jumps_, runaway_, drifted_off_);
    archive.expect(runaway_.fits(layout_.n_coordinates));
    archive.expect(drifted_off_.row == 0 || drifted_off_.row < info_.rows.size());
  }

 private:
  bool hand_over(double t, const std::vector<double>& y, const std::vector<double>& values);
  [[nodiscard]] bool equations_are_independent() const;
  bool evaluate(double t, const std::vector<double>& y, std::vector<double>& dy);
  void mark_idle(double t, const std::vector<double>& y, std::vector<double>& dy);
  bool evaluate_again(double t, const std::vector<double>& y, std::vector<double>& dy);
  void balance_energy(double t, const std::vector<double>& y, double energy);
  static bool misses(const EnergyBalance& balance);
  static double rounding(const EnergyBalance& balance);
  void fill_columns(const std::vector<double>& y, const std::vector<double>& dy);
  void keep_signs();
  const std::vector<std::uint32_t>& rows_off();
  [[nodiscard]] double asked_for(std::size_t k) const;
  bool measure(double t, const std::vector<double>& y, const std::vector<double>& dy);
  void look_for_runaway(double t, const std::vector<double>& y);
  [[nodiscard]] double estimated_distance() const;
  void note_distance(double t, const std::vector<double>& y);
  void note_drift(double t, const std::vector<double>& y);

  Equations& equations_;
  ConstraintProjector& projector_;
  const problem::Problem& info_;
  const SimulateOptions& options_;
  const kernel::SystemLayout& layout_;
  const Recorder& record_;
  RunData& data_;
  std::vector<std::uint32_t> off_;
  std::vector<double> works_begin_, values_, defects_, sign_of_, last_quaternions_;
  double loads_begin_ = 0, constraints_begin_ = 0, events_begin_ = 0;
  double lowest_ = 0, highest_ = 0;  // of the potential energy
  std::optional<double> unbalanced_since_;
  DriftedOff drifted_off_;
  double event_ = 0;  // number of the event in the current row
  struct {
    double t = 0;
    std::vector<double> y, values;
  } kept_;
  RecordedJumps jumps_;
  Runaway runaway_;
  std::function<void()> show_, hide_;
};

}  // namespace mbc::runtime
