// SPDX-License-Identifier: Apache-2.0
// Compares Taylor's method with the other methods (docs/benchmarks.md, "Taylor's method"). For a chain of ten rods over
// 10 s it reports the time of a whole run with native code, the error at the end and the largest violation of a rod.
// For a planet it reports the energy over many turns. Times are the least of several runs, and all runs take turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/timing.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

// Returns a chain of rods of 1 m and particles of 1 kg in a plane, at rest. The rods are inclined alternately by 0.2
// and 0.1 rad below the horizontal.
std::string chain(int rods, const std::string& integrator) {
  std::string text = "mbd 1\nspace 2\ngravity (0, -9.81)\n";
  double x = 0, y = 0;
  for (int k = 1; k <= rods; ++k) {
    const double angle = k % 2 == 0 ? -0.1 : -0.2;
    x += std::cos(angle);
    y += std::sin(angle);
    text += fmt::format("particle p{}(1) at ({:.17g}, {:.17g})\n", k, x, y);
    text += fmt::format("constraint rod{0}: dist(p{0}, {1}) == 1\n", k, k == 1 ? "ground" : fmt::format("p{}", k - 1));
  }
  return text + "simulate { time = 0 .. 10 count 10; integrator = " + integrator + " }\n";
}

struct Subject {
  std::string integrator;
  Simulation simulation;
  RunResult result;
  double seconds = 0;
};

Simulation made(const std::string& text) {
  CompileOptions options;
  options.native_at_once = true;
  const Model model = Model::from_string(text, "chain.mbd", options);
  if (!model.ok()) throw std::runtime_error(model.render_diagnostics());
  return Simulation::create(model).value();
}

RunResult whole_run(Simulation& simulation) {
  RunResult r = simulation.run({}, [](const Row&) { return true; });
  if (r.status != Status::complete) throw std::runtime_error(r.rendered);
  return r;
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  // The work integrals are not compared.
  for (std::size_t i = 0; i + 2 < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

void report_chain() {
  std::vector<Subject> all;
  for (const char* integrator :
       {"taylor(tol = 1e-15)", "taylor(tol = 1e-13)", "taylor(tol = 1e-11)", "taylor(tol = 1e-9)", "taylor(tol = 1e-7)",
        "dop853(rtol = 1e-13, atol = 1e-13)", "dop853(rtol = 1e-11, atol = 1e-11)", "dop853(rtol = 1e-9, atol = 1e-9)",
        "auto(tol = 1e-9)", "rk4"})
    all.push_back({integrator, made(chain(10, integrator)), {}, 0});
  // One row per millisecond makes rk4 use steps of 1 ms.
  all.back().integrator = "rk4, 1 ms";
  std::string text = chain(10, "rk4");
  text.replace(text.find("count 10;"), 9, "step 0.001;");
  all.back().simulation = made(text);
  std::vector<Work> work;
  for (Subject& s : all) {
    s.result = whole_run(s.simulation);
    work.emplace_back([&s](int count) {
      for (int k = 0; k < count; ++k) s.result = whole_run(s.simulation);
    });
  }
  const std::vector<double> seconds = take_turns(work, 10);
  fmt::print(
      "| chain of 10 rods, 10 s | ms | steps | us a step | evaluations | error at the end | largest violation |\n"
      "|---|---|---|---|---|---|---|\n");
  for (std::size_t k = 0; k < all.size(); ++k) {
    const RunResult& r = all[k].result;
    double off = 0;
    for (const ConstraintReport& c : r.constraints) off = std::max(off, c.position.value_or(0));
    fmt::print("| {} | {:.2f} | {} | {:.2f} | {} | {:.1e} | {:.1e} |\n", all[k].integrator, 1e3 * seconds[k], r.steps,
               1e6 * seconds[k] / static_cast<double>(r.steps), r.evaluations, apart(r.state, all[0].result.state),
               off);
  }
}

void report_planet(int turns) {
  const std::string text = fmt::format(
      "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\nforce f on p: -p.pos/norm(p.pos)^3\n"
      "output E = 0.5*dot(p.vel, p.vel) - 1/norm(p.pos)\n"
      "simulate {{ time = 0 .. 2*pi*{} count 20; integrator = taylor(tol = 1e-15) }}\n",
      turns);
  Simulation simulation = made(text);
  std::size_t column = 0;
  const auto columns = simulation.model().columns();
  while (columns[column].name != "E") ++column;
  const double begin = now();
  fmt::print("\n| turns of a planet, e = 0.5 | energy - its start |\n|---|---|\n");
  const RunResult r = simulation.run({}, [&](const Row& row) {
    fmt::print("| {:.0f} | {:.2e} |\n", row.time / (2 * std::acos(-1.0)), row.values[column] + 0.5);
    return true;
  });
  fmt::print("\n{} steps, {:.2f} s; a random walk of half units: {:.1e}\n", r.steps, now() - begin,
             std::sqrt(static_cast<double>(r.steps)) * 0x1p-53);
}

}  // namespace
}  // namespace mbc::bench

int main(int argc, char** argv) {
  try {
    const std::string wanted = mbc::bench::wanted_of(argc, argv);
    if (wanted.empty() || wanted == "chain") mbc::bench::report_chain();
    if (wanted.empty() || wanted == "planet") mbc::bench::report_planet(wanted.empty() ? 1'000 : 100'000);
    return 0;
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
