// SPDX-License-Identifier: Apache-2.0
#include "api/settings.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"

namespace mbc::api {

using settings::Argument;

std::string choice_text(const char* method, const sema::Arguments& arguments) {
  std::string out = method;
  if (arguments.given.empty()) return out;
  out += "(";
  for (std::size_t k = 0; k < arguments.given.size(); ++k) {
    const auto& [argument, value] = arguments.given[k];
    const std::string name = settings::to_text(argument);
    const bool word = argument == Argument::literal || argument == Argument::fixed;
    out += (k ? ", " : "") + (word ? name : name + " = " + text::number(value));
  }
  return out + ")";
}

namespace {

runtime::Integrator integrator_of(const sema::Choice<settings::Integrator>& choice) {
  switch (choice.method) {
    case settings::Integrator::rk4:
      return runtime::Integrator::rk4;
    case settings::Integrator::ab4:
      return runtime::Integrator::ab4;
    case settings::Integrator::dopri5:
      break;
  }
  return choice.find(Argument::fixed) ? runtime::Integrator::dopri5_fixed : runtime::Integrator::dopri5;
}

runtime::Stabilisation stabilisation_of(settings::Stabilisation method) {
  switch (method) {
    case settings::Stabilisation::project:
      return runtime::Stabilisation::project;
    case settings::Stabilisation::none:
      return runtime::Stabilisation::none;
    case settings::Stabilisation::baumgarte:
      return runtime::Stabilisation::baumgarte;
    case settings::Stabilisation::partition:
      break;
  }
  return runtime::Stabilisation::partition;
}

// The arguments that a method has and that were not given, with their defaults.
template <class Method>
std::string full_text(sema::Choice<Method> choice, std::initializer_list<Argument> arguments) {
  for (const Argument a : arguments)
    if (!choice.find(a)) choice.given.emplace_back(a, choice.value(a));
  return choice_text(choice);
}

}  // namespace

void choose_methods(const sema::Simulation& s, runtime::SimulateOptions& o) {
  o.integrator = integrator_of(s.integrator);
  if (s.integrator.method == settings::Integrator::dopri5) {
    o.control.rtol = s.integrator.value(Argument::rtol);
    o.control.atol = s.integrator.value(Argument::atol);
    o.control.max_step = s.integrator.value(Argument::max_step);
    o.control.initial_step = s.integrator.value(Argument::initial_step);
  }
  o.stabilisation = stabilisation_of(s.stabilise.method);
  switch (s.stabilise.method) {
    case settings::Stabilisation::project:
    case settings::Stabilisation::partition:
      o.tolerance = s.stabilise.value(Argument::tol);
      break;
    case settings::Stabilisation::baumgarte:
      o.alpha = s.stabilise.value(Argument::alpha);
      o.beta = s.stabilise.value(Argument::beta);
      break;
    case settings::Stabilisation::none:
      break;
  }
}

runtime::SimulateOptions settings_of(const sema::Simulation& s, const RunOptions& options) {
  runtime::SimulateOptions o;
  o.begin = options.span ? options.span->first : s.begin;
  const double end = options.span ? options.span->second : s.end;
  o.steps = static_cast<std::uint64_t>(std::llround(std::max(1.0, (end - o.begin) / s.step)));
  o.step = options.span ? (end - o.begin) / static_cast<double>(o.steps) : s.step;
  choose_methods(s, o);
  o.literal = s.formulation.find(Argument::literal).has_value();
  o.rank_tolerance = s.formulation.value(Argument::rank_tol);
  o.assemble = s.assemble || options.assemble;
  o.output_every = std::max<std::uint32_t>(1, options.output_every);
  o.stop = options.stop;
  o.progress = options.progress;
  o.drive = options.drive;
  return o;
}

double expected_calls(const runtime::SimulateOptions& o) {
  using runtime::Integrator;
  const double a_step = o.integrator == Integrator::rk4            ? 4
                        : o.integrator == Integrator::ab4          ? 1
                        : o.integrator == Integrator::dopri5_fixed ? 6
                                                                   : 0;
  return o.literal ? 0 : a_step * static_cast<double>(o.steps);
}

// The choice with the defaults of what was not written.
std::string integrator_text(const sema::Simulation& s) {
  const bool adaptive = s.integrator.method == settings::Integrator::dopri5 && !s.integrator.find(Argument::fixed);
  return adaptive ? full_text(s.integrator, {Argument::rtol, Argument::atol}) : choice_text(s.integrator);
}

std::string stabilise_text(const sema::Simulation& s) {
  switch (s.stabilise.method) {
    case settings::Stabilisation::project:
    case settings::Stabilisation::partition:
      return full_text(s.stabilise, {Argument::tol});
    case settings::Stabilisation::baumgarte:
      return full_text(s.stabilise, {Argument::alpha, Argument::beta});
    case settings::Stabilisation::none:
      break;
  }
  return choice_text(s.stabilise);
}

void describe_speeds(Compilation& c, const runtime::ModelInfo& info, const formulate::Formulation& method,
                     const runtime::RunData& data, RunResult& result) {
  const runtime::SpeedChoice& choice = data.first_choice;
  const auto& user = c.model.quasi_velocities;
  for (std::uint32_t k = 0; k < choice.count; ++k) {
    const auto code = static_cast<std::size_t>(choice.y[k]);
    result.independent_speeds.push_back(code < info.speeds.size() ? info.speeds[code].name.text()
                                                                  : user[code - info.speeds.size()].name);
    if (!user.empty() && code < info.speeds.size()) result.speeds_completed.push_back(info.speeds[code].name);
  }
  for (std::uint32_t k : choice.left_out) result.speeds_left_out.push_back(user[k].name);
  result.speed_renewals = data.speed_renewals;
  for (const lower::MomentumDirection& d : mbc::momenta_for(c, method)) result.momenta_kept.push_back(d.name);
}

}  // namespace mbc::api
