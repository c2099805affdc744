// SPDX-License-Identifier: Apache-2.0
// What a REPL session knows: the statements accepted so far, the model they make, and the state it is in. No input,
// no output: texts go in, texts come back.
//
// The statements together are one source, `mbd 1` and then what was typed, compiled anew after each statement; one that
// has errors is dropped. Line numbers of diagnostics are translated: the statement at hand is `<input>` with its own
// lines, earlier ones are `<session>` with the lines `:list` shows.
#pragma once
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mbc/mbc.h"
#include "tools/session_lines.h"

namespace mbc::tools {

struct Answer {
  bool ok = true;
  std::string out;       // for stdout
  std::string messages;  // for stderr, complete lines
};

struct RunRequest {
  std::string duration;  // an expression; "" = as long as the simulate block
  std::string step;      // an expression; "" = that of the simulate block, or 0.001
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
  Answer set(const std::string& assignment);
  Answer undo();
  Answer run(const RunRequest& request);
  // Back to the initial state; forget: also every statement.
  void reset(bool forget);

  [[nodiscard]] std::string text() const;  // as a file
  // As a file: with what `:set` changed as comments, since a model has no statement for it.
  [[nodiscard]] std::string file_text() const;
  [[nodiscard]] const std::vector<std::string>& set_values() const { return set_; }
  [[nodiscard]] std::string listing() const;  // with line numbers
  // Whether there is something that moves, and so a state, rows and a run.
  [[nodiscard]] bool moves() const { return model_.ok(); }
  [[nodiscard]] const Model& model() const { return model_; }
  // The equations of motion at the state at hand; empty where there are too many rows for matrices.
  [[nodiscard]] RowSet rows() { return simulation_->rows(time_, state_).value_or({}); }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const std::vector<double>& state() const { return state_; }
  // The names of its statements, and what they are.
  [[nodiscard]] Result<SourceIndex> index() const;
  // Names that can be typed, for completion.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  Answer declare(const std::string& statement, std::uint32_t line);
  Answer evaluate(const std::string& expression, std::uint32_t line);
  [[nodiscard]] CompileOptions compile_options(const std::vector<std::string>& set) const;
  [[nodiscard]] Model compile(const std::string& text, const std::vector<std::string>& set) const;
  // Takes the model when it is acceptable; otherwise says what is wrong.
  bool adopt(Model model, const LineMap& map, Answer& answer);
  [[nodiscard]] std::string waiting() const;
  void take_held(Simulation& simulation) const;
  void keep_or_renew_state(const std::vector<std::string>& before, Answer& answer);
  [[nodiscard]] std::vector<std::string> layout() const;
  [[nodiscard]] std::optional<TimeSpan> block_span() const;
  [[nodiscard]] Result<std::vector<double>> value(const std::string& expression);
  [[nodiscard]] std::optional<double> number(const std::string& expression, Answer& answer);
  [[nodiscard]] std::optional<TimeSpan> span_of(const RunRequest& request, Answer& answer);
  [[nodiscard]] Model model_for(const TimeSpan& span, std::string& simulation) const;

  std::vector<std::string> statements_;
  std::vector<std::string> set_;
  bool colour_;
  std::string folder_ = ".";  // where `use` finds files: that of the model loaded last
  Model model_;
  std::optional<Simulation> simulation_;  // where something moves
  double time_ = 0;
  std::vector<double> state_;
  std::vector<std::pair<std::string, double>> held_;  // what only events change, by name, after a run
  bool moved_ = false;                                // a run has left the initial state
};

// Shortest digits; vectors as (x, y, z).
[[nodiscard]] std::string value_text(const std::vector<double>& value);

}  // namespace mbc::tools
