// SPDX-License-Identifier: Apache-2.0
// Simulates spheres that fall into a box by time steps (docs/benchmarks.md, "Spheres in a box"). It measures the time
// for making the equations, the time for 5 s of motion with native code, and the penetration. Every pair of spheres is
// written as a contact.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "bench/arguments.h"
#include "bench/timing.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

constexpr double kRadius = 0.05;

// Returns layers of side x side spheres, slightly out of order, above the floor of a box that is little wider than the
// layers.
std::string spheres(int count, int side, const std::string& block) {
  std::string text = fmt::format(
      "mbd 1\ndef rest(x, y) = x - y*floor(x/y)\ngravity (0, 0, -9.81) [m/s^2]\nlet n = {}, side = {}\n"
      "param r = 5 [cm], m = 0.1 [kg], width = {} [m], e = 0.3\n",
      count, side, 0.11 * side + 0.02);
  text +=
      "particle p[i in 1..n](m) at (0.11*(rest(i-1, side) - (side-1)/2) + 0.001*sin(7*i),"
      " 0.11*(rest(floor((i-1)/side), side) - (side-1)/2) + 0.001*cos(5*i), 0.07 + 0.12*floor((i-1)/(side*side))) [m]"
      " moving (0.3*sin(3*i), 0.3*cos(11*i), 0) [m/s]\n"
      "shape ball[i in 1..n] on p[i]: sphere(r)\n"
      "shape bottom on ground: plane(ez)\n"
      "shape west on ground at (-width/2, 0*width, 0*width): plane(ex)\n"
      "shape east on ground at (width/2, 0*width, 0*width): plane(-ex)\n"
      "shape south on ground at (0*width, -width/2, 0*width): plane(ey)\n"
      "shape north on ground at (0*width, width/2, 0*width): plane(-ey)\n";
  for (const char* wall : {"bottom", "west", "east", "south", "north"})
    text += fmt::format("Contact on_{0}[i in 1..n](ball[i], {0}, restitution = e)\n", wall);
  return text + "for i in 2..n { for j in 1..i-1 { Contact c[i, j](ball[i], ball[j], restitution = e) } }\n" +
         "output E = energy.total\nsimulate { " + block + " }\n";
}

void report(int count, int side, const std::string& steps, const std::string& block) {
  const double begin = now();
  CompileOptions options;
  options.native_at_once = true;
  const Model model = Model::from_string(spheres(count, side, block), "spheres.mbd", options);
  if (!model.ok()) throw std::runtime_error(model.render_diagnostics());
  Simulation simulation = Simulation::create(model).value();
  const double made = now();
  RunOptions run;
  run.output_every = 100;
  const RunResult r = simulation.run(run, [](const Row&) { return true; });
  if (r.status != Status::complete) throw std::runtime_error(r.rendered);
  const double end = now();
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.1e} | {:.1e} | {:.1e} |\n", count, steps, made - begin,
             end - made, 1e3 * (end - made) / static_cast<double>(r.steps), r.penetration / kRadius,
             r.penetration_before / kRadius, r.contact_error);
}

}  // namespace
}  // namespace mbc::bench

// usage: spheres [12|100|300|1000]
int main(int argc, char** argv) {
  using mbc::bench::report;
  try {
    const std::string wanted = mbc::bench::wanted_of(argc, argv);
    fmt::print(
        "| spheres, 5 s | steps | made, s | run, s | ms a step | penetration / radius | before it was moved back |"
        " laws missed by |\n|---|---|---|---|---|---|---|---|\n");
    for (const auto& [count, side] : {std::pair{12, 3}, std::pair{100, 5}, std::pair{300, 6}, std::pair{1000, 10}}) {
      if (wanted.empty() ? count > 100 : wanted != std::to_string(count)) continue;
      if (count < 1000) report(count, side, "1 ms", "time = 0 [s] .. 5 [s] step 1 [ms]; contact = timestep");
      report(count, side, "2 ms, tol 1e-6", "time = 0 [s] .. 5 [s] step 2 [ms]; contact = timestep(tol = 1e-6)");
    }
    return 0;
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
