// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/run.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

namespace mbc::test {

std::size_t Run::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  REQUIRE_MESSAGE(found != names.end(), "no column " << name);
  return static_cast<std::size_t>(found - names.begin());
}

const ConstraintReport& Run::constraint(const std::string& name) const {
  const auto found =
      std::find_if(result.constraints.begin(), result.constraints.end(), [&](const auto& c) { return c.name == name; });
  REQUIRE_MESSAGE(found != result.constraints.end(), "no constraint " << name);
  return *found;
}

bool have_native() {
  static const bool have = !back_end_version().empty();
  return have;
}

Simulation compile_text(const std::string& text, Engine engine, const std::vector<std::string>& set) {
  CompileOptions options;
  options.set = set;
  options.interpret = engine == Engine::interpreter;
  options.native_at_once = true;
  options.cache = false;
  Simulation program = Simulation::create(Model::from_string(text, "model.mbd", options)).value();
  REQUIRE_MESSAGE(program.model().ok(), text << program.model().render_diagnostics());
  return program;
}

Run run(Simulation& program, const RunOptions& options) {
  Run run;
  for (const Quantity& c : program.model().columns()) run.names.push_back(c.name);
  run.result = program.run(options, [&](const Row& row) {
    run.time.push_back(row.time);
    run.values.insert(run.values.end(), row.values.begin(), row.values.end());
    return true;
  });
  return run;
}

Run run(const std::string& text, Engine engine, const std::vector<std::string>& set, const std::string& simulation) {
  Simulation program = compile_text(text, engine, set);
  RunOptions options;
  options.simulation = simulation;
  return run(program, options);
}

Run run_both(const std::string& text, const std::vector<std::string>& set, const std::string& simulation) {
  Run interpreted = run(text, Engine::interpreter, set, simulation);
  CHECK(interpreted.result.engine == "interpreter");
  if (!have_native()) return interpreted;
  Run native = run(text, Engine::native, set, simulation);
  CHECK(native.result.engine == "native code");
  CHECK(native.result.status == interpreted.result.status);
  CHECK(native.result.rendered == interpreted.result.rendered);
  CHECK(native.time == interpreted.time);
  REQUIRE_MESSAGE(native.values.size() == interpreted.values.size(), text);
  const bool same = native.values.empty() || std::memcmp(native.values.data(), interpreted.values.data(),
                                                         native.values.size() * sizeof(double)) == 0;
  CHECK_MESSAGE(same, text);
  CHECK(native.result.state == interpreted.result.state);
  return native;
}

std::map<std::string, std::vector<double>> times_of(const std::string& text, const std::vector<std::string>& set) {
  Simulation simulation = compile_text(text, Engine::interpreter, set);
  std::map<std::string, std::vector<double>> times;
  RunOptions options;
  options.on_event = [&](double t, const std::string& event) { times[event].push_back(t); };
  const RunResult result = simulation.run(options);
  REQUIRE(result.status == Status::complete);
  return times;
}

double zero_between(double a, double b, const std::function<double(double)>& f) {
  REQUIRE(f(a) > 0);
  REQUIRE(f(b) < 0);
  for (int k = 0; k < 200; ++k) (f(0.5 * (a + b)) > 0 ? a : b) = 0.5 * (a + b);
  return a;
}

std::string example(const std::string& name) {
  std::ifstream in(MBC_SOURCE_DIR "/examples/" + name + ".mbd");
  REQUIRE_MESSAGE(in.good(), "no example " << name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, "no `" << from << "` in the model");
  return text.replace(at, from.size(), to);
}

std::string star(int arms) {
  std::string text = arms > 0 ? "particle hub(5) at (0, 9, 0)\n" : "";
  for (int k = 0; k < arms; ++k) {
    const std::string n = std::to_string(k), a = std::to_string(0.2 * k);
    text += "particle arm" + n + "(1) at (cos(" + a + "), 9 + sin(" + a + "), 0.1)\nconstraint tie" + n +
            ": dist(hub, arm" + n + ") == norm((1, 0, 0.1))\n";
  }
  return text;
}

std::string number(double x) {
  std::array<char, 40> buffer{};
  const std::string text(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr);
  return x < 0 ? "(" + text + ")" : text;
}

}  // namespace mbc::test
