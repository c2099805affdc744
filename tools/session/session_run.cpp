// SPDX-License-Identifier: Apache-2.0
// `run` in a session: the motion continues from the present state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/numbers.h"
#include "base/text.h"
#include "mbc/scene.h"
#include "tools/session/session.h"
#include "tools/session/session_lines.h"
#include "tools/session/values.h"

namespace mbc::tools {
namespace {

constexpr double kDefaultStep = 0.001;
constexpr double kWhole = 1e-6;  // a span may differ from a whole number of steps by this fraction of a step
constexpr const char* kSimulation = "session_run";

std::string with_unit(double value, const std::string& unit) { return text::number(value) + unit_text(unit); }

// Returns the time span of the first simulate block, which a session runs.
std::optional<TimeSpan> block_span(const Model& model) {
  const std::vector<std::string> blocks = model.simulations();
  return blocks.empty() ? std::nullopt : model.time_span(blocks.front());
}

// Returns why there is no motion yet.
std::string nothing_moves(const Model& model) {
  for (const DiagnosticInfo& d : model.diagnostics())
    if (d.code == "E0524") return "note: " + d.message + " yet: with one that does the model is whole";
  return "nothing moves yet: declare a particle, for example `particle p(1) at (0, 0, 1)`";
}

// Returns the largest residual of all constraints, with its row.
std::string residual_line(const RunResult& result) {
  double largest = -1;
  std::string text;
  const auto look = [&](const ConstraintReport& row, const std::optional<double>& value, const char* level) {
    if (!value || *value <= largest) return;
    largest = *value;
    text = fmt::format("largest residual {} ({}, {} level)\n", text::short_number(*value, 3), row.name, level);
  };
  for (const ConstraintReport& row : result.constraints) {
    look(row, row.position, "position");
    look(row, row.velocity, "velocity");
  }
  return text;
}

std::string steps_text(const RunResult& result, const TimeSpan& span, const std::string& unit_text) {
  if (result.adaptive) return fmt::format("{} steps", result.steps);
  std::string text = fmt::format("{} steps of {}{}", result.steps, text::short_number(span.step), unit_text);
  if (result.last_step > 0) text += fmt::format(", the last one of {}", text::short_number(result.last_step, 6));
  return text;
}

std::string summary(const RunResult& result, const TimeSpan& span, const std::string& unit) {
  const std::string unit_text = unit.empty() ? "" : " " + unit;
  std::string text = fmt::format("t = {} .. {}{}, {}: {}, {}, {}\n", text::short_number(span.begin),
                                 text::short_number(result.reached), unit_text, steps_text(result, span, unit_text),
                                 result.integrator, result.formulation, result.stabilise);
  if (!result.assembled.empty()) text += "assembled: " + moves_text(result.assembled) + "\n";
  text += residual_line(result);
  if (!result.dependent_rows.empty()) text += fmt::format("dependent rows: {}\n", joined(result.dependent_rows));
  for (const RankChange& change : result.rank_changes) {
    text += fmt::format("rank {} -> {} at t = {} ({})\n", change.before, change.after, text::short_number(change.time),
                        joined(change.rows));
  }
  if (result.status == Status::interrupted) text += "interrupted; `run` goes on from here\n";
  return text;
}

}  // namespace

std::optional<double> Session::number(const std::string& expression, Answer& answer) {
  const Result<Evaluated> found = value(expression);
  if (found && found->values.size() == 1 && found->values.front() > 0) return found->values.front();
  answer = refuse(found ? "`" + expression + "` is " + shown(*found) + ", not a time to go on for"
                        : translate_lines(found.error().message, kAllEarlier));
  return std::nullopt;
}

std::optional<TimeSpan> Session::span_of(const RunRequest& request, Answer& answer) {
  const std::optional<TimeSpan> block = block_span(model_);
  if (request.duration.empty() && request.steps == 0 && !block) {
    answer = refuse("how long? for example `run 5`, or `run 5 step 0.001`");
    return std::nullopt;
  }
  const std::optional<double> step =
      request.step.empty() ? (block ? block->step : kDefaultStep) : number(request.step, answer);
  if (!step) return std::nullopt;
  if (request.steps > 0) return TimeSpan{time_, time_ + request.steps * *step, *step};
  const std::optional<double> duration =
      request.duration.empty() ? block->end - block->begin : number(request.duration, answer);
  if (!duration) return std::nullopt;
  const double steps = *duration / *step;
  // A step of the user is kept, with a shorter last one; the default step is adjusted a little.
  if (request.step.empty())
    return TimeSpan{time_, time_ + *duration, *duration / std::max(1.0, std::ceil(steps - kWhole))};
  if (steps < 1 - kWhole) {
    answer = refuse(fmt::format("a step of {} is longer than the time of {}", text::short_number(*step),
                                text::short_number(*duration)));
    return std::nullopt;
  }
  return TimeSpan{time_, time_ + *duration, *step};
}

// Returns the session's model with this time: its first simulate block is changed, or a block is added.
Model Session::model_for(const TimeSpan& span, std::string& simulation) const {
  const std::vector<std::string> blocks = model_.simulations();
  const std::string begin = text::number(span.begin);
  const std::string end = text::number(span.end);
  const std::string step = text::number(span.step);
  if (!blocks.empty()) {
    simulation = blocks.front();
    std::vector<std::string> set = set_;
    set.insert(set.end(), {"time.begin=" + begin, "time.end=" + end, "time.step=" + step});
    return compile(text(), set);
  }
  simulation = kSimulation;
  const std::string unit = model_.time_unit();
  return compile(
      text() + fmt::format("simulate {} {{ time = {} .. {} step {} }}\n", kSimulation, with_unit(span.begin, unit),
                           with_unit(span.end, unit), with_unit(span.step, unit)),
      set_);
}

Answer Session::run(const RunRequest& request) {
  if (!moves()) return refuse(nothing_moves(model_));
  Answer answer;
  const std::optional<TimeSpan> span = span_of(request, answer);
  if (!span) return answer;
  RunOptions options;
  const Model model = model_for(*span, options.simulation);
  Result<Simulation> simulation = Simulation::create(model, options.simulation);
  if (!simulation) return {false, "", translate_lines(simulation.error().message + "\n", kAllEarlier)};
  options.assemble = request.assemble;
  options.stop = request.stop;
  options.span = {span->begin, span->end};
  if (moved_) {
    options.state = state_;
    take_held(*simulation);
  }
  if (request.progress) options.progress = [&](double t) { request.progress(t, span->begin, span->end); };
  const std::vector<std::string> discrete = simulation->discrete_names();
  trajectory_.begin({model_, statements_, compile_options(set_)}, span->begin, discrete);
  Recording recording;
  recording.begin(*simulation);
  const std::vector<SceneArrow>& arrows = recording.scene().arrows;
  options.multipliers = std::any_of(arrows.begin(), arrows.end(),
                                    [](const SceneArrow& a) { return a.kind == SceneArrow::Kind::reaction; });
  options.on_event = [&](double t, const std::string& event) {
    trajectory_.event(t, event);
    recording.event(t, event);
  };
  const RunResult result = simulation->run(options, [&](const Row& row) {
    trajectory_.row(row.time, row.state, row.inputs.last(discrete.size()));
    recording.row(row);
    return true;
  });
  recording.finish();
  if (!recording.times().empty()) recording_ = std::move(recording);
  answer.ok = result.status == Status::complete || result.status == Status::interrupted;
  answer.messages = translate_lines(result.rendered, kAllEarlier);
  if (result.status == Status::inconsistent || result.status == Status::model_error) return answer;
  take_result(result, *simulation);
  answer.messages += summary(result, *span, model.time_unit());
  if (!model.save_path(options.simulation).empty())
    answer.messages += "note: `save` is left to `mbc run`; nothing was written\n";
  return answer;
}

void Session::take_result(const RunResult& result, Simulation& simulation) {
  last_run_ = result;
  if (result.state.size() == state_.size()) {  // otherwise it was interrupted before its first state
    state_ = result.state;
    time_ = result.reached;
  }
  moved_ = true;
  held_.clear();
  for (const std::string& name : simulation.held_names())
    if (const Result<double> value = simulation.held(name)) held_.emplace_back(name, *value);
  take_held(*simulation_);
}

}  // namespace mbc::tools
