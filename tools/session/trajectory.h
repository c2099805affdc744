// SPDX-License-Identifier: Apache-2.0
// The motion of the runs of a session: states at their rows, evaluated with the model of the runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::tools {

class Trajectory {
 public:
  static constexpr std::size_t kMostValues = 4'000'000;  // of all states: 32 MB; beyond it every other row is dropped
  static constexpr std::size_t kMostRows = 20'000;
  static constexpr std::size_t kMostEvents = 10'000;

  struct Event {
    double time = 0;
    std::string name;
  };

  [[nodiscard]] bool empty() const { return times_.empty(); }
  [[nodiscard]] double begin() const { return times_.front(); }
  [[nodiscard]] double end() const { return times_.back(); }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] std::uint64_t events_left_out() const { return events_left_out_; }
  void clear();

  // Starts a run of this model; it continues where the last one ended, or the motion so far is dropped. `held` names
  // the discrete state.
  void begin(const Model& model, double time, std::vector<std::string> held);
  void row(double time, std::span<const double> state, const std::vector<double>& held);
  void event(double time, const std::string& name);
  // Uses a model with more values, outputs or functions, which do not change the motion.
  void look_by(const Model& model) { model_ = model, viewer_.reset(); }

  // Returns an expression at a time between begin() and end(); between two rows the state is the cubic through their
  // states and rates.
  [[nodiscard]] Result<Evaluated> value(const std::string& expression, double time);
  // Returns the value at that row.
  [[nodiscard]] Result<Evaluated> value_at_row(const std::string& expression, std::size_t row);
  // Returns a simulation of its model.
  [[nodiscard]] Simulation* viewer();

 private:
  [[nodiscard]] std::vector<double> state(std::size_t row) const;
  void hold(Simulation& viewer, std::size_t row) const;
  void thin_out();

  Model model_;
  std::unique_ptr<Simulation> viewer_;
  std::vector<std::string> held_names_;
  std::size_t width_ = 0;
  std::vector<double> times_, states_, held_;  // one row for each entry of times_
  std::size_t stride_ = 1, seen_ = 0;
  bool last_kept_ = true;
  std::vector<Event> events_;
  std::uint64_t events_left_out_ = 0;
};

}  // namespace mbc::tools
