// SPDX-License-Identifier: Apache-2.0
// Tests the search for the operation that causes a failure.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "kernel/op_semantics.h"
#include "tests/kernel/small_kernel.h"

namespace mbc::test {

using kernel::Failure;
using kernel::Function;
using kernel::Kernel;
using kernel::kNaN;
using kernel::Op;
using kernel::Space;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

TEST_CASE("a failure is traced to the first operation with finite operands, across blocks and solves") {
  BlockBuilder first("outer");
  const auto x = first.load(Space::state, 0);
  const auto shifted = first.op(Op::sub, x, first.constant(3));
  const auto logarithm = first.op(Op::ln, shifted);
  first.store(Space::work, 1, first.op(Op::mul, logarithm, first.constant(2)));  // This value is the force.
  first.store(Space::work, 0, first.constant(1));                                // This value is the mass.
  BlockBuilder second("inner");
  second.store(Space::deriv, 1, second.op(Op::add, second.load(Space::work, 2), second.constant(1)));
  Kernel kernel = kernel_of(first.block());
  Function& f = kernel.functions[0];
  add_call(f, {"mbc_dense_solve", {1, 0, 0, 0, 1, 2, 2, 2, 3, 3, 3, 3, 0}});
  add_block(f, second.block());
  f.check_end = 4;
  KernelData data = data_of(kernel);
  data.state[0] = 1;
  CHECK(run(kernel, data) == 2);
  const auto failure = kernel::find_failure(kernel, f, arguments_of(data));
  REQUIRE(failure.has_value());
  CHECK(failure->kind == Failure::Kind::operation);
  CHECK(failure->op == Op::ln);
  CHECK(failure->operands[0] == -2);
  CHECK(std::isnan(failure->result));
  CHECK(failure->block == 0);
  CHECK(failure->instruction == logarithm);
  CHECK(failure->origin == Span{0, logarithm, logarithm + 1});

  data.state[0] = 4;
  CHECK(run(kernel, data) == 0);
  CHECK_FALSE(kernel::find_failure(kernel, f, arguments_of(data)).has_value());

  data.state[0] = kNaN;
  const auto input = kernel::find_failure(kernel, f, arguments_of(data));
  REQUIRE(input.has_value());
  CHECK(input->kind == Failure::Kind::input);
  CHECK(input->space == Space::state);
  CHECK(input->index == 0);
}

TEST_CASE("a failure in the branch not taken is no cause; an undefined condition is") {
  BlockBuilder b("only");
  const auto x = b.load(Space::state, 0);
  const auto root = b.op(Op::sqrt, x);  // The root is NaN for x < 0 but is not selected in that case.
  const auto inverse = b.op(Op::div, b.constant(1), b.op(Op::add, x, b.constant(1)));
  const auto condition = b.op(Op::lt, x, b.constant(0));
  b.store(Space::deriv, 0, b.op(Op::select, condition, inverse, root));
  const Kernel kernel = kernel_of(b.block());
  KernelData data = data_of(kernel);
  data.state[0] = -1;
  Function f = kernel.functions[0];
  f.check_end = 1;
  const auto failure = kernel::find_failure(kernel, f, arguments_of(data));
  REQUIRE(failure.has_value());
  CHECK(failure->op == Op::div);
  CHECK(failure->operands[1] == 0);
  CHECK(failure->result == kInfinity);
  data.state[0] = -2;
  CHECK_FALSE(kernel::find_failure(kernel, f, arguments_of(data)).has_value());
}

TEST_CASE("the instance that failed is named") {
  BlockBuilder b("rows");
  b.store(Space::deriv, 0, b.op(Op::div, b.constant(1), b.load(Space::state, 0, true)), true);
  b.instances(4, 1, {0, 1, 2, 3});
  Kernel kernel = kernel_of(b.block());
  kernel.functions[0].check_end = 4;
  KernelData data = data_of(kernel);
  data.state = {1, 2, 0, 4};
  CHECK(run(kernel, data) == 3);
  const auto failure = kernel::find_failure(kernel, kernel.functions[0], arguments_of(data));
  REQUIRE(failure.has_value());
  CHECK(failure->instance == 2);
  CHECK(failure->op == Op::div);
}

}  // namespace mbc::test
