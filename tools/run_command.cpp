// SPDX-License-Identifier: Apache-2.0
// `mbc run` and `mbc view`: compile, simulate, write rows or a page, summarise.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>

#include "api/output/result_file.h"
#include "api/report/json_parts.h"
#include "base/copy_members.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/checkpoint.h"
#include "tools/commands.h"
#include "tools/interrupt.h"
#include "tools/last_resort.h"
#include "tools/picture/page.h"
#include "tools/picture/plot.h"
#include "tools/picture/run_plots.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/run_output.h"
#include "tools/streams.h"
#include "tools/terminal/preview.h"
#include "tools/terminal/progress.h"

namespace mbc::tools {
namespace {

int exit_code(Status status) {
  // The entries follow the order of the enumerators.
  static constexpr ExitCode kCodes[] = {kOk,          kModelError, kInconsistent, kStopped,      kOutputFailed,
                                        kInterrupted, kUsage,      kStopped,      kInternalError};
  static_assert(std::size(kCodes) == static_cast<std::size_t>(Status::internal_error) + 1);
  return kCodes[static_cast<std::size_t>(status)];
}

constexpr std::size_t kPlotHeight = 12;  // lines of a plot after a run

class ModelRun {
 public:
  // from: the checkpoint of the run to resume, or null.
  ModelRun(const Options& options, const Model& model, const Checkpoint* from)
      : options_(options),
        model_(model),
        from_(from),
        report_(options),
        output_(output_path()),
        held_(model.inputs().size()),
        watch_(options, model, output_, events_, from) {}

  int run() {
    output_.columns(model_);
    if (const std::string wrong = output_.choose(options_.variables); !wrong.empty())
      return report_.failure("usage", wrong);
    if (const int problem = check_outputs(); problem != kOk) return problem;
    simulate();
    return conclude([this] { return summary_json(result_); }, [this] { return summary_text(result_); });
  }

 private:
  // Writes and says what is known of the run. Returns the exit status.
  int conclude(const std::function<std::string()>& json, const std::function<std::string()>& text) {
    const auto begin = std::chrono::steady_clock::now();
    bool written = finish_rows();
    report_.ran(result_);
    written = write_summary(json) && written;
    written = finish_events() && written;
    written = watch_.finish(written ? result_.status : Status::output_failed) && written;
    written = write_report() && written;
    output_seconds_ += seconds_since(begin);
    if (written && started()) say_plots();
    if (written && started()) say_summary(text);
    if (written && page_written_ && options_.command == Command::view) show_page(options_);
    if (options_.time_passes) say_times();
    if (output_.reader_left() && written) return kOk;
    if (!written) return interrupted() ? kInterrupted : kOutputFailed;
    const bool warned = options_.strict && result_.status == Status::complete && !result_.warnings.empty();
    const bool limited = result_.status == Status::interrupted && result_.diagnostic;
    return warned ? kStopped : limited ? kLimit : exit_code(result_.status);
  }

  std::string output_path() const {
    if (options_.command == Command::view) return "/dev/null";  // `save` of the block is ignored
    if (!options_.output.empty()) return options_.output;
    const std::string save = model_.save_path(options_.simulation);
    return save.empty() && options_.print_json ? "/dev/null" : save;  // standard output has the summary
  }

  // Checks everything about the places of the results that can be known before the run.
  int check_outputs() {
    const std::string path = output_.path();
    if (path == options_.summary) {
      const std::string place = path == "-" ? "standard output" : "`" + path + "`";
      return report_.failure("usage", "the rows and the summary cannot both go to " + place);
    }
    for (const std::string& taken : output::names_beside(path)) {
      if (taken != options_.summary) continue;
      const char* what = taken.ends_with(".json") ? "the description of the rows goes" : "the rows go";
      return report_.failure("usage", what + (" to `" + taken + "`: the summary needs another name"));
    }
    int problem = check_place_of_rows(options_, path);
    if (problem == kOk) problem = check_place(options_, options_.summary, {"the summary is JSON", {"json"}});
    if (problem == kOk) problem = check_place_of_events();
    if (problem == kOk) problem = check_place_of_page(options_, path);
    if (problem == kOk) problem = check_checkpoint(options_, path);
    if (problem == kOk) problem = check_not_read(options_, model_files(model_), places(path));
    if (problem == kOk) problem = open_events();
    if (problem != kOk) return problem;
    if (!options_.checkpoint.empty()) output_.stay_partial();
    if (output_.open() && (from_ == nullptr || output_.resume(from_->rows))) return kOk;
    return report_.failure("output_failed", output_.error());
  }

  // Returns all files that the run writes.
  [[nodiscard]] std::vector<std::string> places(const std::string& rows) const {
    std::vector<std::string> all = output::names_beside(rows);
    all.insert(all.end(), {rows, options_.summary, options_.events, options_.report, options_.checkpoint});
    return all;
  }

  int check_place_of_events() {
    if (options_.events.empty()) return kOk;
    if (options_.events == output_.path() || options_.events == options_.summary)
      return report_.failure("usage", "the list of events needs a file of its own");
    return check_place(options_, options_.events, {"the list of events is CSV or JSON", {"csv", "json"}});
  }

  // Opens the list of events; events are written when they fire, so that the length of a run is not limited.
  int open_events() {
    if (options_.events.empty()) return kOk;
    events_.sink().stop_waiting_at(interrupt_flag());
    if (!options_.checkpoint.empty()) events_.stay_partial();
    events_written_ = events_.open(options_.events) && begin_events();
    if (events_written_) return kOk;
    return report_.failure("output_failed", events_.error());
  }

  bool begin_events() {
    if (from_ != nullptr) return events_.resume(from_->events);
    return events_.begin() && events_.sink().append(events_as_json() ? "[" : "time,event\n");
  }

  [[nodiscard]] bool events_as_json() const { return options_.events.ends_with(".json"); }

  void write_event(double t, const std::string& event) {
    const std::string time = text::number(t), name = "\"" + event + "\"";
    const char* before = events_.bytes() > 1 ? ",\n" : "\n";  // the bracket is written already
    const std::string json = before + (R"({"time": )" + time) + R"(, "event": )" + name + "}";
    events_written_ = events_written_ && events_.sink().append(events_as_json() ? json : time + "," + name + "\n");
  }

  bool finish_events() {
    if (options_.events.empty()) return true;
    const bool goes_on = !options_.checkpoint.empty() && result_.status != Status::complete;
    if (events_as_json() && !goes_on) events_written_ = events_written_ && events_.sink().append("\n]\n");
    if (events_.finish(result_.status == Status::complete, nullptr) && events_written_) return true;
    report_.failure("output_failed", events_.error().empty() ? events_.sink().error() : events_.error());
    return false;
  }

  void simulate() {
    catch_interrupts(2);
    if (options_.max_time) interrupt_after(text::seconds_in(*options_.max_time).value_or(0));
    const TimeSpan span = model_.time_span(options_.simulation).value_or(TimeSpan{0, 1, 1});
    ProgressOptions how;
    how.time_unit = model_.time_unit();
    if (options_.quiet || report_.json() || output_.streams_to_terminal()) how.terminal = 0;
    Progress progress(span.begin, span.end, std::move(how));
    RunOptions run;
    MBC_COPY_MEMBERS(run, options_, simulation, output_every, assemble, until_event);
    run.stop = interrupt_flag();
    run.progress = [this, &progress](double t) {
      steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      progress.update(t);
    };
    run.global_error = options_.accuracy == "global";
    if (from_ != nullptr) run.resume = from_->run;
    if (watch_.wanted()) run.pause = [this](const Pause& pause) { return watch_.pause(pause); };
    run.on_event = [this](double t, const std::string& event) {
      const std::lock_guard lock(kept_);
      watch_.event(t, event);
      if (recording_) recording_->event(t, event);
      if (events_.begun()) write_event(t, event);
    };
    const double compiled = foreground(model_.stage_times());
    const auto begin = begin_ = std::chrono::steady_clock::now();
    if (begin_simulation()) {
      run.multipliers = !options_.report.empty();
      if (output_.is_hdf5()) output_.describe(run_attributes(*simulation_, options_.simulation, facts()));
      const std::vector<PlotInfo> plots = model_plots(model_, options_.simulation);
      if (!options_.report.empty()) {
        recording_.emplace().prefer(plots);
        recording_->begin(*simulation_);
      }
      if (draws_plots()) plots_.begin(simulation_->model(), options_.simulation);
      const LastResort last([this, &progress] {
        progress.finish();
        return leave();
      });
      result_ = simulation_->run(run, [this](const Row& row) { return options_.time_passes ? timed(row) : take(row); });
    }
    forget_time();
    if (from_ != nullptr) result_.wall_seconds += from_->wall_seconds;
    simulate_seconds_ = seconds_since(begin) - output_seconds_ - (foreground(model_.stage_times()) - compiled);
  }

  // Ends a run that does not answer to the signal or to the end of its time (LastResort), as one that does. Of its
  // numbers only the steps, the rows and the time that it reached are known.
  int leave() {
    const std::lock_guard lock(kept_);
    result_ = {};
    result_.status = Status::interrupted;
    result_.simulation = options_.simulation;
    const TimeSpan span = model_.time_span(options_.simulation).value_or(TimeSpan{});
    MBC_COPY_MEMBERS(result_, span, begin, end, step);
    result_.reached = reached_;
    result_.steps = steps_ > 0 ? steps_ - 1 : 0;  // progress also tells of the first state
    result_.rows = output_.rows();
    result_.wall_seconds = seconds_since(begin_);
    if (!interrupted()) {
      Diagnostic why;
      why.kind = Kind::run_limit;
      why.args = {"--max-time " + options_.max_time.value_or("")};
      why.time = reached_;
      result_.diagnostic = to_info(why, {});
      result_.rendered = render_text(why, {}, {options_.colour});
    }
    const auto json = [&] {
      nlohmann::ordered_json j = {{"status", "interrupted"}};
      MBC_PUT_MEMBERS(j, result_, simulation, begin, end, step, reached, steps, rows, wall_seconds)
      if (result_.diagnostic) j["diagnostic"] = nlohmann::ordered_json::parse(to_json(*result_.diagnostic));
      return j.dump(2);
    };
    const auto text = [&] {
      return "interrupted: " + (result_.simulation.empty() ? "" : result_.simulation + ", ") +
             counted(result_.steps, "step") + " to t = " + text::short_number(result_.reached, 10) + " in " +
             text::waited(result_.wall_seconds) + ", " + counted(result_.rows, "row") +
             ", in a computation that reads no signal\n";
    };
    return conclude(json, text);
  }

  // Creates the simulation in the variant of its block; a run reports a block that does not exist.
  bool begin_simulation() {
    Result<Simulation> made =
        Simulation::create(model_, model_.time_span(options_.simulation) ? options_.simulation : "");
    if (made) {
      simulation_.emplace(*std::move(made));
      return true;
    }
    const Error& error = made.error();
    result_.status = error.code == ErrorCode::no_native_code ? Status::no_native_code
                     : error.code == ErrorCode::internal     ? Status::internal_error
                                                             : Status::model_error;
    if (!error.diagnostics.empty()) result_.diagnostic = error.diagnostics.front();
    result_.rendered = error.message + "\n";
    return false;
  }

  bool take(const Row& row) {
    const std::lock_guard lock(kept_);
    reached_ = row.time;
    if (recording_) recording_->row(row);
    plots_.row(row);
    if (from_ == nullptr) held_.row(row);
    return output_.row(row);
  }

  bool timed(const Row& row) {
    const auto begin = std::chrono::steady_clock::now();
    const bool written = take(row);
    output_seconds_ += seconds_since(begin);
    return written;
  }

  static double foreground(const std::vector<StageTime>& stages) {
    double sum = 0;
    for (const StageTime& s : stages) sum += s.background ? 0 : s.seconds;
    return sum;
  }

  [[nodiscard]] SidecarFacts facts() const {
    SidecarFacts facts{options_.file, options_.set, options_.output_every, watch_.events()};
    facts.held = held_.held();
    facts.events_left_out = result_.events - std::min<std::uint64_t>(result_.events, facts.events.size());
    return facts;
  }

  [[nodiscard]] bool started() const {
    return result_.status != Status::model_error && result_.status != Status::inconsistent &&
           result_.status != Status::no_native_code && result_.status != Status::internal_error;
  }

  bool finish_rows() {
    std::optional<output::Sidecar> description;
    if (simulation_ && started()) description = run_sidecar(output_, *simulation_, result_, facts());
    const bool complete = result_.status == Status::complete;
    if (output_.finish(complete, description ? &*description : nullptr) || output_.reader_left()) return true;
    report_.failure("output_failed", output_.error());
    return false;
  }

  bool write_summary(const std::function<std::string()>& json) {
    if (result_.status == Status::model_error && result_.diagnostic && options_.print_json)
      return print_refusal(options_.file, {*result_.diagnostic}) == kOk;
    if (options_.summary.empty() || result_.status == Status::model_error) return true;
    std::string text = escaped(json());
    if (text.empty() || text.back() != '\n') text += '\n';
    std::string error;
    if (write_text(options_.summary, text, error)) return true;
    report_.failure("output_failed", error);
    return false;
  }

  // Writes the page also for a run that stopped: the picture shows where.
  bool write_report() {
    if (!recording_ || recording_->rows() == 0) return true;
    recording_->finish();
    const std::string title = options_.file == "-" ? "mbc" : options_.file.substr(options_.file.rfind('/') + 1);
    std::string error;
    page_written_ =
        write_text(options_.report,
                   page_around(title, page_data(*recording_, page_facts(*simulation_, result_, options_.file))), error);
    if (!page_written_) report_.failure("output_failed", error);
    return page_written_;
  }

  // Returns whether the plots of the block (`plot`) are drawn: a user watches the terminal, and no rows are printed to
  // it.
  [[nodiscard]] bool draws_plots() const {
    return isatty(1) == 1 && options_.command == Command::run && !options_.quiet && !report_.json() &&
           !options_.print_json && !output_.streams_to_terminal();
  }

  void say_plots() {
    if (!plots_.wanted()) return;
    const std::string text = plots_.text(terminal_width(1), kPlotHeight, terminal_has_colours());
    if (!text.empty())
      static_cast<void>(print_output(text + "\n", terminal_has_colours() ? Shows::colours : Shows::text));
  }

  void say_summary(const std::function<std::string()>& summary) {
    if (options_.quiet || report_.json() || output_.reader_left()) return;
    std::string text = summary();
    if (!text.empty() && text.back() != '\n') text += '\n';
    if (page_written_) text += "wrote " + options_.report + " (" + counted(recording_->times().size(), "frame") + ")\n";
    if (!options_.until_event.empty() && result_.status == Status::complete && result_.ended_by != options_.until_event)
      text += "the run did not end by " + quoted(options_.until_event) +
              (result_.ended_by ? ": `stop` came before\n" : ": it did not fire\n");
    print_error(text + output_.summary() + watch_.summary());
  }

  void say_times() {
    std::vector<StageTime> stages = model_.stage_times();
    stages.push_back({"simulate", simulate_seconds_});
    stages.push_back({"output", output_seconds_});
    report_.times(stages);
  }

  const Options& options_;
  Model model_;
  const Checkpoint* from_;
  std::optional<Simulation> simulation_;
  Report report_;
  RunOutput output_;
  HeldChanges held_;
  output::ResultFile events_;
  bool events_written_ = true;
  RunWatch watch_;
  std::mutex kept_;     // what take() and events change
  double reached_ = 0;  // the time of the last row
  std::atomic<std::uint64_t> steps_ = 0;
  std::chrono::steady_clock::time_point begin_;
  std::optional<Recording> recording_;  // for --report and `mbc view`
  RunPlots plots_;
  bool page_written_ = false;
  RunResult result_;
  double simulate_seconds_ = 0, output_seconds_ = 0;
};

// Ends the process after all files are written. Native code that is still being compiled is useless now, and waiting
// for it could take longer than the run. LLVM's data must not be destroyed meanwhile, so nothing is.
[[noreturn]] void leave_at_once(int code) {
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace

namespace {

// Returns whether model and settings are those of the checkpoint; reports the difference.
bool fits(const Checkpoint& from, const Model& model, const Options& options) {
  if (text_digest(model) == from.model) return true;
  Report(options).failure("usage", "cannot go on from `" + options.checkpoint + "`: the text of `" + options.file +
                                       "`, or of a file it uses, has changed since");
  return false;
}

// Prints which block is run if a file has several and none is named.
void say_block(const Options& options, const Model& model) {
  const std::vector<std::string> blocks = model.simulations();
  if (blocks.size() < 2 || !options.simulation.empty() || options.quiet || options.json) return;
  const std::string name = blocks.front().empty() ? "" : " (" + quoted(blocks.front()) + ")";
  print_error("note: the first of " + counted(blocks.size(), "`simulate` block") + " is run" + name +
              "; a name behind the file chooses another\n");
}

int run_from(const Options& options, const Checkpoint* from) {
  catch_interrupts(1);  // there are no results to finish yet
  const Model model = load_model(options, options.interpret);
  if (from != nullptr && !fits(*from, model, options)) return kUsage;
  const Report report(options);
  report.compiled(model);
  if (model.ok()) {
    if (!sets_its_block(options, model)) return kUsage;
    if (from == nullptr) say_block(options, model);
    const int code = ModelRun(options, model, from).run();
    if (model.compiling()) leave_at_once(code);
    return code;
  }
  if (options.time_passes) report.times(model.stage_times());
  return without_model(options, model);
}

}  // namespace

int run_model(const Options& options) { return run_from(options, nullptr); }

int resume_run(const Options& options) {
  const Report report(options);
  Checkpoint from;
  std::string error;
  const auto refuse = [&](const std::string& why) { return report.failure("usage", why); };
  if (!read_checkpoint(options.file, from, error)) return refuse(error);
  Options run = from.options;
  run.command = Command::run;
  std::error_code missing;
  run.checkpoint = std::filesystem::absolute(options.file, missing).string();
  if (options.every_given) run.every = options.every;
  MBC_COPY_MEMBERS(run, options, max_steps, max_time, max_output, quiet, print_json, json, colour, time_passes);
  if (options.print_json) run.summary = "-";
  if (missing || chdir(from.folder.c_str()) != 0)
    return refuse("cannot go on from `" + options.file + "`: the folder of the run, `" + from.folder +
                  "`, cannot be entered");
  return run_from(run, &from);
}

}  // namespace mbc::tools
