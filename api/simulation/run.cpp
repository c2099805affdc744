// SPDX-License-Identifier: Apache-2.0
// Simulation::run(): choose the block, configure the run, run it, report.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "api/model/initial.h"
#include "api/model/settings.h"
#include "api/simulation/run_report.h"
#include "api/simulation/saved.h"
#include "api/simulation/simulation_impl.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/stop_flag.h"
#include "base/text.h"
#include "runtime/record/two_runs.h"

namespace mbc {

namespace {

// Returns the block to run; null if there is none, with the reason in `why`.
const sema::Simulation* choose(const std::vector<sema::Simulation>& list, const std::string& name, Diagnostic& why) {
  if (list.empty()) {
    why.kind = Kind::no_simulation;
    why.help = "add for example `simulate { time = 0 .. 10 step 0.001 }`";
    return nullptr;
  }
  if (const sema::Simulation* found = api::block_named(list, name)) return found;
  std::string names;
  for (const sema::Simulation& s : list)
    names += (names.empty() ? "" : ", ") + (s.name.empty() ? std::string("(unnamed)") : s.name);
  why.kind = Kind::which_simulation;
  why.args = {printable(name)};
  why.help = "the blocks are " + names;
  return nullptr;
}

class RunCall {
 public:
  RunCall(Simulation::Impl& impl, const RunOptions& options, const Observer& observer, bool finer = false,
          runtime::TwoRuns* runs = nullptr)
      : impl_(impl), options_(options), observer_(observer), finer_(finer), runs_(runs) {}

  RunResult make(runtime::CheckRun* checks) {
    if (!sensible() || !choose_block() || !configure(checks)) return std::move(result_);
    const auto begin = std::chrono::steady_clock::now();
    if (!start()) return std::move(result_);
    const runtime::RunData data = run();
    if (data.unread) {
      equations_->forget();
      refuse("these bytes hold no run of this model, or not the whole of one");
      return std::move(result_);
    }
    result_.engine = api::engine_text(equations_->engines().used(), impl_.variant().native());
    result_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    api::report({impl_, block_, settings_, *equations_, given_, held_}, data, result_);
    if (!data.cut_short)
      result_.state = std::move(y_);
    else if (!last_row_.empty()) {
      result_.state = std::move(last_row_);
      result_.reached = last_time_;
    }
    if (const Result<void> native = impl_.check_native(); !native) no_native_code(native.error());
    // Inputs that `drive` set in this run have their signals again.
    if (options_.drive) static_cast<void>(impl_.variant_for(block_));
    return std::move(result_);
  }

  [[nodiscard]] const runtime::SimulateOptions& settings() const { return settings_; }
  // The equations of the run that was made.
  [[nodiscard]] runtime::Equations& equations() const { return *equations_; }

 private:
  bool refuse(const std::string& text) {
    result_.status = Status::model_error;
    result_.rendered = text + "\n";
    return false;
  }
  bool refuse(const Error& error) {
    if (!error.diagnostics.empty()) result_.diagnostic = error.diagnostics.front();
    return refuse(error.message);
  }
  // Reports that a function of the run has no native code although it was demanded, now or later in the run.
  bool no_native_code(const Error& error) {
    refuse(error);
    result_.status = Status::no_native_code;
    return false;
  }
  [[nodiscard]] std::string rendered(const Diagnostic& d) const {
    return render_text(d, impl_.sources(), {impl_.variant().how().colour});
  }

  bool sensible() {
    if (options_.span && !(std::isfinite(options_.span->first) && std::isfinite(options_.span->second) &&
                           options_.span->first < options_.span->second))
      return refuse("a time span has a beginning and a later end, both finite");
    if (options_.output_every == 0)
      return refuse("output_every is 1 for every row, 2 for every other one, and never 0");
    if (!options_.state.empty() && !options_.span) return refuse("a state is given without the time span it begins");
    if (options_.global_error && (options_.drive || !options_.resume.empty()))
      return refuse("a second run, which tells the global error, cannot be driven nor resumed");
    for (std::size_t k = 0; k < options_.state.size(); ++k)
      if (!std::isfinite(options_.state[k]))
        return refuse("entry " + std::to_string(k) + " of the state is not finite");
    return true;
  }

  // Switches to the block and its variant.
  bool choose_block() {
    Diagnostic why;
    const std::string& name = options_.simulation.empty() ? impl_.block : options_.simulation;
    const sema::Simulation* found = choose(impl_.facts().simulations, name, why);
    if (!found && options_.span && impl_.facts().simulations.empty()) {
      block_ = api::usual_block();
      return true;
    }
    if (!found) {
      result_.status = Status::model_error;
      result_.diagnostic = to_info(why, impl_.sources());
      result_.rendered = rendered(why);
      return false;
    }
    block_ = *found;
    const Result<void> shaped = impl_.variant_for(block_, options_.drive != nullptr);
    return shaped.ok() || refuse(shaped.error());
  }

  bool configure(runtime::CheckRun* checks) {
    const double begin = options_.span ? options_.span->first : block_.begin;
    const double end = options_.span ? options_.span->second : block_.end;
    if (const Result<void> fit = impl_.check_values(); !fit) return refuse(fit.error());
    if (!((end - begin) / block_.step < 0x1p52)) return refuse("the time span is more than 2^52 steps long");
    settings_ = api::settings_of(block_, options_);
    settings_.whole = !options_.span;
    if (options_.global_error && !runtime::can_refine(settings_))
      return refuse(
          "a second run, which tells the global error, has a smaller tolerance, and there is none: "
          "compare with `integrator = taylor(tol = 1e-15)`, or tell the error of a larger tolerance");
    if (finer_) runtime::refine(settings_);
    if (checks) {
      settings_.watch = [checks](double t, bool last, const double* y, double* dy) { checks->row(t, last, y, dy); };
      settings_.watch_event = [checks](double t, std::uint32_t event, const double* y, double* dy) {
        checks->event(t, event, y, dy);
      };
    }
    if (!find_events()) return false;
    settings_.changed = &impl_.changed;
    y_ = options_.state.empty() ? impl_.written_state() : options_.state;
    const std::size_t size = impl_.variant().layout().n_y();
    if (y_.size() != size)  // of another representation of the bodies, for example
      return refuse("the state given has " + std::to_string(y_.size()) + " entries, that of the model " +
                    std::to_string(size));
    if (settings_.assemble) given_ = y_;
    held_ = options_.state.empty() ? impl_.discrete_at_start() : impl_.held;
    if (!options_.state.empty()) impl_.forget_contacts(held_);
    settings_.held = &held_;
    settings_.estimates_error = !finer_;
    impl_.complete_inertia(settings_.begin, y_);
    equations_ = checks ? &impl_.ready_for_checks() : &impl_.ready();
    if (const Result<void> native = impl_.check_native(); !native) return no_native_code(native.error());
    equations_->forget();  // a run does not depend on earlier calls
    equations_->set_inputs(impl_.inputs);
    name_choices();
    equations_->engines().forget_used();
    equations_->engines().expect_calls(api::expected_calls(settings_));
    settings_.fused = options_.multipliers ? nullptr : impl_.fused_for(settings_);  // which has no multipliers
    settings_.partials = [this]() -> const runtime::PartialsCode& {
      return impl_.variant().partials(settings_.partials_scope());
    };
    if (settings_.time_stepping && impl_.variant().facts().large) settings_.partials = nullptr;
    settings_.jets = [this](std::uint32_t order, bool all_rows) -> const runtime::JetCode& {
      return impl_.variant().jets(order, all_rows);
    };
    settings_.multipliers = options_.multipliers;
    settings_.row_state = &row_state_;
    if (options_.pause) settings_.pause = [this](const runtime::Pause& pause) { return at_pause(pause); };
    if (!options_.resume.empty() && !take_up()) return false;
    result_.engine = api::engine_text(equations_->engines().used(), impl_.variant().native());
    return true;
  }

  std::string at_pause(const runtime::Pause& pause) {
    std::function<std::string()> save;
    if (pause.save)
      save = [&] { return finer_ ? std::string() : api::checkpoint_bytes(impl_, named_, options_, pause.save()); };
    return options_.pause({pause.t, pause.steps, pause.ending, save});
  }

  bool take_up() {
    Result<std::string> run = api::run_in_checkpoint(impl_, named_, options_);
    if (!run) return refuse(run.error());
    saved_ = *std::move(run);
    settings_.resume = &saved_;
    return true;
  }

  bool find_events() {
    const std::vector<problem::Event>& list = impl_.facts().info.events.list;
    if (options_.on_event || runs_ != nullptr)
      settings_.on_event = [this, &list](double t, std::uint32_t event) {
        if (runs_ != nullptr && !list[event].timed()) runs_->event(t);
        if (options_.on_event) options_.on_event(t, list[event].name);
      };
    if (options_.until_event.empty()) return true;
    std::vector<std::string> names;
    for (std::uint32_t k = 0; k < list.size(); ++k) {
      if (!list[k].written()) continue;
      if (list[k].name == options_.until_event) settings_.until_event = k;
      names.push_back(list[k].name);
    }
    if (settings_.until_event) return true;
    return refuse_event(names);
  }

  // `names` are the names of the existing events.
  bool refuse_event(const std::vector<std::string>& names) {
    DiagnosticInfo why;
    why.severity = Severity::error;
    why.kind = "which_event";
    why.message = "the model has no event " + quoted(options_.until_event);
    constexpr std::size_t kShown = 12;
    const std::vector<std::string> some(names.begin(), names.begin() + std::min(kShown, names.size()));
    const std::string near = nearest(options_.until_event, names);
    if (!near.empty())
      why.help = "did you mean `" + near + "`?";
    else
      why.help = names.empty() ? "an event with a name is `when low: p.z falling { }`"
                               : "its events are " + joined(some) + (names.size() > kShown ? ", ..." : "");
    refuse("error: " + why.message + "\n     = help: " + why.help);
    result_.diagnostic = std::move(why);
    return false;
  }

  void name_choices() {
    result_.simulation = block_.name;
    result_.integrator = api::integrator_text(block_);
    result_.formulation = api::choice_text(block_.formulation);
    result_.stabilise = api::stabilise_text(block_);
    if (!settings_.time_stepping && !block_.integrator.written)
      result_.chosen_for_user.push_back("integrator = " + result_.integrator);
    if (!block_.formulation.written) result_.chosen_for_user.push_back("formulation = " + result_.formulation);
    const std::string bodies = to_text(impl_.facts().bodies);
    if (impl_.facts().has_bodies && block_.bodies.written) result_.formulation += ", bodies " + bodies;
    if (impl_.facts().bodies == settings::Representation::tree && !block_.bodies.written)
      result_.chosen_for_user.push_back("bodies = " + bodies);
    if (!block_.stabilise.written) result_.chosen_for_user.push_back("stabilise = " + result_.stabilise);
    result_.methods = api::methods_of(block_, impl_.facts().bodies);
    result_.begin = settings_.begin;
    result_.step = settings_.step;
    result_.end = settings_.end.value_or(settings_.begin + static_cast<double>(settings_.steps) * settings_.step);
    result_.row_times = settings_.row_times;
    if (settings_.end && settings_.row_times.empty())
      result_.last_step = *settings_.end - settings_.begin - static_cast<double>(settings_.steps - 1) * settings_.step;
    named_ = result_;
  }

  // Moves soft initial values onto the constraints, and with `assemble` all others. Parameters that were set may draw
  // the bodies of a tree anew.
  bool start() {
    if (!options_.state.empty()) return true;
    if (!impl_.facts().soft_values && !settings_.assemble && !impl_.is_drawn_anew()) return true;
    result_.reached = settings_.begin;
    const InitialState begun = impl_.initial(settings_.begin, settings_.assemble, settings_.stop);
    const bool consistent = api::take(begun, y_, result_);
    if (consistent && !impl_.facts().soft_values && !begun.moved.empty()) api::name_assembly(result_, begun.distance);
    if (consistent || !is_set(settings_.stop)) return consistent;
    result_.status = Status::interrupted;
    result_.diagnostic.reset();
    result_.rendered.clear();
    return false;
  }

  runtime::RunData run() {
    // The effects of `drive` end with the run, even if the observer throws an exception.
    struct Busy {
      Simulation::Impl& impl;
      runtime::Equations& equations;
      Busy(Simulation::Impl& i, runtime::Equations& e) : impl(i), equations(e) {
        impl.running = true;
        impl.changed = false;
      }
      Busy(const Busy&) = delete;
      Busy& operator=(const Busy&) = delete;
      ~Busy() {
        impl.running = false;
        equations.set_inputs(impl.inputs);
      }
    } const busy(impl_, *equations_);
    return runtime::simulate(
        *equations_, impl_.facts().info, settings_, y_, [&](double t, std::span<const double> values) {
          if (is_set(settings_.stop)) note_row(t);
          return impl_.check_native().ok() &&
                 (!observer_ || observer_({t, values, row_state_, multipliers(), equations_->inputs()}));
        });
  }

  // Keeps a row as the final state of a run that is ended at one of the rows of a step.
  void note_row(double t) {
    last_time_ = t;
    last_row_.assign(row_state_.begin(), row_state_.end());
  }

  [[nodiscard]] std::span<const double> multipliers() const {
    if (!options_.multipliers || equations_->beyond_dense()) return {};
    return {equations_->lambda(), equations_->layout().n_rows};
  }

  Simulation::Impl& impl_;
  const RunOptions& options_;
  const Observer& observer_;
  const bool finer_;              // it is the second run, which estimates the error of the first
  runtime::TwoRuns* const runs_;  // both runs; null if this is the only one
  RunResult result_;
  RunResult named_;    // the result before the run
  std::string saved_;  // the bytes of the run to continue
  sema::Simulation block_;
  runtime::SimulateOptions settings_;
  runtime::Equations* equations_ = nullptr;
  std::vector<double> y_, given_, held_;
  std::span<const double> row_state_;  // state of the current row
  std::vector<double> last_row_;
  double last_time_ = 0;
};

}  // namespace

RunResult Simulation::Impl::run(const RunOptions& options, const Observer& observer, runtime::CheckRun* checks) {
  return options.global_error ? run_twice(options, observer) : RunCall(*this, options, observer).make(checks);
}

RunResult Simulation::Impl::run_twice(const RunOptions& options, const Observer& observer) {
  const std::unique_ptr<Impl> other = copy();
  other->held = held;
  runtime::TwoRuns runs;
  const Observer both = [&](const Row& row) {
    runs.first(row.time, row.state);
    return !observer || observer(row);
  };
  RunCall first(*this, options, both, false, &runs);
  RunResult result = first.make(nullptr);
  if (result.status != Status::complete) return result;
  RunOptions finer = options;
  finer.global_error = finer.multipliers = false;
  finer.on_event = nullptr;
  const Observer compare = [&](const Row& row) {
    runs.second(row.time, row.state);
    return true;
  };
  RunCall call(*other, finer, compare, true, &runs);
  const RunResult second = call.make(nullptr);
  const runtime::FarthestApart apart =
      runs.found(call.equations(), other->facts().info, result.reached - result.begin, first.settings().control.rtol);
  result.global_error = GlobalError{runtime::refined_text(call.settings()),
                                    apart.rows,
                                    apart.relative,
                                    apart.absolute,
                                    apart.name,
                                    apart.time,
                                    second.diagnostic};
  return result;
}

}  // namespace mbc
