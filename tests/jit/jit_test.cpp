// SPDX-License-Identifier: Apache-2.0
// Compares the JIT with the interpreter bit for bit, and tests the engine for leaks and for the functions that code may
// call.
#include <doctest/doctest.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "jit/engine.h"
#include "kernel/interpreter.h"
#include "kernel/op_semantics.h"
#include "tests/jit/engine.h"
#include "tests/kernel/block_builder.h"
#include "tests/kernel/random_kernel.h"

namespace mbc::test {
namespace {

using jit::CompileOptions;
using kernel::Kernel;
using kernel::Op;
using kernel::Space;

struct Outcome {
  std::int32_t status = 0;
  std::vector<double> work, deriv;
  bool operator==(const Outcome& other) const {
    return status == other.status && same_bits(work, other.work) && same_bits(deriv, other.deriv);
  }
};

Outcome by_interpreter(const kernel::Function& f, KernelData data, kernel::Registers& registers) {
  const std::int32_t status = kernel::interpret(f, data.t, data.state.data(), data.params.data(), data.inputs.data(),
                                                data.mask.data(), data.work.data(), data.deriv.data(), registers);
  return {status, std::move(data.work), std::move(data.deriv)};
}

Outcome by_code(kernel::KernelFunction f, KernelData data) {
  const std::int32_t status = f(data.t, data.state.data(), data.params.data(), data.inputs.data(), data.mask.data(),
                                data.work.data(), data.deriv.data());
  return {status, std::move(data.work), std::move(data.deriv)};
}

struct Tally {
  std::size_t runs = 0, different = 0, finite = 0;
};

// Runs every function of the kernel with both engines for `states` sets of random data.
void compare(jit::Engine& engine, const Kernel& kernel, const CompileOptions& options, std::uint64_t seed, int states,
             bool guarded, Tally& tally) {
  std::string error;
  const std::unique_ptr<jit::CompiledKernel> compiled = engine.compile(kernel, options, error);
  REQUIRE_MESSAGE(compiled != nullptr, error);
  kernel::Registers registers = kernel::make_registers(kernel);
  Random random(seed);
  for (const kernel::Function& f : kernel.functions) {
    for (int s = 0; s < states; ++s) {
      const KernelData data = random_data(kernel, random, guarded);
      const Outcome expected = by_interpreter(f, data, registers);
      ++tally.runs;
      tally.finite +=
          std::all_of(expected.deriv.begin(), expected.deriv.end(), [](double v) { return std::isfinite(v); });
      if (expected == by_code(compiled->function(f.name), data)) continue;
      if (++tally.different < 3) MESSAGE("seed " << seed << ", function " << f.name);
    }
  }
}

std::uint32_t model_count() {  // number of kernels of the random comparison; the separate long run increases it
  const char* wanted = std::getenv("MBC_RANDOM_MODELS");
  return wanted != nullptr ? static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10)) : 10000;
}

Kernel tiny_kernel(double constant) {
  BlockBuilder b("only");
  b.store(Space::deriv, 0, b.op(Op::mul, b.load(Space::state, 0), b.constant(constant)));
  Kernel kernel;
  kernel.name = "tiny";
  kernel.n_state = 1;
  kernel::Function f;
  f.name = "rhs";
  f.check_end = 1;
  add_block(f, b.block());
  kernel.functions.push_back(f);
  return kernel;
}

double run_tiny(const jit::CompiledKernel& compiled, double x) {
  double deriv = 0;
  CHECK(compiled.function("rhs")(0, &x, nullptr, nullptr, nullptr, nullptr, &deriv) == 0);
  return deriv;
}

long resident_kib() {
  std::ifstream statm("/proc/self/statm");
  long total = 0, resident = 0;
  statm >> total >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace

TEST_CASE("random kernels: the compiled code equals the interpreter bit for bit") {
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  constexpr std::uint32_t kBatch = 50;
  const std::uint32_t batches = (model_count() + kBatch - 1) / kBatch;
  Tally tally;
  for (std::uint32_t i = 0; i < batches; ++i) {
    const bool guarded = i % 3 != 0;
    RandomKernelOptions options;
    options.functions = kBatch;
    options.guarded = guarded;
    const Kernel kernel = random_kernel(i, options);
    REQUIRE(kernel::verify(kernel) == "");
    CompileOptions compile;
    compile.optimise = i % 8 == 1 ? 0 : 2;
    compile.cpu = i % 8 == 2 ? "baseline" : "";  // The baseline has no fma and rounding instructions.
    compare(*engine, kernel, compile, i, 4, guarded, tally);
  }
  MESSAGE(tally.runs << " runs, " << tally.finite << " with finite results, " << tally.different << " different");
  CHECK(tally.different == 0);
  CHECK(tally.finite > tally.runs / 2);  // The comparison must not be of NaN with NaN only.
  CHECK(tally.finite < tally.runs);
}

TEST_CASE("every operation on special operands: code equals interpreter") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kOperands[] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e300, 5e-324, kInfinity, -kInfinity, kernel::kNaN};
  Kernel kernel;
  kernel.name = "operations";
  kernel.n_state = 3;
  for (std::size_t i = 2; i < kernel::kOpCount; ++i) {
    BlockBuilder b("only");
    const auto x = b.load(Space::state, 0), y = b.load(Space::state, 1), z = b.load(Space::state, 2);
    b.store(Space::deriv, 0, b.op(static_cast<Op>(i), x, y, z));
    kernel::Function f;
    f.name = std::string("op").append(std::to_string(i));
    add_block(f, b.block());
    kernel.functions.push_back(f);
  }
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  kernel::Registers registers = kernel::make_registers(kernel);
  for (const char* cpu : {"", "baseline"}) {
    for (const int level : {0, 2}) {
      std::string error;
      CompileOptions options;
      options.optimise = level;
      options.cpu = cpu;
      const std::unique_ptr<jit::CompiledKernel> compiled = engine->compile(kernel, options, error);
      REQUIRE_MESSAGE(compiled != nullptr, error);
      for (const kernel::Function& f : kernel.functions) {
        bool same = true;
        for (const double x : kOperands)
          for (const double y : kOperands)
            for (const double z : kOperands) {
              const KernelData data{0, {x, y, z}, {}, {}, {}, {}, {7, 7, 7}};
              same = same && by_interpreter(f, data, registers) == by_code(compiled->function(f.name), data);
            }
        CHECK_MESSAGE(same, f.name << " at level " << level << " " << cpu);
      }
    }
  }
}

TEST_CASE("every operation in lanes, read together, apart and from one place: code equals interpreter") {
  constexpr std::uint32_t kWide = 8, kInstances = 3;
  Kernel kernel;
  kernel.name = "lanes";
  kernel.n_state = 4 * kWide * kInstances;
  kernel.n_params = 1;
  for (std::size_t i = 2; i < kernel::kOpCount; ++i) {
    BlockBuilder b("only");
    const auto x = b.load(Space::state, 0, true), y = b.load(Space::state, 1, true), z = b.load(Space::params, 0);
    b.block().code[y].spread = true;
    b.store(Space::deriv, 1 + kWide, b.op(static_cast<Op>(i), x, y, z), true);
    b.store(Space::deriv, 2 + kWide, b.op(Op::add, x, b.load(Space::time, 0)), true);
    b.block().code.back().spread = true;
    std::vector<std::uint32_t> table;
    for (std::uint32_t k = 0; k < kInstances; ++k) {
      table.push_back(kWide * k);
      for (std::uint32_t lane = 0; lane < kWide; ++lane) table.push_back(4 * kWide * kInstances - 1 - lane - 5 * k);
      table.push_back(kWide * (kInstances + k));
      for (std::uint32_t lane = 0; lane < kWide; ++lane) table.push_back(kWide * (2 * kInstances + k) + (3 * lane) % 8);
    }
    b.instances(kInstances, 2 * kWide + 2, std::move(table));
    b.block().lanes = kWide;
    kernel::Function f;
    f.name = std::string("op").append(std::to_string(i));
    add_block(f, b.block());
    kernel.functions.push_back(f);
  }
  REQUIRE(kernel::verify(kernel) == "");
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  kernel::Registers registers = kernel::make_registers(kernel);
  for (const char* cpu : {"", "baseline"}) {
    std::string error;
    CompileOptions options;
    options.cpu = cpu;
    const std::unique_ptr<jit::CompiledKernel> compiled = engine->compile(kernel, options, error);
    REQUIRE_MESSAGE(compiled != nullptr, error);
    Random random(3);
    for (const kernel::Function& f : kernel.functions)
      for (std::size_t s = 0; s < 20; ++s) {
        KernelData data{0.25, {}, {random.uniform(-2, 2)}, {}, {}, {}, std::vector<double>(kernel.n_state, 7.0)};
        for (std::uint32_t k = 0; k < kernel.n_state; ++k) data.state.push_back(random.uniform(-2, 2));
        data.state[s] = kernel::kNaN;
        CHECK_MESSAGE(by_interpreter(f, data, registers) == by_code(compiled->function(f.name), data),
                      f.name << " " << cpu);
      }
  }
}

TEST_CASE("finite results whose sum is not are finite, guarded or not") {
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  for (const bool guarded : {false, true}) {
    BlockBuilder b("only");
    for (std::uint32_t k = 0; k < 2; ++k) b.store(Space::deriv, k, b.load(Space::state, k));
    b.store(Space::work, 0, b.constant(1));
    Kernel kernel;
    kernel.name = "huge";
    kernel.n_state = 2;
    kernel.n_work = 1;
    kernel::Function f;
    f.name = "rhs";
    f.check_end = 2;
    f.guard_end = guarded ? 1 : 0;
    add_block(f, b.block());
    kernel.functions.push_back(f);
    std::string error;
    const std::unique_ptr<jit::CompiledKernel> compiled = engine->compile(kernel, {}, error);
    REQUIRE_MESSAGE(compiled != nullptr, error);
    kernel::Registers registers = kernel::make_registers(kernel);
    for (const double second : {1.5e308, std::numeric_limits<double>::infinity()}) {
      const KernelData data{0, {1.5e308, second}, {}, {}, {}, {0}, {7, 7}};
      const Outcome expected = by_interpreter(f, data, registers);
      CHECK(expected.status == (second < 1.6e308 ? 0 : guarded ? kernel::kGaveUp : 2));
      CHECK(by_code(compiled->function("rhs"), data) == expected);
    }
  }
}

TEST_CASE("lanes store to places of their own") {
  BlockBuilder b("only");
  b.store(Space::deriv, 0, b.load(Space::state, 0));
  b.block().lanes = 8;
  Kernel kernel;
  kernel.n_state = 8;
  kernel::Function f;
  f.name = "rhs";
  add_block(f, b.block());
  kernel.functions.push_back(f);
  CHECK(kernel::verify(kernel) == "function `rhs`, block `only`: instruction 1: all lanes store to one place");
}

TEST_CASE("long blocks are split into parts without changing a bit") {
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    RandomKernelOptions options;
    options.functions = 2;
    options.min_length = 1900;
    options.max_length = 7000;
    const Kernel kernel = random_kernel(1000 + seed, options);
    CompileOptions compile;
    compile.optimise = seed % 2 == 0 ? 2 : 0;
    Tally tally;
    compare(*engine, kernel, compile, seed, 4, true, tally);
    CHECK(tally.different == 0);
  }
}

// The 300 instances store 0 and -0 if their input is 0, and other numbers otherwise, so that the results show which
// code ran.
TEST_CASE("gates: what is stored where they are shut is what the code would store, and the code is not run") {
  constexpr std::uint32_t kCount = 300;
  const auto gated = [](bool gate, double shut, int longer) {
    BlockBuilder b("rows");
    auto v = b.op(Op::div, b.constant(1), b.load(Space::state, 0, true));
    for (int k = 0; k < longer; ++k) v = b.op(Op::sqrt, b.op(Op::add, v, b.op(Op::mul, v, v)));
    const auto held = b.op(Op::select, b.load(Space::inputs, 1, true), v, b.constant(0));
    b.store(Space::work, 2, held, true);
    b.store(Space::work, 3, b.op(Op::neg, held), true);
    const std::uint32_t last = b.size() - 1;
    std::vector<std::uint32_t> table;
    for (std::uint32_t k = 0; k < kCount; ++k)
      table.insert(table.end(), {k * k % kCount, (7 * k + 3) % kCount, k, 2 * kCount - 1 - k});
    b.instances(kCount, 4, table);
    if (gate) {
      b.block().gate = 1;
      b.block().off = {{last - 2, shut}, {last, -shut}};
    }
    Kernel kernel;
    kernel.name = "gated";
    kernel.n_state = kernel.n_inputs = kCount;
    kernel.n_work = 2 * kCount;
    kernel::Function f;
    f.name = "rhs";
    add_block(f, b.block());
    kernel.functions.push_back(f);
    CHECK(kernel::verify(kernel) == "");
    return kernel;
  };
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  for (const int longer : {0, 1000}) {  // The code is in the function itself, or in separate parts.
    const Kernel plain = gated(false, 0, longer), zeros = gated(true, 0, longer), sevens = gated(true, 7, longer);
    kernel::Registers registers = kernel::make_registers(plain);
    Random random(1);
    KernelData data = random_data(plain, random, false);
    for (std::uint32_t k = 0; k < kCount; ++k) data.inputs[k] = k % 3 == 0 ? 1 : k % 3 == 1 ? 0 : -0.0;
    data.inputs[6] = kernel::kNaN;  // NaN is not 0.
    const Outcome expected = by_interpreter(plain.functions[0], data, registers);
    CHECK(by_interpreter(zeros.functions[0], data, registers) == expected);
    const Outcome seen = by_interpreter(sevens.functions[0], data, registers);
    CHECK(std::count(seen.work.begin(), seen.work.end(), 7.0) == 2 * kCount / 3);
    CHECK(std::count(seen.work.begin(), seen.work.end(), -7.0) == 2 * kCount / 3);
    std::string error;
    for (const int optimise : {0, 2}) {
      CompileOptions options;
      options.optimise = optimise;
      const auto a = engine->compile(zeros, options, error), b = engine->compile(sevens, options, error);
      REQUIRE_MESSAGE((a && b), error);
      CHECK(by_code(a->function("rhs"), data) == expected);
      CHECK(by_code(b->function("rhs"), data) == seen);
    }
  }
}

TEST_CASE("a finite check names the first entry that is not finite") {
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  std::string error;
  const auto compiled = engine->compile(tiny_kernel(2), {}, error);
  REQUIRE_MESSAGE(compiled != nullptr, error);
  for (const double x : {std::numeric_limits<double>::infinity(), kernel::kNaN}) {
    double deriv = 0;
    CHECK(compiled->function("rhs")(0, &x, nullptr, nullptr, nullptr, nullptr, &deriv) == 1);
  }
  CHECK((compiled->function("residuals") == nullptr));
  CHECK(engine->version().substr(0, 8) == "LLVM 19.");
}

TEST_CASE("code reaches no symbol outside the whitelist") {
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  for (const char* symbol : {"system", "malloc", "sin", "mbc_jit_create"}) {
    Kernel kernel = tiny_kernel(2);
    add_call(kernel.functions[0], {symbol, {1, 2, 3}});
    CHECK(kernel::verify(kernel) != "");
    std::string error;
    CHECK(engine->compile(kernel, {}, error) == nullptr);
    CHECK_MESSAGE(error.find(symbol) != std::string::npos, error);
  }
  std::string error;  // The engine continues to work afterwards.
  const auto compiled = engine->compile(tiny_kernel(3), {}, error);
  REQUIRE_MESSAGE(compiled != nullptr, error);
  CHECK(run_tiny(*compiled, 2) == 6);
}

TEST_CASE("kernels of one name live side by side, and go in any order") {
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  std::string error;
  auto first = engine->compile(tiny_kernel(2), {}, error);
  const auto second = engine->compile(tiny_kernel(5), {}, error);
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(run_tiny(*first, 1) == 2);
  first.reset();
  CHECK(run_tiny(*second, 1) == 5);
}

TEST_CASE("an unknown processor is an error, not an abort") {
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  CompileOptions options;
  options.cpu = "abacus";
  std::string error;
  CHECK(engine->compile(tiny_kernel(2), options, error) == nullptr);
  CHECK(error.find("abacus") != std::string::npos);
  CHECK(engine->emit(tiny_kernel(2), jit::Artifact::object, "m", options, error) == "");
}

TEST_CASE("compiling and removing a thousand kernels, and engines, keeps no memory") {
#ifdef __SANITIZE_ADDRESS__
  constexpr long kAllowed = 1 << 20;  // The sanitizer keeps freed memory and searches for leaks itself.
#else
  constexpr long kAllowed = 4096;  // KiB
#endif
  std::string error;
  const auto cycle = [&](jit::Engine& engine, int i) {
    const auto compiled = engine.compile(tiny_kernel(i), {}, error);
    REQUIRE_MESSAGE(compiled != nullptr, error);
    CHECK(run_tiny(*compiled, 1) == i);
  };
  {
    const std::unique_ptr<jit::Engine> engine = engine_or_fail();
    for (int i = 0; i < 100; ++i) cycle(*engine, i);
    const long before = resident_kib();
    for (int i = 0; i < 1000; ++i) cycle(*engine, i);
    CHECK(resident_kib() - before < kAllowed);
  }
  const long before = resident_kib();
  for (int i = 0; i < 100; ++i) cycle(*engine_or_fail(), i);
  CHECK(resident_kib() - before < kAllowed);
}

TEST_CASE("the floating-point environment is left alone") {
  const unsigned before = _mm_getcsr() & ~0x3fu;  // all bits except the sticky exception flags
  {
    const std::unique_ptr<jit::Engine> engine = engine_or_fail();
    std::string error;
    const auto compiled = engine->compile(tiny_kernel(0.5), {}, error);
    REQUIRE(compiled != nullptr);
    CHECK((_mm_getcsr() & ~0x3fu) == before);
    CHECK(run_tiny(*compiled, std::numeric_limits<double>::min()) == std::numeric_limits<double>::min() / 2);
  }
  CHECK((_mm_getcsr() & ~0x3fu) == before);
}

TEST_CASE("artifacts: text and object code with the names asked for") {
  const std::unique_ptr<jit::Engine> engine = engine_or_fail();
  std::string error;
  const auto emit = [&](jit::Artifact what) { return engine->emit(tiny_kernel(2), what, "model", {}, error); };
  CHECK(emit(jit::Artifact::llvm_ir).find("define i32 @model_rhs(double %t") != std::string::npos);
  CHECK(emit(jit::Artifact::optimised_ir).find("@model_rhs") != std::string::npos);
  CHECK(emit(jit::Artifact::assembly).find("model_rhs:") != std::string::npos);
  CHECK(emit(jit::Artifact::object).substr(0, 4) ==
        "\x7f"
        "ELF");
  CHECK(emit(jit::Artifact::llvm_ir).find("fast") == std::string::npos);
  CHECK(error == "");
}

}  // namespace mbc::test
