// SPDX-License-Identifier: Apache-2.0
#include "tools/session/trajectory.h"

#include <algorithm>

#include "base/numbers.h"
#include "tools/session/session_lines.h"

namespace mbc::tools {
namespace {

constexpr double kSameTime = 1e-9;  // of the time between two rows: 0.7 names the row at 0.7000000000000001

bool same_model(const MovedModel& a, const MovedModel& b) {
  return a.options.set == b.options.set && a.options.folder == b.options.folder &&
         a.statements.text() == b.statements.text();
}

// Adds a statement to a model, unless the model has one of that name or cannot be compiled with it.
void add(MovedModel& to, const Statement& added) {
  const auto declared = [&](const EntryItem& item) { return to.statements.find(item.key) < to.statements.size(); };
  if (std::any_of(added.items.begin(), added.items.end(), declared)) return;
  Statements all = to.statements;
  all.put({added});
  Model model = Model::from_string(kModelHeader + all.text(), kSessionFile, to.options);
  if (!model.ok()) return;
  to.model = std::move(model);
  to.statements = std::move(all);
}

}  // namespace

void Trajectory::clear() {
  pieces_.clear();
  times_.clear();
  states_.clear();
  discrete_.clear();
  events_.clear();
  events_left_out_ = 0;
  stride_ = 1;
  seen_ = 0;
  last_kept_ = true;
}

void Trajectory::begin(const MovedModel& by, double time, std::vector<std::string> discrete) {
  const bool goes_on = !empty() && times_.back() == time && width_ == by.model.state_size();
  if (!goes_on) clear();
  width_ = by.model.state_size();
  const bool same = !pieces_.empty() && pieces_.back().added.empty() && pieces_.back().discrete == discrete &&
                    same_model(pieces_.back().by, by);
  if (same) return;
  if (!pieces_.empty() && pieces_.back().begin == time) pieces_.pop_back();  // a run that did not leave its beginning
  pieces_.push_back({time, by, std::move(discrete), {}, nullptr});
}

void Trajectory::row(double time, std::span<const double> state, std::span<const double> discrete) {
  const bool again = !times_.empty() && times_.back() == time;  // the last row is there in any case, once
  if (again || (!last_kept_ && !begins_piece(times_.back()))) {
    times_.pop_back();
    states_.resize(states_.size() - width_);
    discrete_.pop_back();
  }
  last_kept_ = seen_++ % stride_ == 0;
  times_.push_back(time);
  states_.insert(states_.end(), state.begin(), state.end());
  discrete_.emplace_back(discrete.begin(), discrete.end());
  if (times_.size() > kMostRows || states_.size() > kMostValues) thin_out();
}

void Trajectory::event(double time, const std::string& name) {
  if (events_.size() < kMostEvents)
    events_.push_back({time, name});
  else
    ++events_left_out_;
}

void Trajectory::look_by(const std::vector<Statement>& added) {
  for (Piece& piece : pieces_) piece.added.insert(piece.added.end(), added.begin(), added.end());
}

bool Trajectory::begins_piece(double time) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.begin == time; });
}

// Drops every other row; the last one stays, and those at which a piece begins, since rates may jump there.
void Trajectory::thin_out() {
  std::vector<double> times, states;
  std::vector<std::vector<double>> discrete;
  const std::size_t last = times_.size() - 1;
  for (std::size_t k = 0; k <= last; ++k) {
    if (k % 2 != 0 && k != last && !begins_piece(times_[k])) continue;
    times.push_back(times_[k]);
    states.insert(states.end(), state(k).begin(), state(k).end());
    discrete.push_back(std::move(discrete_[k]));
  }
  last_kept_ = last % 2 == 0;
  times_ = std::move(times);
  states_ = std::move(states);
  discrete_ = std::move(discrete);
  stride_ *= 2;
}

std::span<const double> Trajectory::state(std::size_t row) const {
  return std::span<const double>(states_).subspan(row * width_, width_);
}

Trajectory::Piece& Trajectory::piece_at(double time) {
  const auto after =
      std::find_if(pieces_.begin() + 1, pieces_.end(), [&](const Piece& piece) { return piece.begin > time; });
  return *(after - 1);
}

Simulation* Trajectory::viewer(Piece& piece) {
  if (!piece.added.empty()) piece.viewer.reset();
  for (const Statement& added : piece.added) add(piece.by, added);
  piece.added.clear();
  if (!piece.viewer)
    if (Result<Simulation> made = Simulation::create(piece.by.model))
      piece.viewer = std::make_shared<Simulation>(*std::move(made));
  return piece.viewer.get();
}

// Entries that the models of the run and of the viewer share are set: a value that was added later may need a number of
// firings that the run did not count.
Result<Simulation*> Trajectory::placed(Piece& piece, double time, std::span<const double> state,
                                       const std::vector<double>& discrete) {
  Simulation* looks = viewer(piece);
  if (!looks) return Error{ErrorCode::model_error, "the model of the last run cannot be looked at"};
  if (const Result<void> set = looks->set_state(time, state); !set) return set.error();
  const std::vector<std::string> names = looks->discrete_names();
  if (names == piece.discrete) {
    if (const Result<void> set = looks->set_discrete_state(discrete); !set) return set.error();
    return looks;
  }
  for (std::size_t k = 0; k < piece.discrete.size(); ++k)
    static_cast<void>(looks->set_held(piece.discrete[k], discrete[k]));
  return looks;
}

Result<Evaluated> Trajectory::value_at_row(const std::string& expression, std::size_t row) {
  const Result<Simulation*> looks = placed(piece_at(times_[row]), times_[row], state(row), discrete_[row]);
  if (!looks) return looks.error();
  return (*looks)->evaluate(expression, times_[row], state(row));
}

Result<std::vector<double>> Trajectory::rates(Piece& piece, std::size_t row, std::size_t discrete_of) const {
  const Result<Simulation*> looks = placed(piece, times_[row], state(row), discrete_[discrete_of]);
  if (!looks) return looks.error();
  std::vector<double> out(width_);
  if (const Result<void> known = (*looks)->rhs(times_[row], state(row), out); !known) return known.error();
  return out;
}

Result<Evaluated> Trajectory::value(const std::string& expression, double time) {
  if (empty()) return Error{ErrorCode::invalid_argument, "there is no motion yet: `run 5` makes one"};
  if (!(time >= begin() && time <= end()))
    return Error{ErrorCode::out_of_range, "the motion that is kept goes from t = " + text::short_number(begin()) +
                                              " to " + text::short_number(end()) + ", and " + text::short_number(time) +
                                              " is outside"};
  const auto next = std::lower_bound(times_.begin(), times_.end(), time);
  const auto k = static_cast<std::size_t>(next - times_.begin());
  if (*next == time || k == 0) return value_at_row(expression, k);
  const double rounding = kSameTime * (times_[k] - times_[k - 1]);
  if (times_[k] - time < rounding) return value_at_row(expression, k);
  if (time - times_[k - 1] < rounding) return value_at_row(expression, k - 1);
  // An event between the rows may have changed the state; then the state of the row before counts.
  const auto between = [&](const Event& e) { return e.time > times_[k - 1] && e.time <= times_[k]; };
  if (std::any_of(events_.begin(), events_.end(), between)) return value_at_row(expression, k - 1);
  // Both rates are those of the piece between the rows: the next one may have other parameters.
  Piece& piece = piece_at(times_[k - 1]);
  const Result<std::vector<double>> da = rates(piece, k - 1, k - 1), db = rates(piece, k, k - 1);
  if (!da) return da.error();
  if (!db) return db.error();
  // Hermite: y = h00 y0 + h10 h y0' + h01 y1 + h11 h y1'
  const double h = times_[k] - times_[k - 1], s = (time - times_[k - 1]) / h;
  std::vector<double> y(width_);
  for (std::size_t i = 0; i < width_; ++i)
    y[i] = (1 + 2 * s) * (1 - s) * (1 - s) * state(k - 1)[i] + s * (1 - s) * (1 - s) * h * (*da)[i] +
           s * s * (3 - 2 * s) * state(k)[i] + s * s * (s - 1) * h * (*db)[i];
  const Result<Simulation*> looks = placed(piece, time, y, discrete_[k - 1]);
  if (!looks) return looks.error();
  return (*looks)->evaluate(expression, time, y);
}

}  // namespace mbc::tools
