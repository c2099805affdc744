// SPDX-License-Identifier: Apache-2.0
// mbc::sweep compiles once, shares the code among threads, and passes the members to the caller in order. If a varied
// value changes the structure of the model, each combination of such values is a sweep over the other values; these
// sweeps run one after the other.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>
#include <tuple>

#include "api/analysis/conveyor.h"
#include "api/analysis/sweep_member.h"
#include "api/analysis/sweep_parts.h"
#include "api/analysis/sweep_statistics.h"
#include "api/model/family.h"
#include "api/model/info.h"
#include "api/model/initial.h"
#include "api/model/native_code.h"
#include "api/model/settings.h"
#include "base/check.h"
#include "base/diagnostics/render.h"
#include "base/loaded_files.h"
#include "base/numbers.h"
#include "base/read_file.h"
#include "base/stop_flag.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "compiler/lower/describe.h"
#include "compiler/lower/failed_item.h"
#include "compiler/sema/statements/varied_quantities.h"
#include "kernel/floating_point.h"
#include "runtime/equations/representation_state.h"
#include "runtime/rows/threads.h"

namespace mbc {

namespace api {

namespace {

std::string description_of(const sema::Model& model, const sema::Varied& v) {
  if (v.shapes || v.fixed) return "shapes the model";
  return v.input ? model.inputs[v.index].doc : model.params[v.index].doc;
}

}  // namespace

SweepInfo sweep_info(const sema::Model& model, const sema::Sweep& s) {
  SweepInfo out;
  out.name = s.name;
  out.simulation = model.simulations[s.simulation].name;
  out.members = s.members();
  const auto unit = [&](const sema::Dimension& d) { return model.has_units ? sema::to_text(d) : ""; };
  for (const sema::Varied& v : s.varied) {
    out.varied.push_back({{v.name, v.unit.empty() ? unit(v.dimension) : v.unit, description_of(model, v)},
                          v.count,
                          v.written(0),
                          v.written(v.count - 1),
                          !v.list.empty(),
                          v.drawn_text,
                          v.shapes,
                          v.factor});
    if (v.drawn)
      out.draws = counted(v.count, "draw") + ", points = " + sema::points_text(v.sample.points) +
                  ", seed = " + std::to_string(v.sample.seed);
    else if (!v.drawn_text.empty())
      out.draws = counted(v.count, "member") + " of " + v.drawn_text;
  }
  if (std::any_of(s.varied.begin(), s.varied.end(), [](const sema::Varied& v) { return !v.parts.empty(); }))
    out.draws += ", correlated";
  for (const sema::SweepRecord& r : s.records)
    out.records.push_back({r.name, r.unit.empty() ? unit(r.dimension) : r.unit, ""});
  return out;
}

namespace {

class SweepRun {
 public:
  SweepRun(const SweepOptions& options, const SweepObserver& observer) : options_(options), observer_(observer) {}

  // Restricts the sweep to the members with these values from `--set`; `whole` is the sweep they belong to.
  void restrict_to(const std::vector<std::pair<std::string, double>>& fixed, const SweepInfo& whole) {
    fixed_ = fixed;
    whole_ = &whole;
  }

  SweepResult run(const std::string& text, const std::string& name, const std::string& folder) {
    const auto begin = Clock::now();
    if (!compile(text, name, folder)) return std::move(result_);
    if (!check_native()) return std::move(result_);
    describe();
    if (whole_ && !is_part_of(*whole_)) return std::move(result_);
    result_.sweep.files = c_.sources.names();
    if (options_.begin) options_.begin(result_.sweep);
    result_.compile_seconds = seconds_since(begin);
    const SweepParts parts(chosen());
    if (parts.any())
      run_parts(parts, text, name, folder);
    else
      run_members();
    if (statistics_) result_.statistics = statistics_->result();
    for (const PassTime& t : c_.times) took({t.name, t.seconds, t.background});
    if (native_)
      for (const PassTime& t : native_->times()) took({t.name, t.seconds, t.background});
    return std::move(result_);
  }

  SweepResult cannot_read(const std::string& path, const std::string& error) {
    c_.sink.report(Kind::cannot_read, Span{}, printable(path), error);
    report();
    return std::move(result_);
  }

 private:
  void run_members() {
    const auto begin = Clock::now();
    std::optional<kernel::StepShape> shape;
    if (members_wanted() > 1 && runtime::steps_in_lanes(plan_->settings, plan_->info)) {
      shape = runtime::shape_in_lanes(plan_->settings, plan_->info);
      shape->extremes = plan_->extremes();
      // Rows of every member after every step leave no work for the lanes.
      if (plan_->settings.rows_between && shape->extremes.empty()) shape.reset();
    }
    if (runtime::bodies_differ_from_quaternions(plan_->info) &&
        (has_soft_values(c_.model) || plan_->settings.assemble)) {
      CompileOptions options = options_.compile;
      options.interpret = true;
      options.folder = folder_;
      for (const sema::Varied& v : chosen().varied)  // so that what `--vary` names is data there too
        if (!v.input && !v.fixed) options.set.push_back(v.name + " = " + text::number(v.value(0)));
      plan_->begins = Model::from_string(result_.source_text, name_, options);
      if (!plan_->begins->ok()) plan_->begins.reset();
    }
    SweepCode code(c_.system, options_of_kernel_, std::move(shape), native_.get(), options_.compile.native_at_once);
    const double calls = expected_calls(plan_->settings) * static_cast<double>(members_wanted());
    std::vector<std::unique_ptr<SweepWorker>> workers;
    for (unsigned k = 0; k < result_.jobs; ++k)
      workers.push_back(std::make_unique<SweepWorker>(*plan_, c_.model, code, calls, result_.jobs));
    result_.compile_seconds += seconds_since(begin);
    const auto started = Clock::now();
    members(workers);
    result_.wall_seconds = seconds_since(started);
    if (native_ && options_.compile.native_at_once && !native_->failure().empty()) {
      result_.status = Status::no_native_code;
      result_.rendered += "there is no native code: " + native_->failure() + "\n";
    }
    result_.engine = engine_text(engines_of(workers), native_.get());
    for (const auto& worker : workers) {
      result_.steps_together += worker->steps_together();
      result_.steps_alone += worker->steps_alone();
    }
  }

  // Runs the parts one after the other, each on all threads, and passes their members on in order.
  void run_parts(const SweepParts& parts, const std::string& text, const std::string& name, const std::string& folder) {
    result_.compilations = 0;
    result_.jobs = 1;
    bool wanted = true;
    InOrder in_order(result_.first, [&](const SweepMember& m) { return keep(m); });
    const auto is_wanted = [&](std::uint64_t place) { return place + 1 >= result_.first && place + 1 <= result_.last; };
    const bool all = members_wanted() == result_.sweep.members;
    for (std::uint64_t part = 0; part < parts.count() && wanted && result_.status == Status::complete; ++part) {
      SweepOptions options = options_;
      options.begin = {};
      std::tie(options.first, options.last) =
          all ? std::pair{std::uint64_t{1}, parts.members()} : parts.members_between(part, result_.first, result_.last);
      if (options.first == 0) continue;
      std::vector<std::pair<std::string, double>> fixed = fixed_;
      for (const auto& value : parts.fixed(part)) {
        fixed.push_back(value);
        options.compile.set.push_back(value.first + " = " + text::number(value.second));
      }
      if (options_.progress)
        options.progress = [&, part](double p) {
          options_.progress((static_cast<double>(part) + p) / static_cast<double>(parts.count()));
        };
      const SweepObserver take = [&](const SweepMember& m) {
        SweepMember placed = m;
        placed.number = parts.place(part, m.number - 1) + 1;
        return !is_wanted(placed.number - 1) || (wanted = in_order.put(std::move(placed)));
      };
      SweepRun run(options, take);
      run.restrict_to(fixed, result_.sweep);
      const SweepResult made = run.run(text, name, folder);
      if (made.status == Status::model_error)
        for (std::uint64_t k = options.first - 1; k < options.last && wanted; ++k) {
          const std::uint64_t place = parts.place(part, k);
          if (is_wanted(place)) wanted = in_order.put(impossible(made, place, parts.values(part, k)));
        }
      else
        result_.status = made.status;
      add(made);
    }
    if (!wanted) result_.status = Status::output_failed;
  }

  // Adds the costs of a part to those of the whole sweep.
  void add(const SweepResult& part) {
    if (part.status == Status::no_threads) result_.rendered += part.rendered;
    result_.jobs = std::max(result_.jobs, part.jobs);
    result_.compilations += part.compilations;
    result_.compile_seconds += part.compile_seconds;
    result_.wall_seconds += part.wall_seconds;
    result_.steps_together += part.steps_together;
    result_.steps_alone += part.steps_alone;
    if (!part.engine.empty() && result_.engine.find(part.engine) == std::string::npos)
      result_.engine += (result_.engine.empty() ? "" : " or ") + part.engine;
    for (const StageTime& t : part.stages) took(t);
  }

  void took(const StageTime& stage) {
    for (StageTime& s : result_.stages)
      if (s.name == stage.name && s.background == stage.background) {
        s.seconds += stage.seconds;
        return;
      }
    result_.stages.push_back(stage);
  }

  // Returns whether this sweep varies and records the same quantities as the whole sweep; reports a difference.
  bool is_part_of(const SweepInfo& whole) {
    const auto differs = [&](const std::string& what) {
      c_.sink.report(Kind::sweep_differs, chosen().span, what);
      report();
      return false;
    };
    std::vector<std::string> names, all;
    for (const Quantity& q : result_.sweep.records) names.push_back(q.name);
    for (const Quantity& q : whole.records) all.push_back(q.name);
    if (names != all) return differs("they have other outputs, so that there are no common columns to record");
    for (std::size_t k = 0; k < whole.varied.size(); ++k) {
      const VariedInfo &a = whole.varied[k], &b = result_.sweep.varied[k];
      const bool fixed =
          std::any_of(fixed_.begin(), fixed_.end(), [&](const auto& f) { return f.first == a.quantity.name; });
      if (!fixed && (a.count != b.count || a.first != b.first || a.last != b.last))
        return differs("the values of `" + printable(a.quantity.name) + "` depend on what else is varied");
    }
    return true;
  }

  // Compiles the model in the variant of its run, with the recorded values after its outputs.
  bool compile(const std::string& text, const std::string& name, const std::string& folder) {
    result_.source_text = text;
    name_ = name;
    folder_ = folder;
    if (!options_.compile.interpret) {
      native_ = make_native(options_.compile);
      if (options_.compile.native_at_once) native_->open(text);
    }
    PipelineOptions pipeline;
    pipeline.set = options_.compile.set;
    pipeline.library = {folder, options_.compile.stdlib, options_.compile.loader};
    pipeline.sweep = SweepTexts{options_.name, options_.vary, options_.record, {}};
    for (const auto& [path, value] : fixed_) pipeline.sweep->fixed.push_back(path);
    c_ = mbc::analyse(name, text, pipeline);
    if (c_.ok() && (simulation().bodies.method != shaping_block(c_.model.simulations, "")->bodies.method ||
                    signals_of(simulation()) != c_.model.signals)) {
      pipeline.structure.simulation = simulation().name;
      c_ = mbc::analyse(name, text, pipeline);
    }
    if (c_.ok()) formulate();
    if (c_.ok() && c_.model.equations.size() > kernel::kMaxDenseRows && has_soft_values(c_.model))
      c_.sink.report(Kind::too_many_rows, c_.model.equations.back().span, std::to_string(c_.model.equations.size()),
                     "soft initial values are assembled with a full matrix, of at most " +
                         std::to_string(kernel::kMaxDenseRows) + " rows");
    report();
    if (!c_.ok()) return false;
    for (sema::Varied& v : c_.model.sweeps[c_.model.asked_sweep.value()].varied)
      for (const auto& [path, value] : fixed_)
        if (v.name == path) {
          v.shapes = false;
          v.fixed = true;
          v.count = 1;
          v.list = {value};
        }
    const sema::Sweep& sweep = chosen();
    c_.model.probes = sweep.probes;
    c_.model.run_values = sweep.run_values;
    if (!sweep.probes.empty()) c_.system = lower::lower(c_.model, true);
    return true;
  }

  // Returns whether native code is available if it was demanded; reports the failure.
  bool check_native() {
    std::string error;
    if (!native_ || !options_.compile.native_at_once || native_->available(error)) return true;
    result_.status = Status::no_native_code;
    result_.rendered += "there is no native code: " + error + "\n";
    return false;
  }

  void formulate() {
    mbc::choose_equations(c_, simulation(), options_of_kernel_);
    mbc::add_kernel(c_, options_of_kernel_);
  }

  void report() {
    result_.diagnostics.clear();
    for (const Diagnostic& d : c_.sink.sorted()) result_.diagnostics.push_back(to_info(d, c_.sources));
    result_.rendered = render_text(c_.sink, c_.sources, {options_.compile.colour});
    if (!c_.ok()) result_.status = Status::model_error;
  }

  [[nodiscard]] const sema::Sweep& chosen() const { return c_.model.sweeps[c_.model.asked_sweep.value()]; }
  [[nodiscard]] const sema::Simulation& simulation() const { return c_.model.simulations[chosen().simulation]; }

  // Returns how many members are to be run.
  [[nodiscard]] std::uint64_t members_wanted() const {
    return result_.first <= result_.last ? result_.last - result_.first + 1 : 0;
  }

  void describe() {
    const sema::Simulation& s = simulation();
    RunOptions run;
    run.assemble = options_.assemble;
    run.stop = options_.stop;
    plan_.emplace(SweepPlan{c_, chosen(), lower::describe(c_.model), settings_of(s, run), {}, {}, {}});
    plan_->info.failed_item = [this](const problem::FailedOperation& f) {
      return lower::failed_item(c_.system, c_.model, f);
    };
    // Rows between the first and the last serve only extreme values. A method with its own steps is sampled at rows,
    // and its steps end where a row is not on the motion.
    plan_->settings.rows_between =
        !plan_->extremes().empty() || plan_->settings.chooses_steps() ||
        (chosen().records.empty() && !plan_->info.quaternion_outputs.empty());  // their sign depends on the rows before
    result_.sweep = sweep_info(c_.model, chosen());
    result_.first = std::max<std::uint64_t>(options_.first, 1);
    result_.last = options_.last == 0 ? result_.sweep.members : std::min(options_.last, result_.sweep.members);
    if (chosen().records.empty()) record_columns();
    const std::vector<sema::Varied>& varied = chosen().varied;
    if (std::all_of(varied.begin(), varied.end(), [](const sema::Varied& v) { return !v.drawn_text.empty(); }))
      statistics_.emplace(result_.sweep.records, varied[0].drawn && varied[0].sample.points == Points::random);
    for (const Quantity& q : result_.sweep.records) plan_->names.push_back(q.name);
    result_.integrator = integrator_text(s);
    result_.formulation = choice_text(s.formulation);
    result_.stabilise = stabilise_text(s);
    result_.time = {s.begin, s.end, s.step};
    const std::vector<double> params = sema::parameter_values(c_.model);
    for (std::size_t k = 0; k < params.size(); ++k) {
      const sema::Param& p = c_.model.params[k];
      result_.parameters.push_back(
          {{p.name, c_.model.has_units ? sema::to_text(p.dimension) : "", p.doc}, params[k], p.overridden});
    }
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const std::uint64_t jobs = options_.jobs > 0 ? options_.jobs : cores;
    result_.jobs = static_cast<unsigned>(std::min<std::uint64_t>(jobs, members_wanted()));
  }

  // Records the last values of the outputs, or of all columns, if there are no expressions. If a varied value changes
  // the structure of the model, members may differ in their instances; then outputs of instances are not recorded.
  void record_columns() {
    using Kind = problem::Recorded::Kind;
    const problem::Problem& info = plan_->info;
    const std::vector<sema::Varied>& varied = chosen().varied;
    const bool parts = std::any_of(varied.begin(), varied.end(), [](const auto& v) { return v.shapes || v.fixed; });
    const auto counts = [&](const sema::Output& o) { return !o.of_follower && !(parts && o.of_instance); };
    const bool outputs = std::any_of(c_.model.outputs.begin(), c_.model.outputs.end(), counts);
    for (std::size_t k = 0; k < info.columns.size(); ++k) {
      const auto& [kind, index] = info.columns[k];
      if (outputs && (kind != Kind::output || !counts(c_.model.outputs[index]))) continue;
      const problem::Column column = info.column(k);
      plan_->columns.push_back(k);
      result_.sweep.records.push_back({sema::recorded_name(varied, column.name), column.unit, column.description});
    }
  }

  // Returns the engines that the workers used.
  static kernel::EnginesUsed engines_of(const std::vector<std::unique_ptr<SweepWorker>>& workers) {
    kernel::EnginesUsed out;
    for (const auto& worker : workers) {
      out.native = out.native || worker->engines_used().native;
      out.interpreter = out.interpreter || worker->engines_used().interpreter;
    }
    return out;
  }

  static void work(Conveyor& conveyor, std::uint64_t size, SweepWorker& worker) {
    const kernel::StrictFloatingPoint strict;
    try {
      for (Conveyor::Group g; (g = conveyor.next(size)).count > 0;) conveyor.put(g.first, worker.run(g.first, g.count));
    } catch (...) {
      conveyor.fail(std::current_exception());
    }
  }

  void members(std::vector<std::unique_ptr<SweepWorker>>& workers) {
    runtime::prepare_for_threads();
    Conveyor conveyor(result_.first - 1, result_.first - 1 + members_wanted(), result_.jobs);
    std::vector<std::jthread> threads;
    const std::shared_ptr<void> end(nullptr, [&](void*) { conveyor.stop(); });  // even if the caller throws
    if (conveyor.complete()) return;
    const std::uint64_t share = (members_wanted() + result_.jobs - 1) / result_.jobs;
    const std::uint64_t size = std::min(workers.front()->group(), share);
    for (auto& worker : workers) {
      try {
        threads.emplace_back([&conveyor, size, w = worker.get()] { work(conveyor, size, *w); });
      } catch (const std::system_error& e) {  // the threads that exist are enough
        if (!threads.empty()) break;
        result_.status = Status::no_threads;
        result_.rendered += std::string("there is no thread to run on: ") + e.what() + "\n";
        return;
      }
    }
    result_.jobs = static_cast<unsigned>(threads.size());
    while (!conveyor.complete()) {
      std::optional<SweepMember> member = conveyor.take(std::chrono::milliseconds(50));
      const bool stop = is_set(options_.stop);
      if (stop) conveyor.stop();
      if ((stop && !member) || (member && member->status == Status::interrupted)) {
        result_.status = Status::interrupted;
        break;
      }
      if (options_.progress)
        options_.progress(static_cast<double>(result_.members) / static_cast<double>(members_wanted()));
      if (member && !keep(std::move(*member))) {
        result_.status = Status::output_failed;
        break;
      }
    }
  }

  // Returns the varied values of a member in the units that the sweep names.
  [[nodiscard]] std::vector<double> written_values(std::uint64_t member) const {
    std::vector<double> out;
    const std::vector<std::uint64_t> at = chosen().indices(member);
    for (std::size_t k = 0; k < at.size(); ++k) out.push_back(chosen().varied[k].written(at[k]));
    return out;
  }

  bool keep(SweepMember member) {
    ++result_.members;
    if (statistics_ && member.reason.empty()) statistics_->add(member);
    if (!member.reason.empty()) {
      ++result_.failed;
      const std::string key = member.diagnostic->code;
      const auto [at, fresh] = kinds_.try_emplace(key, result_.failures.size());
      if (fresh) result_.failures.push_back({member.reason, 0, member.number});
      ++result_.failures[at->second].members;
    }
    if (!whole_)  // otherwise these are the members of a part
      member.varied = written_values(member.number - 1);
    if (observer_) return observer_(member);
    result_.rows.push_back(std::move(member));
    return true;
  }

  const SweepOptions& options_;
  const SweepObserver& observer_;
  SweepResult result_;
  std::vector<std::pair<std::string, double>> fixed_;
  std::string name_, folder_;  // name and folder of the text
  const SweepInfo* whole_ = nullptr;
  Compilation c_;
  formulate::FormulateOptions options_of_kernel_;
  std::optional<SweepPlan> plan_;
  std::map<std::string, std::size_t> kinds_;
  std::optional<SweepStatistics> statistics_;
  std::unique_ptr<NativeCode> native_;
};

}  // namespace
}  // namespace api

namespace {

// A sweep may compile its text several times; the host is asked for each file once.
SweepOptions asking_once(const SweepOptions& options) {
  SweepOptions out = options;
  if (!options.compile.loader) return out;
  const auto files = std::make_shared<LoadedFiles>(options.compile.loader);
  out.compile.loader = [files](const std::string& file) { return files->text(file); };
  return out;
}

}  // namespace

SweepResult sweep_text(const std::string& text, const std::string& name, const SweepOptions& options,
                       const SweepObserver& observer) {
  const kernel::StrictFloatingPoint strict;
  return api::SweepRun(asking_once(options), observer).run(text, name, options.compile.folder);
}

SweepResult sweep(const std::string& path, const SweepOptions& options, const SweepObserver& observer) {
  const kernel::StrictFloatingPoint strict;
  const SweepOptions once = asking_once(options);
  api::SweepRun run(once, observer);
  std::string text, error;
  if (!read_file(path, text, error)) return run.cannot_read(path, error);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return run.run(text, path, !options.compile.folder.empty() ? options.compile.folder : folder.empty() ? "." : folder);
}

}  // namespace mbc
