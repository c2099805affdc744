// SPDX-License-Identifier: Apache-2.0
// Native code that was demanded and cannot be had for some function: nothing is interpreted in its place without a
// word. This program has an engine of its own, which compiles nothing.
#include <doctest/doctest.h>

#include "jit/engine.h"
#include "mbc/mbc.h"

namespace mbc::jit {

namespace {

class NoEngine : public Engine {
 public:
  std::unique_ptr<CompiledKernel> compile(const kernel::Kernel&, const CompileOptions&, std::string& error) override {
    error = "out of registers";
    return nullptr;
  }
  std::string emit(const kernel::Kernel&, Artifact, const std::string&, const CompileOptions&, std::string&) override {
    return "";
  }
  [[nodiscard]] bool knows_processor(const std::string&) const override { return true; }
  [[nodiscard]] std::string version() const override { return "none"; }
};

}  // namespace

// In place of the one that opens the library.
std::unique_ptr<Engine> load_engine(std::string& error) {
  error.clear();
  return std::make_unique<NoEngine>();
}

}  // namespace mbc::jit

using namespace mbc;

namespace {

Model model(bool at_once) {
  CompileOptions options;
  options.native_at_once = at_once;
  options.cache = false;
  return Model::from_string(
      "mbd 1\nparam k = 1\nparticle p(1) at (1, 0, 0)\nforce on p: -k*p.pos\nsimulate { time = 0 .. 1 step 0.01 }\n",
      "model.mbd", options);
}

const char* kWhy = "there is no native code: the function `rhs` could not be compiled: out of registers";

}  // namespace

TEST_CASE("a function that cannot be compiled ends a run that demands native code") {
  Simulation s = Simulation::create(model(true)).value();
  std::size_t rows = 0;
  const RunResult r = s.run({}, [&](const Row&) { return ++rows > 0; });
  CHECK(r.status == Status::no_native_code);
  CHECK(r.rendered == std::string(kWhy) + "\n");
  CHECK(rows == 0);
}

TEST_CASE("so it does for a step, and a sweep") {
  Simulation s = Simulation::create(model(true)).value();
  const std::vector<double> before = s.state();
  const Result<void> stepped = s.step(0.01);
  REQUIRE_FALSE(stepped);
  CHECK(stepped.error().code == ErrorCode::no_native_code);
  CHECK(stepped.error().message == kWhy);
  CHECK(s.time() == 0);
  CHECK(s.state() == before);
  SweepOptions o;
  o.compile.native_at_once = true;
  o.compile.cache = false;
  o.vary = {"k = (1, 2)"};
  const SweepResult r = sweep_text(model(true).source_text(), "model.mbd", o);
  CHECK(r.status == Status::no_native_code);
  CHECK(r.rendered.find("there is no native code: the function `") != std::string::npos);
}

TEST_CASE("where it was not demanded the interpreter does it, and the run says so") {
  Simulation s = Simulation::create(model(false)).value();
  const RunResult r = s.run();
  CHECK(r.status == Status::complete);
  CHECK(r.engine.starts_with("interpreter"));
}
