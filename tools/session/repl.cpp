// SPDX-License-Identifier: Apache-2.0
// `mbc repl`: the lines of a session at a terminal or from standard input.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/report/json_parts.h"
#include "base/text.h"
#include "tools/commands.h"
#include "tools/interrupt.h"
#include "tools/last_resort.h"
#include "tools/options.h"
#include "tools/session/completion.h"
#include "tools/session/entries.h"
#include "tools/session/history.h"
#include "tools/session/line_reader.h"
#include "tools/session/session.h"
#include "tools/streams.h"
#include "tools/terminal/preview.h"

namespace mbc::tools {
namespace {

constexpr int kSessionPatience = 5;        // number of ineffective Ctrl-C that end the program
constexpr std::size_t kPlotHeight = 16;    // lines of a curve on the terminal
constexpr std::size_t kMostOpened = 5000;  // largest model that is opened in advance

class Repl {
 public:
  explicit Repl(const Options& options)
      : options_(options),
        terminal_(isatty(0) == 1 && isatty(1) == 1 && options.expressions.empty()),
        session_(options.colour),
        entries_(options, session_) {
    reader_ = terminal_ ? make_terminal_reader(
                              [this](const std::string& before) {
                                Completion found = complete(session_, begun_ + before);
                                return found;
                              },
                              history_path())
                        : make_pipe_reader();
  }

  int run() {
    catch_interrupts(kSessionPatience);
    if (!options_.file.empty() && !load()) {
      print_error(messages_, shows());
      return kModelError;
    }
    said_.clear();
    if (!options_.expressions.empty()) return evaluate_all();
    if (terminal_) say("mbc " + version() + "; `:help` lists the commands, Ctrl-D quits\n");
    std::string entry;
    while (!output_lost_ && !reader_left()) {
      const LineReader::Result result = read_entry(entry);
      if (result == LineReader::Result::end) break;
      if (termination_wanted() || (result == LineReader::Result::interrupted && !terminal_)) return kInterrupted;
      clear_interrupt();
      if (result == LineReader::Result::line && !obey(entry)) break;
      if (termination_wanted() || (interrupted() && !terminal_)) return kInterrupted;
      clear_interrupt();
    }
    return code();
  }

 private:
  // Reads one entry: lines until the statement is complete.
  LineReader::Result read_entry(std::string& entry) {
    entry = std::move(pending_);
    pending_.clear();
    if (entry.empty()) entry_line_ = line_ + 1;
    const bool continued = !entry.empty();
    std::string line;
    begun_ = entry;
    LineReader::Result result = reader_->read(continued ? "...> " : "mbc> ", line);
    while (result == LineReader::Result::line) {
      ++line_;
      entry += line;
      const bool command = trimmed(entry).starts_with(':');
      if (command || !entry_wants_more(entry)) break;
      entry += '\n';
      begun_ = entry;
      result = reader_->read("...> ", line);
    }
    // A statement that the end of the input cuts off is reported like any other.
    if (result == LineReader::Result::end && !trimmed(entry).empty() && !continued) result = LineReader::Result::line;
    if (result == LineReader::Result::line) remember(trimmed(entry));
    if (terminal_) {
      line_ = 0;  // every entry is a separate source
      entry_line_ = 1;
    }
    return result;
  }

  // An entry of several lines is remembered as one line, which a terminal can edit; a comment would swallow the rest of
  // it.
  void remember(std::string entry) {
    if (entry.empty() || entry.find("//") != std::string::npos) return;
    std::replace(entry.begin(), entry.end(), '\n', ' ');
    reader_->remember(entry);
  }

  // returns whether to continue
  bool obey(const std::string& entry) {
    const LastResort last([this] { return leave(); });
    const std::string text = trimmed(entry);
    if (!text.empty() && only_doc_comments(text)) {
      pending_ = entry + "\n";
      return true;
    }
    const Outcome outcome = entries_.obey(entry, entry_line_);
    answer(outcome.answer);
    draw(outcome.plots);
    if (!outcome.page.empty()) open_page(outcome.page);
    // A new model is opened for expressions now, so that the first one need not wait.
    if (terminal_ && session_.model().coordinate_count() < kMostOpened) static_cast<void>(session_.value("0"));
    return !outcome.quit;
  }

  // Ends a computation that reads no flag (LastResort) where its answer would end the session as well. At a terminal an
  // interrupt waits for it, because the session would be lost.
  [[nodiscard]] std::optional<int> leave() const {
    if (termination_wanted() || !terminal_) return kInterrupted;
    return std::nullopt;
  }

  // Loads the file; returns false if a non-interactive session cannot continue.
  bool load() {
    answer(session_.load(options_.file));
    entries_.own(options_.file);
    for (const std::string& entry : options_.set) answer(session_.set(entry));
    if (terminal_ && session_.model().coordinate_count() < kMostOpened) static_cast<void>(session_.value("0"));
    return !failed_ || terminal_;
  }

  // `-e`
  int evaluate_all() {
    for (const std::string& expression : options_.expressions) {
      if (failed_ || output_lost_ || interrupted()) break;
      entry_line_ = 1;
      if (!(options_.print_json ? obey_as_json(expression) : obey(expression))) break;
    }
    return interrupted() ? int{kInterrupted} : code();
  }

  void draw(const std::vector<Plot>& plots) {
    const std::size_t width = terminal_ ? terminal_width(1) : 80;
    for (const Plot& p : plots) say(braille_plot(p, width, kPlotHeight, options_.colour && terminal_));
  }

  void answer(const Answer& answer) {
    if (!answer.out.empty()) say(answer.out);
    if (options_.print_json)
      messages_ += answer.messages;
    else if (!answer.messages.empty())
      print_error(answer.messages, shows());
    failed_ = failed_ || !answer.ok;
  }

  void say(const std::string& text) {
    if (options_.print_json)
      said_ += text;
    else if (!text.empty() && print_output(text, shows()) != kOk)
      output_lost_ = true;
  }

  [[nodiscard]] Shows shows() const { return options_.colour ? Shows::colours : Shows::text; }
  // `-e` with --json: one object in each line
  bool obey_as_json(const std::string& entry) {
    const bool goes_on = obey(entry);
    const std::string line =
        api::json_line({{"entry", entry}, {"ok", !failed_}, {"answer", said_}, {"messages", messages_}});
    said_.clear();
    messages_.clear();
    if (print_output(line) != kOk) output_lost_ = true;
    return goes_on;
  }

  [[nodiscard]] int code() const {
    if (output_lost_) return kOutputFailed;
    return failed_ && !terminal_ ? kModelError : kOk;
  }

  const Options& options_;
  bool terminal_;
  Session session_;
  Entries entries_;
  std::unique_ptr<LineReader> reader_;
  std::string pending_;           // `///` lines that wait for their statement
  std::string begun_;             // the lines of the entry before the present one
  std::uint32_t line_ = 0;        // lines read
  std::uint32_t entry_line_ = 1;  // first line of the current entry
  std::string said_, messages_;   // output of the current entry, with --json
  bool failed_ = false;           // an entry had an error
  bool output_lost_ = false;      // stdout cannot be written any more
};

}  // namespace

int run_repl(const Options& options) { return Repl(options).run(); }

}  // namespace mbc::tools
