// SPDX-License-Identifier: Apache-2.0
// What a session knows: the statements accepted so far, the model they make, the state it is in, and the motion that
// was run. No input, no output: texts go in, texts come back.
//
// The statements together are one source, `mbd 1` and then what was typed, compiled anew after each statement; one that
// has errors is dropped. A statement that declares what is there already takes its place. Line numbers of diagnostics
// are translated: the statement at hand is `<input>` with its own lines, earlier ones are `<session>` with the lines
// `:list` shows.
#pragma once
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mbc/mbc.h"
#include "tools/picture/recording.h"
#include "tools/session/session_lines.h"
#include "tools/session/statements.h"
#include "tools/session/trajectory.h"

namespace mbc::tools {

struct Answer {
  bool ok = true;
  std::string out;       // for stdout
  std::string messages;  // for stderr, complete lines
};

struct RunRequest {
  std::string duration;     // an expression; "" = as long as the simulate block
  std::string step;         // an expression; "" = that of the simulate block, or 0.001
  std::uint32_t steps = 0;  // instead of a duration
  bool assemble = false;
  const volatile std::sig_atomic_t* stop = nullptr;
  // Called every step with the time and the ends of the run.
  std::function<void(double t, double begin, double end)> progress;
};

class Session {
 public:
  explicit Session(bool colour);

  // One or more statements or expressions; `line` is the number of the first line of `text` for diagnostics.
  Answer enter(const std::string& text, std::uint32_t line);
  Answer load(const std::string& path);
  Answer reload();
  Answer set(const std::string& assignment);
  Answer undo();
  Answer run(const RunRequest& request);
  // Back to the initial state; forget: also every statement.
  void reset(bool forget);

  [[nodiscard]] std::string text() const;  // as a file
  // As a file that means the same: what `:set` changed stands in it. `left`: what could not be written so and is a
  // comment.
  [[nodiscard]] std::string file_text(std::vector<std::string>& left) const;
  [[nodiscard]] const std::vector<std::string>& set_values() const { return set_; }
  [[nodiscard]] std::string listing() const;  // with line numbers
  // Whether there is something that moves, and so a state, rows and a run.
  [[nodiscard]] bool moves() const { return model_.ok(); }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Simulation* simulation() { return simulation_ ? &*simulation_ : nullptr; }
  // The equations of motion at the state at hand; empty where there are too many rows for matrices.
  [[nodiscard]] RowSet rows() { return simulation_->rows(time_, state_).value_or({}); }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const std::vector<double>& state() const { return state_; }
  [[nodiscard]] CompileOptions compile_options(const std::vector<std::string>& set) const;
  // The names of its statements, and what they are. Kept until something changes.
  [[nodiscard]] const SourceIndex* index() const;
  // The motion of all runs since the coordinates changed, and the last run; a page can be made of the recording.
  [[nodiscard]] Trajectory& trajectory() { return trajectory_; }
  [[nodiscard]] const Recording* recording() const { return recording_ ? &*recording_ : nullptr; }
  [[nodiscard]] const RunResult& last_run() const { return last_run_; }
  // At the state at hand, with `ans` and `val(e, t)`.
  [[nodiscard]] Result<Evaluated> value(const std::string& expression);

 private:
  // What `:undo` goes back to.
  struct Earlier {
    Statements statements;
    std::vector<std::string> set;
    std::string folder, file, what;
  };

  Answer declare(const std::vector<EntryPart>& parts, const std::string& entry, std::uint32_t line);
  Answer evaluate(const std::string& expression, std::uint32_t line);
  [[nodiscard]] Model compile(const std::string& text, const std::vector<std::string>& set) const;
  // Takes the model when it is acceptable; otherwise says what is wrong.
  bool adopt(Model model, const LineMap& map, Answer& answer);
  void remember(std::string what);
  // The statements of a file among these, and the session with them.
  Answer take_file(const std::string& path, Statements others);
  // Name and value of those that have one, a few of them.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> values_of(const std::vector<std::string>& names);
  void take_held(Simulation& simulation) const;
  void keep_or_renew_state(const std::vector<std::string>& before, Answer& answer);
  // `ans` and `val(...)` written out; an error where there is no such value.
  [[nodiscard]] Result<std::string> written_out(const std::string& text);
  [[nodiscard]] Result<std::string> kept_value(const std::string& arguments);
  [[nodiscard]] std::optional<double> number(const std::string& expression, Answer& answer);
  [[nodiscard]] std::optional<TimeSpan> span_of(const RunRequest& request, Answer& answer);
  [[nodiscard]] Model model_for(const TimeSpan& span, std::string& simulation) const;
  void take_result(const RunResult& result, Simulation& simulation);

  Statements statements_;
  std::vector<std::string> set_;
  std::vector<Earlier> earlier_;
  bool colour_;
  std::string folder_ = ".";  // where `use` finds files: that of the model loaded last
  std::string file_;          // loaded last
  Model model_;
  std::optional<Simulation> simulation_;  // where something moves
  mutable std::optional<SourceIndex> index_;
  double time_ = 0;
  std::vector<double> state_;
  std::vector<std::pair<std::string, double>> held_;  // what only events change, by name, after a run
  bool moved_ = false;                                // a run has left the initial state
  Trajectory trajectory_;
  std::optional<Recording> recording_;
  RunResult last_run_;
  std::optional<Evaluated> last_;  // `ans`
};

}  // namespace mbc::tools
