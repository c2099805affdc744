// SPDX-License-Identifier: Apache-2.0
// Tests the interpreter, the meaning of the operations, verify(), and the printer.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "kernel/interpreter.h"
#include "kernel/op_semantics.h"
#include "kernel/support/mbc_support.h"
#include "tests/kernel/small_kernel.h"

namespace mbc::test {
namespace {

using kernel::Failure;
using kernel::Function;
using kernel::Kernel;
using kernel::kNaN;
using kernel::Op;
using kernel::Space;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double evaluate(Op op, double a, double b = 0, double c = 0) {
  BlockBuilder builder("only");
  const auto x = builder.constant(a), y = builder.constant(b), z = builder.constant(c);
  builder.store(Space::deriv, 0, builder.op(op, x, y, z));
  const Kernel kernel = kernel_of(builder.block());
  KernelData data = data_of(kernel);
  CHECK(run(kernel, data) == 0);
  return data.deriv[0];
}

}  // namespace

TEST_CASE("a comparison is 1, 0 or NaN") {
  CHECK(evaluate(Op::lt, 1, 2) == 1);
  CHECK(evaluate(Op::lt, 2, 2) == 0);
  CHECK(evaluate(Op::le, 2, 2) == 1);
  CHECK(evaluate(Op::eq, 0.0, -0.0) == 1);
  CHECK(evaluate(Op::ne, 0.0, -0.0) == 0);
  for (const Op op : {Op::lt, Op::le, Op::eq, Op::ne}) {
    CHECK(std::isnan(evaluate(op, kNaN, 1)));
    CHECK(std::isnan(evaluate(op, 1, kNaN)));
  }
}

TEST_CASE("an undefined condition gives no branch, and the branch not taken does not matter") {
  CHECK(std::isnan(evaluate(Op::select, kNaN, 1, 2)));
  CHECK(evaluate(Op::select, 1, 5, kNaN) == 5);
  CHECK(evaluate(Op::select, 0, kNaN, 7) == 7);
  CHECK(evaluate(Op::select, -0.0, kNaN, 7) == 7);
  CHECK(evaluate(Op::select, kInfinity, 5, 7) == 5);
}

TEST_CASE("min and max pass NaN on; ties give the second operand") {
  for (const Op op : {Op::min, Op::max}) {
    CHECK(std::isnan(evaluate(op, kNaN, 1)));
    CHECK(std::isnan(evaluate(op, 1, kNaN)));
    CHECK(std::signbit(evaluate(op, 0.0, -0.0)));
    CHECK_FALSE(std::signbit(evaluate(op, -0.0, 0.0)));
  }
  CHECK(evaluate(Op::min, 1, kInfinity) == 1);
  CHECK(evaluate(Op::max, 1, -kInfinity) == 1);
}

TEST_CASE("sign, floor, abs and the logical operations") {
  CHECK(evaluate(Op::sign, -3) == -1);
  CHECK(std::signbit(evaluate(Op::sign, -0.0)));
  CHECK(std::isnan(evaluate(Op::sign, kNaN)));
  CHECK(evaluate(Op::floor, -1.5) == -2);
  CHECK(evaluate(Op::abs, -kInfinity) == kInfinity);
  for (const double a : {0.0, 1.0}) {
    CHECK(evaluate(Op::logical_not, a) == 1 - a);
    for (const double b : {0.0, 1.0}) {
      CHECK(evaluate(Op::logical_and, a, b) == (a != 0 && b != 0 ? 1 : 0));
      CHECK(evaluate(Op::logical_or, a, b) == (a != 0 || b != 0 ? 1 : 0));
    }
  }
  CHECK(std::isnan(evaluate(Op::logical_or, 1, kNaN)));
}

TEST_CASE("products and sums are rounded one by one; fma once") {
  CHECK(evaluate(Op::fma, 0.1, 0.3, -0.1 * 0.3) != 0);
  CHECK(evaluate(Op::fma, 0.1, 0.3, 0.5) == std::fma(0.1, 0.3, 0.5));
  BlockBuilder b("only");
  const auto x = b.load(Space::state, 0), y = b.load(Space::state, 1);
  b.store(Space::deriv, 0, b.op(Op::sub, b.op(Op::mul, x, y), b.op(Op::mul, y, x)));
  const Kernel kernel = kernel_of(b.block());
  KernelData data = data_of(kernel);
  data.state = {0.1, 0.3, 0, 0};
  run(kernel, data);
  CHECK(data.deriv[0] == 0);
}

TEST_CASE("library operations are the C library's") {
  CHECK(kernel::math_functions().size() == 17);
  CHECK(evaluate(Op::pow, 1.1, 2.0) == std::pow(1.1, 2.0));
  CHECK(evaluate(Op::atan2, 1, -1) == std::atan2(1, -1));
  CHECK(evaluate(Op::log10, 1000) == std::log10(1000));
  for (const kernel::MathFunction& f : kernel::math_functions()) {
    CHECK((f.unary != nullptr) == (kernel::arity(f.op) == 1));
    const double direct = f.unary != nullptr ? f.unary(0.75) : f.binary(0.75, 2);
    CHECK(same_bits(evaluate(f.op, 0.75, 2), direct));
  }
}

TEST_CASE("an index table gives back what it was made of, and stores only the columns that do not count evenly") {
  // The columns increase, decrease, are constant, are uneven, are even except for the last row, and have too large a
  // step.
  const std::uint32_t rows = 5;
  const auto entry = [](std::uint32_t k, std::uint32_t c) -> std::uint32_t {
    const std::uint32_t columns[] = {
        7 + 3 * k, 100 - 4 * k, 9, k * k, k + 1 == rows ? 50 : 10 * k, k % 2 == 0 ? 0 : 4'000'000'000u};
    return columns[c];
  };
  kernel::IndexTable table(rows, 6, entry);
  const auto holds = [&](const auto& wanted) {
    std::vector<std::uint32_t> room(table.columns());
    kernel::RowByRow walk(table, room.data());
    for (std::uint32_t k = 0; k < table.rows(); ++k, walk.next())
      for (std::uint32_t c = 0; c < table.columns(); ++c) {
        CHECK(table(k, c) == wanted(k, c));
        CHECK(walk.row()[c] == wanted(k, c));
      }
  };
  holds(entry);
  CHECK(table.apart() == std::vector<std::uint32_t>{3, 4, 5});
  CHECK(table.stored().size() == 3 * rows);
  CHECK(table.step()[1] == -4);
  table.set_column(4, [](std::uint32_t k) { return 2 * k; });
  table.set_column(0, [](std::uint32_t k) { return k ^ 1; });
  CHECK(table.apart() == std::vector<std::uint32_t>{0, 3, 5});
  holds([&](std::uint32_t k, std::uint32_t c) { return c == 4 ? 2 * k : c == 0 ? k ^ 1 : entry(k, c); });
  for (const std::uint32_t few : {0u, 1u, 2u}) {
    table = {few, 2, entry};
    CHECK(table.stored().empty());
    holds(entry);
  }
  // The step needs more than 31 bits.
  table = {2, 1, [](std::uint32_t k, std::uint32_t) { return k * 4'000'000'000u; }};
  CHECK(table.stored().size() == 2);
  holds([](std::uint32_t k, std::uint32_t) { return k * 4'000'000'000u; });
}

TEST_CASE("blocks run their instances in order, each with its row of the table") {
  BlockBuilder b("sum");  // The block computes work[c0] = work[c0] + state[c1] * t.
  const auto product = b.op(Op::mul, b.load(Space::state, 1, true), b.load(Space::time, 0));
  b.store(Space::work, 0, b.op(Op::add, b.load(Space::work, 0, true), product), true);
  b.instances(3, 2, {5, 0, 5, 1, 6, 3});
  const Kernel kernel = kernel_of(b.block());
  KernelData data = data_of(kernel);
  data.t = 10;
  data.state = {1, 2, 3, 4};
  CHECK(run(kernel, data) == 0);
  CHECK(data.work[5] == 30);
  CHECK(data.work[6] == 40);
}

TEST_CASE("the finite check covers its range only and counts from one") {
  BlockBuilder b("only");
  b.store(Space::deriv, 0, b.constant(kNaN));
  b.store(Space::deriv, 2, b.constant(kInfinity));
  Kernel kernel = kernel_of(b.block());
  KernelData data = data_of(kernel);
  CHECK(run(kernel, data) == 0);
  kernel.functions[0].check_end = 4;
  CHECK(run(kernel, data) == 1);
  kernel.functions[0].check_begin = 1;
  CHECK(run(kernel, data) == 3);
}

TEST_CASE("a routine that fails ends the function with its status") {
  BlockBuilder b("after");
  b.store(Space::deriv, 0, b.constant(1));
  Kernel kernel = kernel_of(b.block());
  Function& f = kernel.functions[0];
  add_call(f, {"mbc_dense_solve", {1, 0, 0, 0, 1, 2, 2, 2, 3, 3, 3, 3, 0}});
  std::swap(f.steps[0], f.steps[1]);
  KernelData data = data_of(kernel);  // The mass is zero.
  CHECK(run(kernel, data) == 1);
  CHECK(data.deriv[0] == 0);
  const auto failure = kernel::find_failure(kernel, f, arguments_of(data));
  REQUIRE(failure.has_value());
  CHECK(failure->kind == Failure::Kind::routine);
  CHECK(failure->status == 1);
  data.work[0] = 4;
  data.work[1] = 2;
  CHECK(run(kernel, data) == 0);
  CHECK(data.work[2] == 0.5);
  CHECK(data.deriv[0] == 1);
}

TEST_CASE("verify refuses every broken rule") {
  const auto broken = [](const std::function<void(Kernel&)>& change) {
    BlockBuilder b("sum");
    const auto x = b.load(Space::state, 0, true);
    const auto y = b.constant(2);
    const auto z = b.op(Op::add, x, y);
    b.store(Space::work, 7, z);
    b.op(Op::neg, z);
    b.instances(2, 1, {0, 3});
    Kernel kernel = kernel_of(b.block());
    add_call(kernel.functions[0], {"mbc_dense_solve", {1, 0, 0, 0, 1, 2, 2, 2, 3, 3, 3, 3, 0}});
    REQUIRE(kernel::verify(kernel) == "");
    change(kernel);
    return kernel::verify(kernel);
  };
  const auto code = [](Kernel& k) -> std::vector<kernel::Inst>& { return k.functions[0].blocks[0].code; };
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };

  CHECK(says(broken([&](Kernel& k) { code(k)[2].a = 2; }), "%2 is not defined before its use"));
  CHECK(says(broken([&](Kernel& k) { code(k)[4].a = 3; }), "%3 is a store, not a value"));
  CHECK(says(broken([&](Kernel& k) { code(k)[4].c = 9; }), "unused operand"));
  CHECK(says(broken([&](Kernel& k) { code(k)[1].a = 1; }), "constant 1 does not exist"));
  CHECK(says(broken([&](Kernel& k) { code(k)[3].b = 8; }), "work[8] is out of range (8)"));
  CHECK(says(broken([&](Kernel& k) { code(k)[3].space = Space::state; }), "a store to state, which is only read"));
  CHECK(says(broken([&](Kernel& k) { code(k)[3].space = Space::time; }), "a store to time"));
  CHECK(says(broken([&](Kernel& k) { code(k)[2].op = Op::leaf; }), "not an operation"));
  CHECK(says(broken([&](Kernel& k) { code(k)[0].b = 1; }), "column 1 does not exist"));
  CHECK(says(broken([&](Kernel& k) { code(k)[0].space = Space::time; }), "time[3] is out of range"));
  CHECK(says(broken([&](Kernel& k) {
               k.functions[0].blocks[0].table.set_column(0, [](std::uint32_t row) { return row == 1 ? 4u : 3u; });
             }),
             "state[4] is out of range (4) in instance 1"));
  CHECK(says(broken([&](Kernel& k) { k.functions[0].blocks[0].table = {}; }), "its table is 0 x 0, not 2 x 1"));
  CHECK(says(broken([&](Kernel& k) { k.functions[0].blocks[0].origin.pop_back(); }), "4 origins for 5"));
  const auto gate = [&](std::uint32_t column, std::vector<kernel::Block::Off> off) {
    return broken([&](Kernel& k) {
      k.n_inputs = 4;
      k.functions[0].blocks[0].gate = column;
      k.functions[0].blocks[0].off = std::move(off);
    });
  };
  CHECK(gate(0, {{3, 1}}) == "");
  CHECK(says(gate(1, {{3, 1}}), "its gate: column 1 does not exist"));
  CHECK(says(gate(0, {}), "nothing is known of the store 3 where its gate is shut"));
  CHECK(says(gate(0, {{2, 1}}), "nothing is known of the store 3"));
  CHECK(says(gate(0, {{3, 1}, {3, 1}}), "its gate knows more stores than it has"));
  CHECK(says(broken([&](Kernel& k) { k.functions[0].blocks[0].off = {{3, 1}}; }), "it has no gate"));
  CHECK(says(broken([&](Kernel& k) {
               k.functions[0].blocks[0].gate = 0;
               k.functions[0].blocks[0].off = {{3, 1}};
             }),
             "its gate: inputs[3] is out of range (1)"));
  CHECK(says(broken([&](Kernel& k) { k.functions[0].steps[0].index = 1; }), "step 0 names block 1"));
  CHECK(says(broken([&](Kernel& k) { k.functions[0].check_end = 5; }), "the checked range [0, 5) leaves deriv (4)"));
  CHECK(
      says(broken([&](Kernel& k) { k.functions[0].calls[0].symbol = "system"; }), "`system` is not a support routine"));
  CHECK(says(broken([&](Kernel& k) { k.functions[0].calls[0].plan[3] = 8; }), "leaves the workspace"));
  CHECK(says(broken([&](Kernel& k) { k.functions[0].calls[0].plan.push_back(0); }), "length does not fit"));
  CHECK(says(broken([&](Kernel& k) { k.functions.push_back(k.functions[0]); }), "two functions named `rhs`"));
  CHECK(says(broken([&](Kernel& k) { k.fields.push_back({"A", Space::work, 6, 3}); }), "field `A` leaves its array"));
}

TEST_CASE("the printed kernel") {
  BlockBuilder first("forces");
  const auto x = first.load(Space::state, 1);
  const auto y = first.op(Op::mul, x, first.constant(0.1));
  first.store(Space::work, 4, first.op(Op::select, y, x, first.load(Space::time, 0)));
  BlockBuilder second("rates");
  second.store(Space::deriv, 0, second.load(Space::work, 1, true), true);
  second.instances(2, 2, {0, 4, 1, 5});
  second.block().gate = 0;
  second.block().off = {{1, 0.5}};
  Kernel kernel = kernel_of(first.block());
  kernel.fields = {{"q", Space::state, 0, 4}, {"A", Space::work, 2, 6}};
  add_block(kernel.functions[0], second.block());
  add_call(kernel.functions[0], {"mbc_dense_solve", {1, 0}});
  kernel.functions[0].check_end = 4;
  CHECK(kernel::print(kernel) == R"(kernel test
  sizes state 4 params 2 inputs 1 mask 2 work 8
  field q = state[0..4)
  field A = work[2..8)
function rhs
  block forces
    %0 = load state[q+1]
    %1 = 0.1
    %2 = * %0, %1
    %3 = load t
    %4 = select %2, %0, %3
    store work[A+2], %4
  block rates for 2 instances
    instance 0: 0 4
    instance 1: 1 5
    while inputs[column 0] is 0 it stores 0.5
    %0 = load work[column 1]
    store deriv[column 0], %0
  call mbc_dense_solve plan 1 0
  check finite deriv[0..4)
)");
}

}  // namespace mbc::test
