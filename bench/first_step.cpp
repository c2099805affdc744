// SPDX-License-Identifier: Apache-2.0
#include "bench/first_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/agreement.h"
#include "bench/models.h"
#include "bench/process.h"
#include "bench/timing.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

// Returns the text of `count` particles, each in a potential of a different shape, so that no two expressions share a
// template. The shape encodes the number of the particle with the functions below as digits.
std::string families_text(int count) {
  constexpr std::array<const char*, 6> kShapes = {"sin({})",      "cos({})", "sqrt(1 + ({})^2)",
                                                  "exp(-({})^2)", "({})*t",  "tanh({})"};
  std::string text = fmt::format("mbd 1\nparticle p[i in 1..{}](1) at (i/1000, 0.1, 0.2)\n", count);
  for (int k = 1; k <= count; ++k) {
    std::string e = fmt::format("p[{0}].x + 0.3*p[{0}].y", k);
    for (int digits = k, place = 0; place < 4; ++place, digits /= 6)
      e = fmt::format(fmt::runtime(kShapes[static_cast<std::size_t>(digits % 6)]), e);
    text += fmt::format("potential v{}: {}\n", k, e);
  }
  return text + "simulate { time = 0 .. 1 step 0.001; integrator = rk4 }\n";
}

std::string example_text(const std::string& file) {
  std::ifstream in(example_path(file));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Once {
  double kernel = 0, first_step = 0;  // seconds
  std::vector<double> derivatives;
};

// Measures the time to the first right-hand side with these options.
Once once(const std::string& text, const CompileOptions& options) {
  Once out;
  const double begin = now();
  Simulation program = Simulation::create(Model::from_string(text, "model.mbd", options)).value();
  if (!program.model().ok()) throw std::runtime_error(program.model().render_diagnostics());
  out.kernel = now() - begin;
  const std::vector<double> y = program.initial_state();
  out.derivatives.resize(y.size());
  if (!program.rhs(0, y, out.derivatives)) throw std::runtime_error("the first derivatives are not finite");
  out.first_step = now() - begin;
  return out;
}

Once least(const std::string& text, const CompileOptions& options, int repetitions) {
  Once out = once(text, options);
  for (int k = 1; k < repetitions; ++k) {
    const Once again = once(text, options);
    out.kernel = std::min(out.kernel, again.kernel);
    out.first_step = std::min(out.first_step, again.first_step);
  }
  return out;
}

FirstStep measure(const std::string& name, double asked, const std::string& text, int repetitions) {
  CompileOptions beside, native, cached;
  native.native_at_once = cached.native_at_once = true;
  beside.cache = native.cache = false;
  const Once interpreted = least(text, beside, repetitions), compiled = least(text, native, repetitions);
  once(text, cached);  // This run fills the cache.
  const Once found = least(text, cached, repetitions);
  Agreement agreement;
  for (const Once* other : {&compiled, &found})
    agreement.see(interpreted.derivatives.data(), other->derivatives.data(), interpreted.derivatives.size());
  return {name,
          asked,
          interpreted.kernel,
          interpreted.first_step,
          compiled.first_step,
          found.first_step,
          agreement.demand(name)};
}

}  // namespace

std::vector<FirstStep> measure_first_steps() {
  const TemporaryCache cache;
  return {measure("two_particles", 0.05, example_text("two_particles.mbd"), 10),
          measure("triple pendulum of bodies", 0.05, example_text("seeds/004_bodies/triple_pendulum.mbd"), 10),
          measure("1,000 distinct expressions", 0.5, families_text(1000), 3),
          measure("10,000 rods", 1.0, looped_chain_text(10000), 3)};
}

}  // namespace mbc::bench
