// SPDX-License-Identifier: Apache-2.0
#include "api/settings.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"

namespace mbc::api {

std::string choice_text(const sema::Choice& c) {
  std::string out = c.name;
  if (c.arguments.empty()) return out;
  out += "(";
  for (std::size_t k = 0; k < c.arguments.size(); ++k) {
    const auto& [name, value] = c.arguments[k];
    out += (k ? ", " : "") + (name == "literal" || name == "fixed" ? name : name + " = " + text::number(value));
  }
  return out + ")";
}

std::optional<double> argument(const sema::Choice& c, std::string_view name) {
  for (const auto& [key, value] : c.arguments)
    if (key == name) return value;
  return {};
}

void choose_methods(const sema::Simulation& s, runtime::SimulateOptions& o) {
  using runtime::Integrator;
  using runtime::Stabilisation;
  const sema::Choice &i = s.integrator, &c = s.stabilise;
  o.integrator = i.name == "ab4"        ? Integrator::ab4
                 : i.name != "dopri5"   ? Integrator::rk4
                 : argument(i, "fixed") ? Integrator::dopri5_fixed
                                        : Integrator::dopri5;
  o.control.rtol = argument(i, "rtol").value_or(o.control.rtol);
  o.control.atol = argument(i, "atol").value_or(o.control.atol);
  o.control.max_step = argument(i, "max_step").value_or(0);
  o.control.initial_step = argument(i, "initial_step").value_or(0);
  o.stabilisation = c.name == "project"     ? Stabilisation::project
                    : c.name == "baumgarte" ? Stabilisation::baumgarte
                    : c.name == "partition" ? Stabilisation::partition
                                            : Stabilisation::none;
  o.tolerance = argument(c, "tol").value_or(c.name == "partition" ? 1e-9 : 1e-12);
  o.alpha = argument(c, "alpha").value_or(o.alpha);
  o.beta = argument(c, "beta").value_or(o.beta);
}

runtime::SimulateOptions settings_of(const sema::Simulation& s, const RunOptions& options) {
  runtime::SimulateOptions o;
  o.begin = options.span ? options.span->first : s.begin;
  const double end = options.span ? options.span->second : s.end;
  o.steps = static_cast<std::uint64_t>(std::llround(std::max(1.0, (end - o.begin) / s.step)));
  o.step = options.span ? (end - o.begin) / static_cast<double>(o.steps) : s.step;
  choose_methods(s, o);
  o.literal = argument(s.formulation, "literal").has_value();
  o.rank_tolerance = argument(s.formulation, "rank_tol").value_or(1e-10);
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
std::string integrator_text(const sema::Simulation& s, const runtime::SimulateOptions& o) {
  if (o.integrator != runtime::Integrator::dopri5) return choice_text(s.integrator);
  sema::Choice c = s.integrator;
  if (!argument(c, "rtol")) c.arguments.emplace_back("rtol", o.control.rtol);
  if (!argument(c, "atol")) c.arguments.emplace_back("atol", o.control.atol);
  return choice_text(c);
}
std::string stabilise_text(const sema::Simulation& s, const runtime::SimulateOptions& o) {
  sema::Choice c = s.stabilise;
  if ((c.name == "project" || c.name == "partition") && !argument(c, "tol"))
    c.arguments.emplace_back("tol", o.tolerance);
  if (c.name == "baumgarte" && !argument(c, "alpha")) c.arguments.emplace_back("alpha", o.alpha);
  if (c.name == "baumgarte" && !argument(c, "beta")) c.arguments.emplace_back("beta", o.beta);
  return choice_text(c);
}

const sema::Simulation* block_named(const std::vector<sema::Simulation>& blocks, const std::string& name) {
  for (const sema::Simulation& s : blocks)
    if (s.name == name || (name.empty() && blocks.size() == 1)) return &s;
  return nullptr;
}

sema::Simulation usual_block() {
  sema::Simulation s;
  s.end = 1;
  s.step = 1e-3;
  s.integrator.name = "rk4";
  s.formulation.name = "udwadia_kalaba";
  s.stabilise.name = "project";
  return s;
}

Representation representation(sema::Representation bodies) {
  switch (bodies) {
    case sema::Representation::quaternion:
      return Representation::quaternion;
    case sema::Representation::euler_parameters:
      return Representation::euler_parameters;
    case sema::Representation::natural:
      return Representation::natural;
  }
  return Representation::quaternion;
}

sema::Representation representation(Representation bodies) {
  switch (bodies) {
    case Representation::quaternion:
      return sema::Representation::quaternion;
    case Representation::euler_parameters:
      return sema::Representation::euler_parameters;
    case Representation::natural:
      return sema::Representation::natural;
  }
  return sema::Representation::quaternion;
}

Formulation formulation(const formulate::Method& method) {
  for (int k = 0; k <= static_cast<int>(Formulation::boltzmann_hamel); ++k)
    if (method.name == to_text(static_cast<Formulation>(k))) return static_cast<Formulation>(k);
  return Formulation::udwadia_kalaba;
}

Methods methods_of(const sema::Simulation& s, sema::Representation bodies) {
  Methods out;
  out.integrator = s.integrator.name == "rk4"   ? Integrator::rk4
                   : s.integrator.name == "ab4" ? Integrator::ab4
                                                : Integrator::dopri5;
  out.formulation = formulation(*formulate::find_method(s.formulation.name));
  out.bodies = representation(bodies);
  out.stabilise = s.stabilise.name == "project"     ? Stabilisation::project
                  : s.stabilise.name == "none"      ? Stabilisation::none
                  : s.stabilise.name == "baumgarte" ? Stabilisation::baumgarte
                                                    : Stabilisation::partition;
  return out;
}

}  // namespace mbc::api
