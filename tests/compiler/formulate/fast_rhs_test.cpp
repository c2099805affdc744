// SPDX-License-Identifier: Apache-2.0
// Tests the fast right-hand side of straight-line kernels on every example at random states with both engines. If it
// reports success, its derivatives are those of `rhs` bit for bit. It gives up if a row is left out or nearly dependent
// or if a value is not finite.
#include "compiler/formulate/unrolled/fast_rhs.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <limits>
#include <random>

#include "compiler/pipeline.h"
#include "kernel/interpreter.h"
#include "tests/compiler/formulate/model_kernel.h"
#include "tests/support/scratch.h"
#ifdef MBC_HAVE_JIT
#include "jit/engine.h"
#endif

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr int kStates = 200;

PipelineOptions options_in(const std::string& folder) {
  PipelineOptions options;
  options.library.root = folder;
  return options;
}

struct TestModel {
  Compilation compilation;
  std::vector<double> params, inputs, initial;

  TestModel(const std::string& text, const std::string& name, const std::string& folder)
      : compilation(compile(name, text, options_in(folder))) {
    if (!compilation.ok()) return;
    const sema::Model& m = compilation.model;
    params = sema::parameter_values(m);
    std::vector<sema::NodeId> nodes;
    for (const sema::Input& i : m.inputs) nodes.push_back(i.value);
    inputs = sema::constant_values(m, nodes, params);
    inputs.resize(kernel().n_inputs, 1.0);  // These inputs are the discrete state: rows that are on, states and counts.
    initial = initial_state(compilation, kernel().n_state);
    params.resize(kernel().n_params);
  }
  [[nodiscard]] const kernel::Kernel& kernel() const { return compilation.formulated.kernel; }
  [[nodiscard]] const kernel::SystemLayout& layout() const { return compilation.formulated.layout; }
};

Outcome interpreted(const TestModel& m, const char* function, double t, const std::vector<double>& y,
                    const std::vector<double>& mask) {
  return test::interpreted(m.kernel(), function, {t, y, m.params, m.inputs, mask});
}

// Returns whether a row is outside of the set or nearly dependent, by the pivots that rhs leaves.
bool any_near(const TestModel& m, const std::vector<double>& work) {
  for (std::uint32_t k = 0; k < m.layout().n_rows; ++k) {
    const double pivot = work[m.layout().pivot + k], scale = work[m.layout().pivot_scale + k];
    if (!(pivot > kernel::kNearPivot * scale * (1 + 1e-5))) return true;
  }
  return false;
}

struct Tally {
  int models = 0, lean = 0, gave_up = 0;
};

// Checks the result of the fast function at one state.
void check_state(const TestModel& m, double t, const std::vector<double>& y, const std::vector<double>& mask,
                 bool all_in, Tally& tally) {
  const Outcome full = interpreted(m, "rhs", t, y, mask), lean = interpreted(m, "fast_rhs", t, y, mask);
  if (lean.status == 0) {
    ++tally.lean;
    CHECK(all_in);
    CHECK(full.status == 0);
    CHECK(same_bits(lean.deriv, full.deriv));
    for (std::uint32_t k = 0; k < m.layout().n_rows; ++k)  // SingularLimit has nothing to do at these pivots.
      CHECK(full.work[m.layout().pivot + k] >= kernel::kNearPivot * full.work[m.layout().pivot_scale + k]);
  } else {
    ++tally.gave_up;
    CHECK(lean.status == kernel::kGaveUp);
    CHECK((!all_in || full.status != 0 || any_near(m, full.work)));
  }
}

TestModel load(const std::filesystem::path& path) {
  return {read_file(path), path.filename().string(), path.parent_path().string()};
}

std::vector<double> moved(const std::vector<double>& y, double size, std::mt19937_64& random) {
  std::uniform_real_distribution<double> noise(-1, 1);
  std::vector<double> out = y;
  for (double& value : out) value += size * noise(random);
  return out;
}

}  // namespace

TEST_CASE("lean right-hand sides: every example at random states") {
  Tally tally;
  std::mt19937_64 random(5);
  constexpr double kSizes[] = {0, 1e-6, 0.1, 1};
  for (const std::filesystem::path& path : example_files()) {
    const TestModel m = load(path);
    CAPTURE(path.filename().string());
    REQUIRE(m.compilation.ok());
    if (m.kernel().function("fast_rhs") == nullptr) continue;
    ++tally.models;
    REQUIRE(kernel::verify(m.kernel()) == "");
    CHECK(m.kernel().function("fast_rhs")->blocks[0].code.size() < m.kernel().function("rhs")->blocks[0].code.size());
    const std::vector<double> all(m.layout().n_rows, 1.0);
    for (int k = 0; k < kStates; ++k)
      check_state(m, 0.01 * k, moved(m.initial, kSizes[k % 4], random), all, true, tally);
    for (std::uint32_t row = 0; row < m.layout().n_rows; ++row) {
      std::vector<double> without = all;
      without[row] = 0;
      check_state(m, 0.3, moved(m.initial, 0.1, random), without, false, tally);
    }
    std::vector<double> y = moved(m.initial, 0.1, random);
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      y[m.layout().speeds_at()] = wrong;
      check_state(m, 0.3, y, all, true, tally);
    }
  }
  MESSAGE(tally.models << " models, " << tally.lean << " lean states, " << tally.gave_up << " given up");
  CHECK(tally.models > 20);
  CHECK(tally.lean > 2000);
  CHECK(tally.gave_up > 100);
}

#ifdef MBC_HAVE_JIT
TEST_CASE("lean right-hand sides: native code does what the interpreter does") {
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  REQUIRE_MESSAGE(engine != nullptr, error);
  std::mt19937_64 random(6);
  constexpr double kSizes[] = {0, 0.1, 1, std::numeric_limits<double>::infinity()};
  for (const std::filesystem::path& path : example_files()) {
    const TestModel m = load(path);
    const kernel::Function* stage = m.kernel().function("fast_rhs");
    if (stage == nullptr || stage->blocks[0].code.size() > 1500) continue;
    CAPTURE(path.filename().string());
    kernel::Kernel part = m.kernel();
    part.functions = {*stage, *m.kernel().function("rhs")};
    const std::unique_ptr<jit::CompiledKernel> code = engine->compile(part, {}, error);
    REQUIRE_MESSAGE(code != nullptr, error);
    for (int k = 0; k < 40; ++k) {
      const std::vector<double> y = moved(m.initial, kSizes[k % 4], random);
      std::vector<double> mask(m.layout().n_rows, 1.0);
      if (k % 5 == 4) mask[static_cast<std::size_t>(k) % mask.size()] = 0;
      for (const char* name : {"fast_rhs", "rhs"}) {
        const Outcome expected = interpreted(m, name, 0.01 * k, y, mask);
        const Outcome got = executed(m.kernel(), code->function(name), {0.01 * k, y, m.params, m.inputs, mask});
        CHECK(got.status == expected.status);
        if (expected.status != 0) continue;
        CHECK(same_bits(got.deriv, expected.deriv));
        CHECK(same_bits(got.work, expected.work));
      }
    }
  }
}
#endif
