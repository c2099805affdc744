// SPDX-License-Identifier: Apache-2.0
#include "api/model/settings.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/copy_members.h"
#include "base/numbers.h"
#include "base/time_steps.h"
#include "compiler/sema/watched/kinks.h"

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

// Returns the choice with all its arguments; those that were not given have their defaults.
template <class Method>
std::string full_text(sema::Choice<Method> choice, std::initializer_list<Argument> arguments) {
  for (const Argument a : arguments)
    if (!choice.find(a)) choice.given.emplace_back(a, choice.value(a));
  return choice_text(choice);
}

// Fractions of the tolerance of `auto`: the error of one step is smaller, since the errors of many steps add up, but
// not so small that rounding matters: from kRoundedFrom on it falls as the third root, to the least tolerance itself.
constexpr double kOfOneStep = 0.01;
constexpr double kRoundedFrom = 1e-11;

double of_one_step(double tolerance) {
  return kOfOneStep * (tolerance < kRoundedFrom ? kRoundedFrom * std::cbrt(tolerance / kRoundedFrom) : tolerance);
}

// Returns whether errors are relative to the sizes of the model: the choice has `tol` instead of rtol and atol then.
bool is_by_sizes(Integrator method) {
  const auto& all = settings::choices(settings::Key::integrator)[static_cast<std::size_t>(method)].arguments;
  return std::any_of(all.begin(), all.end(), [](const auto& a) { return a.argument == Argument::tol; });
}

// Sets the tolerances of a method that controls its error.
void choose_control(const sema::Choice<settings::Integrator>& choice, runtime::StepSettings& control) {
  const bool by_sizes = is_by_sizes(choice.method), series = choice.method == Integrator::taylor;
  control.order = settings::info_of(choice.method).order;
  control.by_sizes = by_sizes;
  control.rtol = choice.value(by_sizes ? Argument::tol : Argument::rtol);
  control.tolerance = control.rtol;
  // A series has no stages whose differences would be dominated by rounding.
  if (by_sizes) control.rtol = series ? kOfOneStep * control.rtol : of_one_step(control.rtol);
  if (!by_sizes) control.atol = choice.value(Argument::atol);
  control.max_step = choice.value(Argument::max_step);
  if (!series) control.initial_step = choice.value(Argument::initial_step);
}

}  // namespace

void choose_methods(const sema::Simulation& s, runtime::SimulateOptions& o) {
  o.integrator = s.integrator.method == Integrator::automatic ? Integrator::dop853 : s.integrator.method;
  o.fixed_steps = s.integrator.find(Argument::fixed).has_value();
  o.integrator_at = s.integrator.span;
  if (o.chooses_steps()) choose_control(s.integrator, o.control);
  o.stabilisation = s.stabilise.method;
  o.stop_at_singular = s.at_singular.method == settings::AtSingular::stop;
  // Steps of fixed size end at discontinuities only if the model says so, so that sweeps and fused steps do not change.
  o.locates_kinks = sema::locates_kinks(s);
  o.rows_of_events = s.rows.method == settings::Rows::events;
  o.impact = s.impact.method;
  o.unique_reactions = s.reactions.method == settings::Reactions::unique;
  o.shares_accepted = s.reactions.written;
  o.time_stepping = s.contact.method == settings::Contact::timestep;
  if (o.time_stepping) o.integrator = Integrator::rk4;  // selects its loop; the steps are different ones
  o.formulation_at = s.formulation.span;
  if (o.time_stepping) o.contact_tolerance = s.contact.value(Argument::tol);
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

namespace {

// Lists the rows at the times of the block; for another span, those within it.
void list_rows(const sema::Simulation& s, double end, runtime::SimulateOptions& o) {
  if (s.row_times.empty() || !(end > o.begin)) return;
  o.row_times.push_back(o.begin);
  for (const double t : s.row_times)
    if (t > o.begin && t < end) o.row_times.push_back(t);
  o.row_times.push_back(end);
  const TimeSteps rows = TimeSteps::at(o.row_times);
  o.step = rows.step;
  o.steps = rows.count;
  o.end = end;
}

}  // namespace

runtime::SimulateOptions settings_of(const sema::Simulation& s, const RunOptions& options) {
  runtime::SimulateOptions o;
  o.begin = options.span ? options.span->first : s.begin;
  const double end = options.span ? options.span->second : s.end;
  const TimeSteps steps = TimeSteps::over(o.begin, end, s.step);
  o.step = steps.step;
  o.steps = steps.count;
  o.end = steps.end;
  choose_methods(s, o);
  list_rows(s, end, o);
  o.literal = s.formulation.find(Argument::literal).has_value();
  o.rank_tolerance = s.formulation.value(Argument::rank_tol);
  o.assemble = s.assemble || options.assemble;
  MBC_COPY_MEMBERS(o, options, output_every, stop, progress, drive);
  return o;
}

double expected_calls(const runtime::SimulateOptions& o) {
  if (o.literal || o.chooses_steps()) return 0;
  return settings::info_of(o.integrator).calls * static_cast<double>(o.steps);
}

// Returns the choice with the defaults of unwritten arguments.
std::string integrator_text(const sema::Simulation& s) {
  if (s.contact.method == settings::Contact::timestep) return "time steps of Moreau's kind";
  const Integrator method = s.integrator.method;
  if (is_by_sizes(method)) return full_text(s.integrator, {Argument::tol});
  const bool controls = settings::controls_error(method) && !s.integrator.find(Argument::fixed);
  return controls ? full_text(s.integrator, {Argument::rtol, Argument::atol}) : choice_text(s.integrator);
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

const sema::Simulation* block_named(const std::vector<sema::Simulation>& blocks, const std::string& name) {
  for (const sema::Simulation& s : blocks)
    if (name.empty() || s.name == name) return &s;
  return nullptr;
}

sema::Simulation usual_block() {
  sema::Simulation s;
  s.integrator.method = settings::usual_integrator();
  s.bodies.method = settings::usual_representation();
  s.end = 1;
  s.step = 1e-3;
  return s;
}

Formulation formulation(const formulate::Formulation& formulation) {
  for (std::size_t k = 0; k < settings::choices(settings::Key::formulation).size(); ++k)
    if (formulation.name == to_text(static_cast<Formulation>(k))) return static_cast<Formulation>(k);
  fail_check(__FILE__, __LINE__, "formulation.name", "every formulation has a name in the interface");
}

Methods methods_of(const sema::Simulation& s, Representation bodies) {
  Methods out;
  out.integrator = s.integrator.method;
  out.formulation = s.formulation.method;
  out.bodies = bodies;
  out.stabilise = s.stabilise.method;
  out.at_singular = s.at_singular.method;
  return out;
}

}  // namespace mbc::api
