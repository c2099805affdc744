// SPDX-License-Identifier: Apache-2.0
// The data of a session: the accepted statements, their model, the present state, and the motion so far. It has no
// input or output: texts go in, texts come back.
//
// The statements together are one source, `mbd 1` followed by the typed text, which is compiled after each statement; a
// statement with errors is dropped. A statement that declares an existing name replaces its declaration. Line numbers
// of diagnostics are translated: the current statement is `<input>` with its own lines, earlier ones are `<session>`
// with the lines that `:list` shows.
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
[[nodiscard]] inline Answer refuse(const std::string& why) { return {false, "", why + "\n"}; }

struct RunRequest {
  std::string duration;     // an expression; "" = as long as the simulate block
  std::string step;         // an expression; "" = that of the simulate block, or 0.001
  std::uint32_t steps = 0;  // replaces a duration
  bool assemble = false;
  const volatile std::sig_atomic_t* stop = nullptr;
  // Called every step with the time and the ends of the run.
  std::function<void(double t, double begin, double end)> progress;
};

class Session {
 public:
  explicit Session(bool colour);

  // Enters one or more statements or expressions; `line` is the number of the first line of `text` for diagnostics.
  Answer enter(const std::string& text, std::uint32_t line);
  Answer load(const std::string& path);
  Answer reload();
  Answer set(const std::string& assignment);
  Answer undo();
  Answer run(const RunRequest& request);
  // Returns to the initial state; forget: removes every statement as well.
  void reset(bool forget);

  [[nodiscard]] std::string text() const;  // as a file
  // Returns an equivalent file with the changes of `:set`. `left` lists the changes that could not be written; they are
  // comments.
  [[nodiscard]] std::string file_text(std::vector<std::string>& left) const;
  [[nodiscard]] const std::vector<std::string>& set_values() const { return set_; }
  [[nodiscard]] std::string listing() const;  // with line numbers
  // Returns whether there is a motion, and therefore a state, rows and runs.
  [[nodiscard]] bool moves() const { return model_.ok(); }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Simulation* simulation() { return simulation_ ? &*simulation_ : nullptr; }
  // Returns the equations of motion at the present state; empty if there are too many rows for matrices.
  [[nodiscard]] RowSet rows() { return simulation_->rows(time_, state_).value_or({}); }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const std::vector<double>& state() const { return state_; }
  [[nodiscard]] CompileOptions compile_options(const std::vector<std::string>& set) const;
  // Returns the index of its statements, which is kept until something changes.
  [[nodiscard]] const SourceIndex* index() const;
  // The motion of all runs since the coordinates changed, and the last run; its recording can become a page.
  [[nodiscard]] Trajectory& trajectory() { return trajectory_; }
  [[nodiscard]] const Recording* recording() const { return recording_ ? &*recording_ : nullptr; }
  [[nodiscard]] const RunResult& last_run() const { return last_run_; }
  // Returns the value at the present state; `ans` and `val(e, t)` are allowed.
  [[nodiscard]] Result<Evaluated> value(const std::string& expression);

 private:
  // A state for `:undo`.
  struct Earlier {
    Statements statements;
    std::vector<std::string> set;
    std::string folder, file, what;
  };

  Answer declare(const std::vector<EntryPart>& parts, const std::string& entry, std::uint32_t line);
  Answer evaluate(const std::string& expression, std::uint32_t line);
  [[nodiscard]] Model compile(const std::string& text, const std::vector<std::string>& set) const;
  // Takes the model if it is acceptable; otherwise reports its errors.
  bool adopt(Model model, const LineMap& map, Answer& answer);
  void remember(std::string what);
  // Adds the statements of a file to these and renews the session.
  Answer take_file(const std::string& path, Statements others);
  // Returns name and value of a few of these names that have one.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> values_of(const std::vector<std::string>& names);
  void take_held(Simulation& simulation) const;
  void keep_or_renew_state(const std::vector<std::string>& before, Answer& answer);
  // Replaces `ans` and `val(...)` by values; an error if there is no such value.
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
  std::string folder_ = ".";  // `use` finds files there: the folder of the last loaded model
  std::string file_;          // the last loaded file
  Model model_;
  std::optional<Simulation> simulation_;  // set if there is a motion
  mutable std::optional<SourceIndex> index_;
  double time_ = 0;
  std::vector<double> state_;
  std::vector<std::pair<std::string, double>> held_;  // discrete state by name, after a run
  bool moved_ = false;                                // a run has left the initial state
  Trajectory trajectory_;
  std::optional<Recording> recording_;
  RunResult last_run_;
  std::optional<Evaluated> last_;  // `ans`
};

}  // namespace mbc::tools
