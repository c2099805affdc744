// SPDX-License-Identifier: Apache-2.0
// Tests native code that is required but not available for a function: nothing is interpreted silently in its place.
// This program has an engine of its own, which refuses one function and has stubs for the others.
#include <doctest/doctest.h>

#include "jit/engine.h"
#include "mbc/mbc.h"

namespace mbc::jit {

namespace {

std::string refused;  // the function that cannot be compiled

class Stub : public CompiledKernel {
 public:
  [[nodiscard]] kernel::KernelFunction function(const std::string&) const override {
    return [](double, const double*, const double*, const double*, const double*, double*, double*) { return 0; };
  }
  [[nodiscard]] const CompileTimes& times() const override { return times_; }

 private:
  CompileTimes times_;
};

class Refusing : public Engine {
 public:
  std::unique_ptr<CompiledKernel> compile(const kernel::Kernel& k, const CompileOptions&, std::string& error) override {
    if (k.functions[0].name != refused) return std::make_unique<Stub>();
    error = "out of registers";
    return nullptr;
  }
  std::string emit(const kernel::Kernel&, Artifact, const std::string&, const CompileOptions&, std::string&) override {
    return "";
  }
  std::string archive(const std::string&, const std::string&, const std::string&, std::string&) override { return ""; }
  std::string link(const std::vector<std::string>&, const std::string&, const std::string&, std::string&) override {
    return "";
  }
  [[nodiscard]] bool knows_processor(const std::string&) const override { return true; }
  [[nodiscard]] std::vector<std::string> features(const std::string&) const override { return {}; }
  [[nodiscard]] std::string version() const override { return "none"; }
};

}  // namespace

// These functions replace those that search and open the library.
std::string engine_library() { return ""; }
std::string support_library(std::string&) { return ""; }

std::unique_ptr<Engine> load_engine(std::string& error) {
  error.clear();
  return std::make_unique<Refusing>();
}

}  // namespace mbc::jit

using namespace mbc;

namespace {

Model model(bool at_once) {
  CompileOptions options;
  options.native_at_once = at_once;
  options.cache = false;
  return Model::from_string(
      "mbd 1\nparam k = 1\nparticle p(1) at (1, 0, 0)\nforce on p: -k*p.pos\nsimulate { time = 0 .. 500 step 0.01 }\n",
      "model.mbd", options);
}

std::string why(const std::string& function) {
  return "there is no native code: the function `" + function + "` could not be compiled: out of registers";
}

}  // namespace

TEST_CASE("the equations themselves: there is no simulation") {
  jit::refused = "rhs";
  const Result<Simulation> s = Simulation::create(model(true));
  REQUIRE_FALSE(s);
  CHECK(s.error().code == ErrorCode::no_native_code);
  CHECK(s.error().message == why("rhs"));
}

TEST_CASE("a function that is compiled when its calls are worth it ends the run there") {
  jit::refused = "outputs";
  Simulation s = Simulation::create(model(true)).value();
  std::size_t rows = 0;
  const RunResult r = s.run({}, [&](const Row&) { return ++rows > 0; });
  CHECK(r.status == Status::no_native_code);
  CHECK(r.rendered == why("outputs") + "\n");
  CHECK(rows > 0);
  CHECK(rows < 50001);
}

TEST_CASE("so it does a step, which leaves time and state alone, and a sweep") {
  jit::refused = "outputs";
  Simulation s = Simulation::create(model(true)).value();
  const std::vector<double> before = s.state();
  REQUIRE_FALSE(s.run().status == Status::complete);
  REQUIRE(s.set_state(0, before));
  const Result<void> stepped = s.step(0.01);
  REQUIRE_FALSE(stepped);
  CHECK(stepped.error().code == ErrorCode::no_native_code);
  CHECK(stepped.error().message == why("outputs"));
  CHECK(s.time() == 0);
  CHECK(s.state() == before);
  jit::refused = "rhs";
  SweepOptions o;
  o.compile.native_at_once = true;
  o.compile.cache = false;
  o.vary = {"k = (1, 2)"};
  const SweepResult r = sweep_text(model(true).source_text(), "model.mbd", o);
  CHECK(r.status == Status::no_native_code);
  CHECK(r.rendered.find("there is no native code: the function `") != std::string::npos);
}

TEST_CASE("where it was not demanded the interpreter does it, and the run says so") {
  jit::refused = "rhs";
  Simulation s = Simulation::create(model(false)).value();
  const RunResult r = s.run();
  CHECK(r.status == Status::complete);
  CHECK(r.engine.starts_with("interpreter"));
}
