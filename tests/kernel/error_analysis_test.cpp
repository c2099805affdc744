// SPDX-License-Identifier: Apache-2.0
// Compares error bounds of kernels with first-order formulas and with long double.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "base/epsilon.h"
#include "kernel/interpreter.h"
#include "kernel/op_semantics.h"
#include "tests/kernel/small_kernel.h"

namespace mbc::test {

using kernel::Failure;
using kernel::Function;
using kernel::Kernel;
using kernel::Op;
using kernel::Space;

namespace {

// Returns the error bounds of work[0] and work[1] after `body` has stored there. State errors are |v| by definition.
std::vector<double> error_bounds(const std::function<void(BlockBuilder&)>& body, const std::vector<double>& state) {
  BlockBuilder b("only");
  body(b);
  const Kernel kernel = kernel_of(b.block());
  REQUIRE(kernel::verify(kernel) == "");
  KernelData data = data_of(kernel);
  data.state = state;
  std::vector<double> work_error(kernel.n_work, 0), deriv_error(kernel.n_state, 0);
  kernel::Registers registers = kernel::make_registers(kernel);
  CHECK(kernel::interpret_with_error(kernel.functions[0], arguments_of(data), work_error.data(), deriv_error.data(),
                                     registers) == 0);
  return work_error;
}

}  // namespace

TEST_CASE("error bounds of single operations follow the first-order formulas") {
  const auto bound = [](Op op, double a, double b = 0, double c = 0) {
    return error_bounds(
        [op](BlockBuilder& block) {
          const auto x = block.load(Space::state, 0), y = block.load(Space::state, 1), z = block.load(Space::state, 2);
          block.store(Space::work, 0, block.op(op, x, y, z));
        },
        {a, b, c, 0})[0];
  };
  CHECK(bound(Op::add, 1, -1) == 2);
  CHECK(bound(Op::mul, 2, 3) == 18);
  CHECK(bound(Op::div, 6, 3) == doctest::Approx(6));
  CHECK(bound(Op::fma, 2, 3, 4) == 26);
  CHECK(bound(Op::sqrt, 4) == doctest::Approx(3));
  CHECK(bound(Op::sqrt, 0) == 0);
  CHECK(bound(Op::pow, 2, 3) == doctest::Approx(8 * (3 + 3 * std::log(2)) + 8));
  CHECK(bound(Op::sin, 2) == doctest::Approx(2 * std::fabs(std::cos(2)) + std::sin(2)));
  CHECK(bound(Op::neg, 5) == 5);
  CHECK(bound(Op::floor, 5.5) == 0);
  CHECK(bound(Op::lt, 5, 6) == 0);
  CHECK(bound(Op::max, 5, 6) == 6);
  CHECK(bound(Op::select, 0, 5, 6) == 6);
  CHECK(bound(Op::select, 1, 5, 6) == 5);
}

TEST_CASE("constants are exact, and stored errors are read back") {
  const std::vector<double> e = error_bounds(
      [](BlockBuilder& b) {
        const auto x = b.load(Space::state, 0), c = b.constant(3);
        // The value is 0 but has a noise of 24.
        b.store(Space::work, 1, b.op(Op::sub, b.op(Op::mul, x, c), b.op(Op::mul, x, c)));
        b.store(Space::work, 0, b.op(Op::mul, b.load(Space::work, 1), b.constant(10)));
      },
      {2, 0, 0, 0});
  CHECK(e[1] == 24);
  CHECK(e[0] == 240);
}

TEST_CASE("the bound holds against long double, and is no wild guess") {
  using Real = long double;
  Random random(11);
  double worst = 0, typical = 0;
  constexpr int kRuns = 2000;
  for (int run_number = 0; run_number < kRuns; ++run_number) {
    BlockBuilder b("only");
    std::vector<double> state{random.uniform(0.5, 2), random.uniform(-2, -0.5), random.uniform(0.5, 2), 1};
    std::vector<Real> exact;
    for (std::uint32_t i = 0; i < 3; ++i) {
      b.load(Space::state, i);
      exact.push_back(state[i]);
    }
    for (int i = 0; i < 12; ++i) {
      const auto n = static_cast<std::uint32_t>(exact.size());
      const std::uint32_t x = random.below(n), y = random.below(n);
      const Real a = exact[x], c = exact[y];
      switch (random.below(6)) {
        case 0:
          b.op(Op::add, x, y);
          exact.push_back(a + c);
          break;
        case 1:
          b.op(Op::sub, x, y);
          exact.push_back(a - c);
          break;
        case 2:
          b.op(Op::mul, x, y);
          exact.push_back(a * c);
          break;
        case 3:
          b.op(Op::sin, x);
          exact.push_back(std::sin(a));
          break;
        case 4:
          b.op(Op::atan, x);
          exact.push_back(std::atan(a));
          break;
        default:
          b.op(Op::tanh, x);
          exact.push_back(std::tanh(a));
          break;
      }
    }
    b.store(Space::work, 0, b.size() - 1);
    const Kernel kernel = kernel_of(b.block());
    KernelData data = data_of(kernel);
    data.state = state;
    std::vector<double> work_error(kernel.n_work, 0), deriv_error(kernel.n_state, 0);
    kernel::Registers registers = kernel::make_registers(kernel);
    kernel::interpret_with_error(kernel.functions[0], arguments_of(data), work_error.data(), deriv_error.data(),
                                 registers);
    const auto error = static_cast<double>(std::fabs(static_cast<Real>(data.work[0]) - exact.back()));
    const double bound = work_error[0] * kEpsilon;
    CHECK(error <= bound * (1 + 1e-6));
    if (bound > 0) {
      worst = std::max(worst, error / bound);
      typical += bound / std::max(std::fabs(data.work[0]), 1e-3) / kRuns;
    }
  }
  CHECK(worst < 1);
  CHECK(worst > 0.05);
  CHECK(typical < 1e4 * kEpsilon);
}

TEST_CASE("error analysis and interpreter compute the same values") {
  RandomKernelOptions options;
  options.functions = 200;
  const Kernel kernel = random_kernel(5, options);
  kernel::Registers registers = kernel::make_registers(kernel);
  std::vector<double> work_error(kernel.n_work), deriv_error(kernel.n_state);
  Random random(6);
  for (const Function& f : kernel.functions) {
    KernelData one = random_data(kernel, random, true);
    KernelData two = one;
    const auto status = kernel::interpret(f, one.t, one.state.data(), one.params.data(), one.inputs.data(),
                                          one.mask.data(), one.work.data(), one.deriv.data(), registers);
    CHECK(status ==
          kernel::interpret_with_error(f, arguments_of(two), work_error.data(), deriv_error.data(), registers));
    CHECK(same_bits(one.work, two.work));
    CHECK(same_bits(one.deriv, two.deriv));
  }
}

TEST_CASE("whatever is not finite has a cause that is") {
  RandomKernelOptions options;
  options.functions = 400;
  options.guarded = false;
  const Kernel kernel = random_kernel(9, options);
  Random random(10);
  int failures = 0;
  for (const Function& f : kernel.functions) {
    KernelData data = random_data(kernel, random, true);
    KernelData again = data;
    kernel::Registers registers = kernel::make_registers(kernel);
    const auto status = kernel::interpret(f, data.t, data.state.data(), data.params.data(), data.inputs.data(),
                                          data.mask.data(), data.work.data(), data.deriv.data(), registers);
    const auto failure = kernel::find_failure(kernel, f, arguments_of(again));
    if (status != 0) CHECK(failure.has_value());
    if (!failure.has_value() || failure->kind != Failure::Kind::operation) continue;
    ++failures;
    for (std::uint32_t k = 0; k < kernel::arity(failure->op); ++k)
      if (failure->op != Op::select) CHECK(std::isfinite(failure->operands[k]));
    CHECK_FALSE(std::isfinite(failure->result));
  }
  CHECK(failures > 100);
}

}  // namespace mbc::test
