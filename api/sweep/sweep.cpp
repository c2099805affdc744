// SPDX-License-Identifier: Apache-2.0
// mbc::sweep: compiles once, shares the code among threads, hands the members to the caller in order.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "api/initial.h"
#include "api/model_info.h"
#include "api/native_code.h"
#include "api/settings.h"
#include "api/sweep/sweep_member.h"
#include "api/sweep_info.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/read_file.h"
#include "jit/object_cache.h"
#include "kernel/floating_point.h"
#include "runtime/rows/threads.h"

namespace mbc {

namespace api {

SweepInfo sweep_info(const sema::Model& model, const sema::Sweep& s) {
  SweepInfo out;
  out.name = s.name;
  out.simulation = model.simulations[s.simulation].name;
  out.members = s.members();
  const auto unit = [&](const sema::Dimension& d) { return model.has_units ? sema::to_text(d) : ""; };
  for (const sema::Varied& v : s.varied)
    out.varied.push_back({{v.name, unit(v.dimension), v.input ? model.inputs[v.index].doc : model.params[v.index].doc},
                          v.count,
                          v.value(0),
                          v.value(v.count - 1),
                          !v.list.empty()});
  for (const sema::SweepRecord& r : s.records) out.records.push_back({r.name, unit(r.dimension), ""});
  return out;
}

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Numbers of members go out, results come back in any order and leave in order. A thread that is far ahead of the
// slowest one waits, so that the results that wait for theirs stay few.
class Conveyor {
 public:
  Conveyor(std::uint64_t members, unsigned jobs) : members_(members), window_(std::max(256u, 16 * jobs)) {}

  struct Group {
    std::uint64_t first = 0, count = 0;  // none when there are no more
  };
  // The next members, `size` of them or those that are left.
  Group next(std::uint64_t size) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || next_ == members_ || next_ < taken_ + window_; });
    if (stopped_ || next_ == members_) return {};
    const Group group{next_, std::min(size, members_ - next_)};
    next_ += group.count;
    return group;
  }

  void put(std::uint64_t first, std::vector<SweepMember> results) {
    const std::lock_guard lock(mutex_);
    for (SweepMember& result : results) done_.emplace(result.number - 1, std::move(result));
    if (first == taken_) changed_.notify_all();
  }

  // The next result in order; nothing when `wait` has passed without one.
  std::optional<SweepMember> take(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    const auto ready = [&] { return failure_ || (!done_.empty() && done_.begin()->first == taken_); };
    if (!changed_.wait_for(lock, wait, ready)) return {};
    if (failure_) std::rethrow_exception(failure_);
    SweepMember out = std::move(done_.begin()->second);
    done_.erase(done_.begin());
    if (next_ >= taken_++ + window_) changed_.notify_all();
    return out;
  }

  [[nodiscard]] bool complete() const { return taken_ == members_; }  // for the one who takes

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  // What no member can recover from (memory); thrown to the one who takes.
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::uint64_t members_, window_;
  std::uint64_t next_ = 0, taken_ = 0;
  std::map<std::uint64_t, SweepMember> done_;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

class SweepRun {
 public:
  SweepRun(const SweepOptions& options, const SweepObserver& observer) : options_(options), observer_(observer) {}

  SweepResult run(const std::string& text, const std::string& name, const std::string& folder) {
    const auto begin = Clock::now();
    if (!compile(text, name, folder)) return std::move(result_);
    if (!check_native()) return std::move(result_);
    describe();
    if (options_.begin) options_.begin(result_.sweep);
    std::optional<kernel::StepShape> shape;
    if (result_.sweep.members > 1 && runtime::steps_in_lanes(plan_->settings, plan_->info)) {
      shape = runtime::step_shape(plan_->settings, plan_->info);
      shape->extremes = plan_->extremes();
      // a row of every member after every step leaves nothing for the lanes
      if (plan_->settings.rows_between && shape->extremes.empty()) shape.reset();
    }
    SweepCode code(c_.system, options_of_kernel_, std::move(shape), native_.get(), options_.compile.native_at_once);
    const double calls = expected_calls(plan_->settings) * static_cast<double>(result_.sweep.members);
    std::vector<std::unique_ptr<SweepWorker>> workers;
    for (unsigned k = 0; k < result_.jobs; ++k)
      workers.push_back(std::make_unique<SweepWorker>(*plan_, c_.model, code, calls, result_.jobs));
    result_.compile_seconds = since(begin);
    const auto started = Clock::now();
    members(workers);
    result_.wall_seconds = since(started);
    for (const PassTime& t : c_.times) result_.stages.push_back({t.name, t.seconds, t.background});
    result_.engine = engine_text(engines_of(workers), native_.get());
    for (const auto& worker : workers) {
      result_.steps_together += worker->steps_together();
      result_.steps_alone += worker->steps_alone();
    }
    if (!native_) return std::move(result_);
    for (const PassTime& t : native_->times()) result_.stages.push_back({t.name, t.seconds, t.background});
    return std::move(result_);
  }

  SweepResult cannot_read(const std::string& path, const std::string& error) {
    c_.sink.report(Kind::cannot_read, Span{}, printable(path), error);
    report();
    return std::move(result_);
  }

 private:
  // The model in the form its run wants, with what is recorded behind its outputs.
  bool compile(const std::string& text, const std::string& name, const std::string& folder) {
    result_.source_text = text;
    if (!options_.compile.interpret) {
      NativeCode::Options how;
      how.optimise = options_.compile.optimise;
#ifdef MBC_HAVE_JIT
      if (options_.compile.cache) how.cache = jit::cache_folder();
#endif
      native_ = std::make_unique<NativeCode>(std::move(how));
      if (options_.compile.native_at_once) native_->open();
    }
    PipelineOptions pipeline;
    pipeline.set = options_.compile.set;
    pipeline.library = {folder, options_.compile.stdlib};
    pipeline.sweep = SweepTexts{options_.name, options_.vary, options_.record};
    c_ = mbc::analyse(name, text, pipeline);
    if (c_.ok() && simulation().bodies.method != c_.model.bodies_default) {
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
    const sema::Sweep& sweep = chosen();
    c_.model.probes = sweep.probes;
    c_.model.run_values = sweep.run_values;
    if (!sweep.probes.empty()) c_.system = lower::lower(c_.model, true);
    return true;
  }

  // Whether native code is there where it was demanded.
  bool check_native() {
    std::string error;
    if (!native_ || !options_.compile.native_at_once || native_->engine(error)) return true;
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

  void describe() {
    const sema::Simulation& s = simulation();
    RunOptions run;
    run.assemble = options_.assemble;
    run.stop = options_.stop;
    plan_.emplace(SweepPlan{c_, chosen(), api::describe(c_.model), settings_of(s, run), {}, {}});
    plan_->info.failed_item = [this](const runtime::FailedOperation& f) { return failed_item(c_, f); };
    // between the first and the last row only extreme values are looked for
    plan_->settings.rows_between =
        !plan_->extremes().empty() ||
        (chosen().records.empty() && !plan_->info.quaternion_outputs.empty());  // their sign follows the rows before
    result_.sweep = sweep_info(c_.model, chosen());
    if (chosen().records.empty()) record_columns();
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
    result_.jobs = static_cast<unsigned>(std::min<std::uint64_t>(jobs, result_.sweep.members));
  }

  // Without expressions: the last values of the outputs, or of all columns.
  void record_columns() {
    using Kind = runtime::ModelInfo::Recorded::Kind;
    const runtime::ModelInfo& info = plan_->info;
    const bool outputs = std::any_of(c_.model.outputs.begin(), c_.model.outputs.end(),
                                     [](const sema::Output& o) { return !o.of_follower; });
    for (std::size_t k = 0; k < info.columns.size(); ++k) {
      const auto& [kind, index] = info.columns[k];
      if (outputs && (kind != Kind::output || c_.model.outputs[index].of_follower)) continue;
      const runtime::ColumnInfo column = info.column(k);
      plan_->columns.push_back(k);
      result_.sweep.records.push_back({column.name, column.unit, column.description});
    }
  }

  // Of all workers together.
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
    Conveyor conveyor(result_.sweep.members, result_.jobs);
    std::vector<std::jthread> threads;
    const std::shared_ptr<void> end(nullptr, [&](void*) { conveyor.stop(); });  // also when the caller throws
    const std::uint64_t share = (result_.sweep.members + result_.jobs - 1) / result_.jobs;
    const std::uint64_t size = std::min(workers.front()->group(), share);
    for (auto& worker : workers) {
      try {
        threads.emplace_back([&conveyor, size, w = worker.get()] { work(conveyor, size, *w); });
      } catch (const std::system_error& e) {  // those that are there do
        if (!threads.empty()) break;
        result_.status = Status::no_threads;
        result_.rendered += std::string("there is no thread to run on: ") + e.what() + "\n";
        return;
      }
    }
    result_.jobs = static_cast<unsigned>(threads.size());
    while (!conveyor.complete()) {
      std::optional<SweepMember> member = conveyor.take(std::chrono::milliseconds(50));
      const bool stop = options_.stop && *options_.stop;
      if (stop) conveyor.stop();
      if ((stop && !member) || (member && member->status == Status::interrupted)) {
        result_.status = Status::interrupted;
        break;
      }
      if (options_.progress)
        options_.progress(static_cast<double>(result_.members) / static_cast<double>(result_.sweep.members));
      if (member && !keep(std::move(*member))) {
        result_.status = Status::output_failed;
        break;
      }
    }
  }

  bool keep(SweepMember member) {
    ++result_.members;
    if (!member.reason.empty()) {
      ++result_.failed;
      const std::string key = member.diagnostic->code;
      const auto [at, fresh] = kinds_.try_emplace(key, result_.failures.size());
      if (fresh) result_.failures.push_back({member.reason, 0, member.number});
      ++result_.failures[at->second].members;
    }
    if (observer_) return observer_(member);
    result_.rows.push_back(std::move(member));
    return true;
  }

  const SweepOptions& options_;
  const SweepObserver& observer_;
  SweepResult result_;
  Compilation c_;
  formulate::FormulateOptions options_of_kernel_;
  std::optional<SweepPlan> plan_;
  std::map<std::string, std::size_t> kinds_;
  std::unique_ptr<NativeCode> native_;
};

}  // namespace
}  // namespace api

SweepResult sweep_text(const std::string& text, const std::string& name, const SweepOptions& options,
                       const SweepObserver& observer) {
  const kernel::StrictFloatingPoint strict;
  return api::SweepRun(options, observer).run(text, name, options.compile.folder);
}

SweepResult sweep(const std::string& path, const SweepOptions& options, const SweepObserver& observer) {
  const kernel::StrictFloatingPoint strict;
  api::SweepRun run(options, observer);
  std::string text, error;
  if (!read_file(path, text, error)) return run.cannot_read(path, error);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return run.run(text, path, !options.compile.folder.empty() ? options.compile.folder : folder.empty() ? "." : folder);
}

}  // namespace mbc
