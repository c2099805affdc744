// SPDX-License-Identifier: Apache-2.0
#include "tools/repl.h"

#include <unistd.h>

#include <algorithm>

#include "api/output/progress.h"
#include "base/text.h"
#include "tools/commands.h"
#include "tools/interrupt.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

constexpr int kPatience = 5;  // Ctrl-C this often without an effect ends the program

constexpr const char* kHelp = R"(  p.z                    an expression: its value at the present state
  param k = 2            a statement: added to the model; particle, constraint, force, ... as in files
  run 5                  simulate for 5 time units from here; run 5 step 0.01; run: as long as the simulate block
  :state :t :q :u        the state; its time, coordinates, speeds
  :M :f :A :b            the equations M u' = f + A^T lambda, A u' = b
  :a :lambda :rows       accelerations, multipliers; the constraint rows and their rank
  :set k=3               another value for a parameter, or a setting: :set stabilise=none
  :list :undo            the statements so far; take back the last one
  :load FILE :save FILE  add a model file; write the session as one (:save! replaces a file)
  :reset :clear          back to the initial state; forget everything
  :help NAME             what a name of the session or of the library is, with its `///` lines
  :help :quit            Ctrl-C stops a run or clears the line, Ctrl-D quits, Tab completes
)";

constexpr const char* kWords[] = {
    ":A",    ":M",        ":a",     ":b",    ":clear",       ":f",    ":help",   ":lambda", ":list",       ":load",
    ":q",    ":quit",     ":reset", ":rows", ":save",        ":set",  ":state",  ":t",      ":u",          ":undo",
    "abs(",  "acos(",     "acosh(", "asin(", "asinh(",       "atan(", "atan2(",  "atanh(",  "constraint ", "cos(",
    "cosh(", "cross(",    "dist(",  "dot(",  "energy.total", "exp(",  "floor(",  "force ",  "gravity ",    "init ",
    "let ",  "ln(",       "log(",   "max(",  "min(",         "norm(", "output ", "param ",  "particle ",   "run ",
    "sign(", "simulate ", "sin(",   "sinh(", "space ",       "sqrt(", "sum(",    "tan(",    "tanh(",       "unit("};

// The first word, and what follows it.
std::pair<std::string, std::string> first_word(const std::string& text) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

bool only_doc_comments(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
    if (begin == std::string::npos) return true;
    if (text.compare(begin, 3, "///") != 0) return false;
    at = std::min(text.find('\n', begin), text.size());
  }
  return true;
}

}  // namespace

Repl::Repl(const Options& options)
    : options_(options), terminal_(isatty(0) == 1 && isatty(1) == 1), session_(options.colour) {
  reader_ = terminal_ ? make_terminal_reader([this](const std::string& prefix) { return complete(prefix); })
                      : make_pipe_reader();
}

int Repl::run() {
  catch_interrupts(kPatience);
  if (!options_.file.empty()) {
    answer(session_.load(options_.file));
    own_file_ = options_.file;
    for (const std::string& entry : options_.set) answer(session_.set(entry));
    if (failed_ && !terminal_) return kModelError;
  }
  if (terminal_) say("mbc " + version() + "; `:help` lists the commands, Ctrl-D quits\n");
  std::string entry;
  while (!output_lost_ && !reader_left()) {
    const LineReader::Result result = read_entry(entry);
    if (result == LineReader::Result::end) break;
    if (termination_wanted() || (result == LineReader::Result::interrupted && !terminal_)) return kInterrupted;
    clear_interrupt();
    if (result == LineReader::Result::line && obey(entry) == Next::quit) break;
    if (termination_wanted() || (interrupted() && !terminal_)) return kInterrupted;
    clear_interrupt();
  }
  if (output_lost_) return kOutputFailed;
  return failed_ && !terminal_ ? kModelError : kOk;
}

LineReader::Result Repl::read_entry(std::string& entry) {
  entry = std::move(pending_);
  pending_.clear();
  if (entry.empty()) entry_line_ = line_ + 1;
  const bool continued = !entry.empty();
  std::string line;
  LineReader::Result result = reader_->read(continued ? "...> " : "mbc> ", line);
  while (result == LineReader::Result::line) {
    ++line_;
    entry += line;
    const bool command = trimmed(entry).starts_with(':');
    if (command || !entry_wants_more(entry)) break;
    entry += '\n';
    result = reader_->read("...> ", line);
  }
  // A statement the end of the input cuts off is reported like any other.
  if (result == LineReader::Result::end && !trimmed(entry).empty() && !continued) result = LineReader::Result::line;
  if (result == LineReader::Result::line) remember(trimmed(entry));
  if (terminal_) {
    line_ = 0;  // every entry is a source of its own
    entry_line_ = 1;
  }
  return result;
}

// An entry of several lines comes back as one, which is what a terminal can edit; a comment would swallow the rest of
// it.
void Repl::remember(std::string entry) {
  if (entry.empty() || entry.find("//") != std::string::npos) return;
  std::replace(entry.begin(), entry.end(), '\n', ' ');
  reader_->remember(entry);
}

Repl::Next Repl::obey(const std::string& entry) {
  const std::string text = trimmed(entry);
  if (text.empty() || text == "mbd 1") return Next::go_on;
  if (only_doc_comments(text)) {
    pending_ = entry + "\n";
    return Next::go_on;
  }
  if (text == "quit" || text == "exit") return Next::quit;
  if (text == "help") return command(":help", "");
  if (text.front() == ':') {
    const auto [word, rest] = first_word(text);
    return command(word, rest);
  }
  if (!simulate_if_run(text)) answer(session_.enter(entry, entry_line_));
  return Next::go_on;
}

Repl::Next Repl::command(const std::string& word, const std::string& rest) {
  if (word == ":quit" || word == ":exit") return Next::quit;
  const bool needs_rest = word == ":set" || word == ":load" || word == ":save" || word == ":save!";
  if (word == ":help" && !rest.empty()) return help_on(rest);
  if (needs_rest == rest.empty()) {
    complain(needs_rest ? word + " needs " + (word == ":set" ? "NAME=VALUE" : "a file name") + "\n"
                        : "nothing can follow `" + word + "`\n");
  } else if (word == ":help") {
    say(kHelp);
  } else if (word == ":list") {
    say(session_.listing());
  } else if (word == ":undo") {
    answer(session_.undo());
  } else if (word == ":set") {
    answer(session_.set(rest));
  } else if (word == ":load") {
    answer(session_.load(rest));
  } else if (needs_rest) {
    save(rest, word == ":save!");
  } else if (word == ":reset" || word == ":clear") {
    session_.reset(word == ":clear");
  } else {
    show(word);
  }
  return Next::go_on;
}

Repl::Next Repl::help_on(const std::string& name) {
  const std::string text = help_text(session_, name);
  if (!text.empty()) {
    say(text);
    return Next::go_on;
  }
  std::vector<std::string> known = session_.names();
  for (const LibraryPart& part : library_parts()) known.push_back(part.symbol.name);
  const std::string near = nearest(name, known);
  complain("nothing has the name " + quoted(name) + (near.empty() ? "" : "; did you mean " + quoted(near) + "?") +
           "\n");
  return Next::go_on;
}

// `run 5`, `run 5 step 0.01`, `run assemble`; false when `run` is a name here, as in `run = 3` or `run + 1`.
bool Repl::simulate_if_run(const std::string& text) {
  auto [word, rest] = first_word(text);
  if (word != "run" || rest.find('\n') != std::string::npos) return false;
  if (!rest.empty() && std::string("=+-*/^<>!,;)]}[:'").find(rest.front()) != std::string::npos) return false;
  const auto ends_in_word = [](const std::string& all, const std::string& last) {
    return all == last || all.ends_with(" " + last);
  };
  const bool assemble = ends_in_word(rest, "assemble");
  if (assemble) rest = trimmed(rest.substr(0, rest.size() - std::string("assemble").size()));
  std::size_t step = rest.find(" step ");
  if (rest.starts_with("step ")) step = 0;
  if (step == std::string::npos) {
    simulate(rest, "", assemble);
  } else {
    const std::size_t value = rest.find("step ", step) + 5;
    simulate(trimmed(rest.substr(0, step)), trimmed(rest.substr(value)), assemble);
  }
  return true;
}

void Repl::simulate(const std::string& duration, const std::string& step, bool assemble) {
  std::unique_ptr<output::Progress> bar;
  RunRequest request;
  request.duration = duration;
  request.step = step;
  request.assemble = assemble;
  request.stop = interrupt_flag();
  request.progress = [&](double t, double begin, double end) {
    if (!bar) bar = std::make_unique<output::Progress>(begin, end);
    bar->update(t);
  };
  const Answer result = session_.run(request);
  if (bar) bar->finish();
  answer(result);
}

void Repl::save(const std::string& path, bool overwrite) {
  if (!overwrite && path != own_file_ && access(path.c_str(), F_OK) == 0)
    return complain("`" + path + "` exists; `:save! " + path + "` replaces it\n");
  std::string error;
  if (!write_text(path, session_.file_text(), error)) return complain(error + "\n");
  own_file_ = path;
  if (session_.set_values().empty()) return;
  std::string again;
  for (const std::string& entry : session_.set_values()) again += " --set \"" + entry + "\"";
  print_error("note: what `:set` changed is in the file as comments; run it with" + again + "\n");
}

void Repl::show(const std::string& what) {
  if (!is_view(what)) return complain("there is no command `" + what + "`; `:help` lists them\n");
  if (!session_.moves() && what != ":t")
    return complain("nothing moves yet: declare a particle, for example `particle p(1) at (0, 0, 1)`\n");
  say(view_text(session_, what));
}

void Repl::answer(const Answer& answer) {
  if (!answer.out.empty()) say(answer.out);
  if (!answer.messages.empty()) print_error(answer.messages);
  failed_ = failed_ || !answer.ok;
}

void Repl::say(const std::string& text) {
  if (!text.empty() && print_output(text) != kOk) output_lost_ = true;
}

void Repl::complain(const std::string& text) {
  print_error(text);
  failed_ = true;
}

std::vector<std::string> Repl::complete(const std::string& prefix) const {
  std::vector<std::string> words;
  for (const char* word : kWords) {
    if (std::string_view(word).starts_with(prefix)) words.emplace_back(word);
  }
  for (std::string& name : session_.names()) {
    if (name.starts_with(prefix)) words.push_back(std::move(name));
  }
  return words;
}

int run_repl(const Options& options) { return Repl(options).run(); }

}  // namespace mbc::tools
