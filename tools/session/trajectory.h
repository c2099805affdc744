// SPDX-License-Identifier: Apache-2.0
// The motion of the runs of a session: states at their rows. Each piece of it is evaluated with the model that it was
// run with, since parameters, inputs and forces may have changed afterwards.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/session/statements.h"

namespace mbc::tools {

// A model of a session and what it is compiled from.
struct MovedModel {
  Model model;
  Statements statements;
  CompileOptions options;
};

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

  // Starts a run of this model; it continues where the last one ended, or the motion so far is dropped. `discrete`
  // names the complete discrete state.
  void begin(const MovedModel& by, double time, std::vector<std::string> discrete);
  void row(double time, std::span<const double> state, std::span<const double> discrete);
  void event(double time, const std::string& name);
  // Adds values, outputs or functions, which do not change the motion, to the models of all pieces.
  void look_by(const std::vector<Statement>& added);

  // Returns an expression at a time between begin() and end(); between two rows the state is the cubic through their
  // states and rates.
  [[nodiscard]] Result<Evaluated> value(const std::string& expression, double time);
  // Returns the value at that row.
  [[nodiscard]] Result<Evaluated> value_at_row(const std::string& expression, std::size_t row);

 private:
  // The motion from `begin` to the next piece.
  struct Piece {
    double begin = 0;
    MovedModel by;
    std::vector<std::string> discrete;  // names
    std::vector<Statement> added;       // not yet in the model
    std::shared_ptr<Simulation> viewer;
  };

  [[nodiscard]] Piece& piece_at(double time);
  // Returns a simulation of the model of the piece; null if there is none.
  [[nodiscard]] static Simulation* viewer(Piece& piece);
  // Returns it at this time and state, with the discrete state of that row; null if it cannot be there.
  [[nodiscard]] static Result<Simulation*> placed(Piece& piece, double time, std::span<const double> state,
                                                  const std::vector<double>& discrete);
  [[nodiscard]] Result<std::vector<double>> rates(Piece& piece, std::size_t row, std::size_t discrete_of) const;
  [[nodiscard]] bool begins_piece(double time) const;
  [[nodiscard]] std::span<const double> state(std::size_t row) const;
  void thin_out();

  std::vector<Piece> pieces_;
  std::size_t width_ = 0;
  std::vector<double> times_, states_;         // one row for each entry of times_
  std::vector<std::vector<double>> discrete_;  // also
  std::size_t stride_ = 1, seen_ = 0;
  bool last_kept_ = true;
  std::vector<Event> events_;
  std::uint64_t events_left_out_ = 0;
};

}  // namespace mbc::tools
