// SPDX-License-Identifier: Apache-2.0
// `mbc sweep`: one run and one row for each combination of values.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "api/output/csv_writer.h"
#include "api/output/result_file.h"
#include "api/report/json_parts.h"
#include "base/copy_members.h"
#include "base/numbers.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/interrupt.h"
#include "tools/join_members.h"
#include "tools/last_resort.h"
#include "tools/member_motion.h"
#include "tools/picture/sweep_page.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/run_output.h"
#include "tools/streams.h"
#include "tools/terminal/progress.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no nan and inf.
Json json_number(double x) { return std::isfinite(x) ? Json(x) : Json(text::number(x)); }

class SweepCommand {
 public:
  explicit SweepCommand(const Options& options) : options_(options), report_(options) {}

  int run() {
    int problem = check_place_of_rows(options_, options_.output);
    if (problem == kOk) problem = check_place_of_page(options_, options_.output);
    if (problem != kOk) return problem;
    file_.sink().stop_waiting_at(interrupt_flag());
    if (!keep(file_.open(to_stdout() ? "-" : options_.output))) return fail();
    catch_interrupts(1);  // until there are results to finish
    ProgressOptions how;
    const bool rows_pass_by = to_stdout() && isatty(1) == 1;
    if (options_.quiet || options_.json || rows_pass_by) how.terminal = 0;
    Progress progress(0, 1, std::move(how));
    SweepOptions sweep = wanted();
    sweep.progress = [&](double part) {
      const std::uint64_t last = options_.last == 0 ? info_.members : options_.last;
      progress.label(fmt::format("{} of {} members", rows_, last - options_.first + 1));
      progress.update(part);
    };
    const SweepResult result = run_sweep(sweep);
    progress.finish();
    if (refused_ != kOk) return refused_;
    const bool finished = finish_rows(result) && write_page(result, rows_pass_by);
    const bool reader_left = to_stdout() && file_.sink().error_number() == EPIPE;
    const bool written = finished || reader_left;
    say_diagnostics(result);
    if (options_.time_passes) say_times(result);
    if (result.status == Status::model_error) {
      if (options_.print_json) print_refusal(options_.file, result.diagnostics);
      return kModelError;
    }
    if (result.status == Status::no_native_code) return kUsage;
    if (result.status == Status::no_threads) return kStopped;
    if (!options_.quiet && !options_.json && !reader_left) print_error(summary(result));
    if (!written) return interrupted() ? int{kInterrupted} : fail();
    if (reader_left) return kOk;
    if (result.status == Status::interrupted) return kInterrupted;
    return result.failed < result.members ? kOk : kStopped;
  }

 private:
  [[nodiscard]] bool to_stdout() const {
    return options_.output.empty() || options_.output == "-" || options_.output == "/dev/stdout";
  }

  SweepOptions wanted() {
    SweepOptions o;
    o.compile = compile_options(options_);
    o.name = options_.simulation;
    MBC_COPY_MEMBERS(o, options_, vary, record, jobs, assemble, first, last);
    o.stop = interrupt_flag();
    o.begin = [this](const SweepInfo& info) {
      info_ = info;
      catch_interrupts(2);
      std::vector<std::string> places = output::names_beside(options_.output);
      places.insert(places.end(), {options_.output, options_.report});
      refused_ = check_not_read(options_, info.files, places);
      if (refused_ == kOk && !sets_its_block(options_, info.simulation, piped_)) refused_ = kUsage;
      if (refused_ == kOk && std::max(options_.first, options_.last) > info.members)
        refused_ =
            report_.usage("--members: the sweep has " + counted(info.members, "member"), "they are numbered from 1");
      if (!options_.report.empty()) page_.emplace().begin(info);
    };
    return o;
  }

  // Keeps the rows so far while members go on without an answer to the signal (LastResort).
  int leave() {
    const std::lock_guard lock(kept_);
    if (!file_.begun()) file_.release();
    if (file_.begun() && !file_.finish(false, nullptr)) return kOutputFailed;
    return kInterrupted;
  }

  SweepResult run_sweep(const SweepOptions& sweep) {
    const LastResort last([this] { return leave(); }, LastResort::Computes::several_threads);
    const SweepObserver observer = [this](const SweepMember& m) { return member(m); };
    if (options_.file != "-") return mbc::sweep(options_.file, sweep, observer);
    piped_ = piped_model();
    return sweep_text(piped_, "<stdin>", sweep, observer);
  }

  bool keep(bool ok) {
    if (!ok && error_.empty()) error_ = !file_.error().empty() ? file_.error() : file_.sink().error();
    if (!ok && error_.empty()) error_ = "cannot write `" + options_.output + "`";
    return ok;
  }

  int fail() const { return report_.failure("output_failed", error_); }

  bool member(const SweepMember& m) {
    const std::lock_guard lock(kept_);
    if (refused_ != kOk) return false;
    if (!file_.begun() && !keep(file_.begin() && header())) return false;
    if (!keep(file_.sink().append(options_.print_json ? json_line(m) : csv_line(m)))) return false;
    if (page_) page_->member(m);
    ++rows_;
    return true;
  }

  bool header() {
    if (options_.print_json) return true;
    std::string line = "member";
    for (const VariedInfo& v : info_.varied) line += "," + output::csv_field(v.quantity.name);
    for (const Quantity& q : info_.records) line += "," + output::csv_field(q.name);
    return file_.sink().append(line + ",status,reason\r\n");
  }

  [[nodiscard]] std::string csv_line(const SweepMember& m) const {
    std::string line = std::to_string(m.number);
    const auto add = [&line](double x) {
      line += ',';
      text::append_number(line, x);
    };
    for (const double x : m.varied) add(x);
    for (const double x : m.recorded) add(x);
    if (m.recorded.empty()) line.append(info_.records.size(), ',');
    return line + "," + status_name(m) + "," + output::csv_field(m.reason) + "\r\n";
  }

  [[nodiscard]] std::string json_line(const SweepMember& m) const {
    Json j;
    j["member"] = m.number;
    j["varied"] = Json::object();
    for (std::size_t k = 0; k < m.varied.size(); ++k)
      j["varied"][info_.varied[k].quantity.name] = json_number(m.varied[k]);
    j["recorded"] = Json::object();
    for (std::size_t k = 0; k < m.recorded.size(); ++k)
      j["recorded"][info_.records[k].name] = json_number(m.recorded[k]);
    j["status"] = status_name(m);
    if (!m.reason.empty()) j["reason"] = m.reason;
    return api::json_line(j);
  }

  void say_diagnostics(const SweepResult& r) const {
    if (!options_.json) return report_.rendered(r.rendered);
    std::string lines;
    for (const DiagnosticInfo& d : r.diagnostics) lines += to_json_line(d);
    print_error(lines);
  }

  void say_times(const SweepResult& r) const {
    std::vector<StageTime> stages = r.stages;
    stages.push_back({"members", r.wall_seconds});
    report_.times(stages);
  }

  [[nodiscard]] std::string summary(const SweepResult& r) const {
    std::string page;
    if (page_) page = "wrote " + options_.report + " (" + counted(motions_, "motion") + ")\n";
    return summary_text(r) + page + wrote_text(file_, options_.output, counted(rows_, "row"));
  }

  // Writes the map with the motions of as many members as requested; each is run again separately.
  bool write_page(const SweepResult& r, bool rows_pass_by) {
    if (!page_ || rows_ == 0) return true;
    const std::vector<std::uint64_t> chosen = page_->chosen(options_.motions.value_or(50));
    const MotionRoom room = room_for(chosen.size());
    ProgressOptions how;
    if (options_.quiet || options_.json || rows_pass_by) how.terminal = 0;
    Progress progress(0, 1, std::move(how));
    for (const std::uint64_t number : chosen) {
      if (*interrupt_flag() != 0) break;
      progress.label(fmt::format("{} of {} motions", motions_, chosen.size()));
      progress.update(static_cast<double>(motions_) / static_cast<double>(chosen.size()));
      std::string data = member_motion(options_, r.source_text, info_, page_->values(number), room);
      if (data.empty()) continue;
      page_->motion(number, std::move(data));
      ++motions_;
    }
    progress.finish();
    if (write_text(options_.report, page_->page({options_.file, "", summary_text(r), options_.set}), error_))
      return true;
    if (error_.empty()) error_ = "cannot write `" + options_.report + "`";
    return false;
  }

  bool finish_rows(const SweepResult& r) {
    if (!file_.begun()) return error_.empty();
    std::optional<output::Sidecar> description;
    if (!options_.print_json) description = sidecar(r);
    const bool complete = r.status == Status::complete && error_.empty();
    if (!file_.finish(complete, description ? &*description : nullptr)) error_ = file_.error();
    return error_.empty();
  }

  // Returns units and settings for the file beside the CSV file.
  [[nodiscard]] output::Sidecar sidecar(const SweepResult& r) const {
    output::Sidecar s;
    s.mbc_version = version();
    s.model_file = options_.file;
    s.source_hash = output::content_hash(r.source_text);
    s.status = r.status == Status::complete ? "complete" : r.status == Status::interrupted ? "interrupted" : "stopped";
    s.rows = static_cast<std::int64_t>(rows_);
    s.columns.push_back({"member", "", "number of the member"});
    for (const VariedInfo& v : info_.varied) s.columns.push_back(v.quantity);
    s.columns.insert(s.columns.end(), info_.records.begin(), info_.records.end());
    s.columns.push_back({"status", "", "complete, undefined, stopped, inconsistent, impossible"});
    s.columns.push_back({"reason", "", "why it is not complete"});
    for (const ParameterInfo& p : r.parameters)
      s.parameters.push_back({p.quantity.name, p.value, p.quantity.unit, p.quantity.description});
    s.settings = {{"sweep", r.sweep.name},
                  {"simulation", r.sweep.simulation},
                  {"begin", r.time.begin},
                  {"end", r.time.end},
                  {"step", r.time.step},
                  {"integrator", r.integrator},
                  {"formulation", r.formulation},
                  {"stabilise", r.stabilise},
                  {"engine", r.engine},
                  {"members", static_cast<std::int64_t>(r.sweep.members)},
                  {"failed", static_cast<std::int64_t>(r.failed)}};
    if (r.first > 1 || r.last < r.sweep.members) {
      s.settings.emplace_back("first", static_cast<std::int64_t>(r.first));
      s.settings.emplace_back("last", static_cast<std::int64_t>(r.last));
    }
    const auto list = [&s](const char* key, const std::vector<std::string>& texts) {
      for (std::size_t k = 0; k < texts.size(); ++k)
        s.settings.emplace_back(key + std::string(".") + std::to_string(k + 1), texts[k]);
    };
    list("vary", options_.vary);
    list("record", options_.record);
    list("set", options_.set);
    return s;
  }

  const Options& options_;
  Report report_;
  SweepInfo info_;
  output::ResultFile file_;
  std::mutex kept_;  // what member() changes
  std::string error_;
  std::string piped_;  // the model from standard input
  int refused_ = kOk;  // the model's own files would be destroyed
  std::uint64_t rows_ = 0;
  std::optional<SweepPage> page_;  // for --report
  std::size_t motions_ = 0;        // motions in the page
};

}  // namespace

int sweep_model(const Options& options) {
  return options.join.empty() ? SweepCommand(options).run() : join_members(options);
}

}  // namespace mbc::tools
