#include "bench/first_step.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/models.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// `count` particles, each in a potential of another shape, so that no two expressions share a template: the shape is
// the number of the particle written in the functions below as digits.
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
  return text + "simulate { time = 0 .. 1 step 0.001 }\n";
}

// A chain written as a loop: the rods are instances of two templates.
std::string rods_text(int count) {
  return fmt::format(
      "mbd 1\ngravity (0, 0, -9.81)\nparticle p[i in 1..{0}](1) at (i, 0.3*(i - 2*floor(i/2)), 0)\n"
      "constraint first: dist(ground, p[1]) == sqrt(1.09)\n"
      "constraint rod[i in 2..{0}]: dist(p[i-1], p[i]) == sqrt(1.09)\nsimulate {{ time = 0 .. 1 step 0.001 }}\n",
      count);
}

std::string example_text(const std::string& file) {
  std::ifstream in(example_path(file));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Seconds {
  double kernel = 0;      // the compiler's stages
  double first_step = 0;  // the whole way to the first right-hand side
};

// To the first right-hand side with these options; nothing when the model does not compile.
Seconds once(const std::string& text, const CompileOptions& options) {
  const auto begin = Clock::now();
  Program program = Program::from_string(text, "model.mbd", options);
  if (!program.ok()) {
    fmt::print("{}", program.render_diagnostics());
    return {};
  }
  Seconds out;
  out.kernel = since(begin);
  const std::vector<double> y = program.initial_state();
  std::vector<double> dy(y.size());
  program.rhs(0, y, dy);
  out.first_step = since(begin);
  return out;
}

Seconds least(const std::string& text, const CompileOptions& options, int repetitions) {
  Seconds out{1e9, 1e9};
  for (int k = 0; k < repetitions; ++k) {
    const Seconds now = once(text, options);
    out.kernel = std::min(out.kernel, now.kernel);
    out.first_step = std::min(out.first_step, now.first_step);
  }
  return out;
}

void measure(const std::string& name, const std::string& text, int repetitions) {
  CompileOptions beside, native, cached;
  native.native_at_once = cached.native_at_once = true;
  beside.cache = native.cache = false;
  const Seconds interpreted = least(text, beside, repetitions), compiled = least(text, native, repetitions);
  once(text, cached);  // fills the cache
  const Seconds found = least(text, cached, repetitions);
  fmt::print("{:<28} {:>10.1f} {:>12.1f} {:>14.1f} {:>14.1f}\n", name, 1e3 * interpreted.kernel,
             1e3 * interpreted.first_step, 1e3 * compiled.first_step, 1e3 * found.first_step);
}

}  // namespace

void print_first_steps() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("mbc_bench_cache_{}", getpid());
  setenv("MBC_CACHE", folder.c_str(), 1);
  fmt::print("\ncompile to the first right-hand side, ms (least; LLVM is in memory)\n");
  fmt::print("{:<28} {:>10} {:>12} {:>14} {:>14}\n", "model", "to kernel", "interpreted", "native, cold", "from cache");
  measure("two_particles", example_text("two_particles.mbd"), 10);
  measure("triple pendulum of bodies", example_text("seeds/004_bodies/triple_pendulum.mbd"), 10);
  measure("1,000 distinct expressions", families_text(1000), 3);
  measure("10,000 rods", rods_text(10000), 3);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  setenv("MBC_CACHE", "off", 1);
}

}  // namespace mbc::bench
