// SPDX-License-Identifier: Apache-2.0
// Compares the Taylor coefficients of every operation with Cauchy's integral, f_k = 1/(2 pi i) times the integral of
// f(z)/z^(k+1) along a circle. The trapezoidal rule in complex long double converges as (r/rho)^n with n points.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <functional>

#include "compiler/formulate/jets/jet.h"
#include "kernel/interpreter.h"
#include "tests/kernel/block_builder.h"

using namespace mbc;
using namespace mbc::test;
using kernel::Op;
using kernel::Space;

namespace {

using Complex = std::complex<long double>;

constexpr std::uint32_t kOrder = 24;

// The operands depend on time: a = 0.4 + 0.3 t - 0.05 t^2, b = 1.3 - 0.2 t + 0.1 t^2, and c = sin t.
Complex first(Complex t) { return 0.4L + 0.3L * t - 0.05L * t * t; }
Complex second(Complex t) { return 1.3L - 0.2L * t + 0.1L * t * t; }
Complex third(Complex t) { return std::sin(t); }

struct Case {
  Op op;
  std::function<Complex(Complex, Complex, Complex)> f;
};

const std::vector<Case>& cases() {
  using C = Complex;
  static const std::vector<Case> list{
      {Op::neg, [](C a, C, C) { return -a; }},
      {Op::add, [](C a, C b, C) { return a + b; }},
      {Op::sub, [](C a, C b, C) { return a - b; }},
      {Op::mul, [](C a, C b, C) { return a * b; }},
      {Op::div, [](C a, C b, C) { return a / b; }},
      {Op::fma, [](C a, C b, C c) { return a * b + c; }},
      {Op::pow, [](C a, C b, C) { return std::pow(a, b); }},
      {Op::sqrt, [](C a, C, C) { return std::sqrt(a); }},
      {Op::sin, [](C a, C, C) { return std::sin(a); }},
      {Op::cos, [](C a, C, C) { return std::cos(a); }},
      {Op::tan, [](C a, C, C) { return std::tan(a); }},
      {Op::asin, [](C a, C, C) { return std::asin(a); }},
      {Op::acos, [](C a, C, C) { return std::acos(a); }},
      {Op::atan, [](C a, C, C) { return std::atan(a); }},
      {Op::atan2, [](C a, C b, C) { return std::atan(a / b); }},
      {Op::exp, [](C a, C, C) { return std::exp(a); }},
      {Op::ln, [](C a, C, C) { return std::log(a); }},
      {Op::log10, [](C a, C, C) { return std::log(a) / std::log(10.0L); }},
      {Op::sinh, [](C a, C, C) { return std::sinh(a); }},
      {Op::cosh, [](C a, C, C) { return std::cosh(a); }},
      {Op::tanh, [](C a, C, C) { return std::tanh(a); }},
      {Op::asinh, [](C a, C, C) { return std::asinh(a); }},
      {Op::acosh, [](C a, C b, C) { return std::acosh(a + b); }},  // The operand is a + b; see operand().
      {Op::atanh, [](C a, C, C) { return std::atanh(a); }},
      {Op::abs, [](C a, C, C) { return a; }},
      {Op::sign, [](C, C, C) { return C(1); }},
      {Op::floor, [](C, C, C) { return C(0); }},
      {Op::min, [](C a, C, C) { return a; }},
      {Op::max, [](C, C b, C) { return b; }},
      {Op::lt, [](C, C, C) { return C(1); }},
      {Op::le, [](C, C, C) { return C(1); }},
      {Op::eq, [](C, C, C) { return C(0); }},
      {Op::ne, [](C, C, C) { return C(1); }},
      {Op::select, [](C, C b, C) { return b; }}};  // a is not 0.
  return list;
}

// Returns the kernel of y' = the operation. If `fixed` is set, all operands except the first are parameters.
kernel::Kernel rate_of(const std::function<BlockBuilder::Value(BlockBuilder&, BlockBuilder::Value, BlockBuilder::Value,
                                                               BlockBuilder::Value)>& f) {
  BlockBuilder b("rhs");
  const auto t = b.load(Space::time, 0), t2 = b.op(Op::mul, t, t);
  const auto x = b.op(Op::fma, b.constant(-0.05), t2, b.op(Op::fma, b.constant(0.3), t, b.constant(0.4)));
  const auto y = b.op(Op::fma, b.constant(0.1), t2, b.op(Op::fma, b.constant(-0.2), t, b.constant(1.3)));
  b.store(Space::deriv, 0, f(b, x, y, b.op(Op::sin, t)));
  kernel::Kernel k;
  k.n_state = 1;
  k.n_params = 1;
  kernel::Function rhs;
  rhs.name = "rhs";
  rhs.check_end = 1;
  add_block(rhs, std::move(b.block()));
  k.functions.push_back(std::move(rhs));
  return k;
}

std::vector<double> coefficients(const kernel::Kernel& kernel, double at, double y, double param = 0) {
  const formulate::MadeJet made = formulate::jet_of(kernel, 1, "rhs", kOrder);
  REQUIRE_MESSAGE(made.jet, made.refused);
  const kernel::Kernel& jet = made.jet->kernel;
  REQUIRE(kernel::verify(jet).empty());
  kernel::Registers registers = kernel::make_registers(jet);
  std::vector<double> work(jet.n_work, std::nan("")), deriv(jet.n_state);
  REQUIRE(kernel::interpret(jet.functions.front(), at, &y, &param, nullptr, nullptr, work.data(), deriv.data(),
                            registers) == 0);
  deriv.resize(kOrder + 1);
  return deriv;
}

// Checks y_(k + 1) = f_k/(k + 1) for f about `at`. The allowed rounding is relative to the bound of f_k: the largest
// value on the circle over r^k.
void compare(const std::vector<double>& found, const std::function<Complex(Complex)>& f, long double at) {
  constexpr int kPoints = 512;
  const long double pi = std::acos(-1.0L), r = 0.9L;  // The nearest singularity is at a distance of 1.12.
  std::vector<Complex> values;
  long double largest = 0;
  for (int p = 0; p < kPoints; ++p) {
    values.push_back(f(at + std::polar(r, 2 * pi * p / kPoints)));
    largest = std::max(largest, std::abs(values.back()));
  }
  for (std::uint32_t k = 0; k < kOrder; ++k) {
    Complex sum = 0;
    for (int p = 0; p < kPoints; ++p)
      sum +=
          values[static_cast<std::size_t>(p)] * std::polar(1.0L, -2 * pi * p * static_cast<long double>(k) / kPoints);
    const long double exact = (sum / static_cast<long double>(kPoints)).real() / std::pow(r, k);
    const auto rate = static_cast<long double>(found[k + 1]) * (k + 1);
    CAPTURE(k);
    CAPTURE(static_cast<double>(exact));
    CHECK(static_cast<double>(std::fabs(rate - exact)) <=
          2e-15 * (k + 1) * static_cast<double>(largest / std::pow(r, k)));
  }
}

}  // namespace

TEST_CASE("coefficients of every operation are those of Cauchy's integral") {
  for (const Case& c : cases())
    for (const double at : {0.0, 0.1}) {
      CAPTURE(std::string(kernel::op_text(c.op)));
      CAPTURE(at);
      const auto kernel = rate_of([&](BlockBuilder& b, auto x, auto y, auto z) {
        const bool sum = c.op == Op::acosh;
        return b.op(c.op, sum ? b.op(Op::add, x, y) : x, y, z);
      });
      compare(
          coefficients(kernel, at, 0.7), [&](Complex t) { return c.f(first(t), second(t), third(t)); }, at);
    }
}

TEST_CASE("coefficients of powers, of operands that stay, and of the same operand twice") {
  using B = BlockBuilder;
  struct Expression {
    const char* name;
    std::function<B::Value(B&, B::Value, B::Value)> code;
    std::function<Complex(Complex, Complex)> f;
  };
  const std::vector<Expression> list{
      {"c^7 through 0",
       [](B& b, auto, auto) { return b.op(Op::pow, b.op(Op::sin, b.load(Space::time, 0)), b.constant(7)); }, nullptr},
      {"a^-3", [](B& b, auto x, auto) { return b.op(Op::pow, x, b.constant(-3)); },
       [](Complex x, Complex) { return 1.0L / (x * x * x); }},
      {"b^2.5", [](B& b, auto, auto y) { return b.op(Op::pow, y, b.constant(2.5)); },
       [](Complex, Complex y) { return std::pow(y, 2.5L); }},
      {"b^p", [](B& b, auto, auto y) { return b.op(Op::pow, y, b.load(Space::params, 0)); },
       [](Complex, Complex y) { return std::pow(y, 1.5L); }},
      {"p^a", [](B& b, auto x, auto) { return b.op(Op::pow, b.load(Space::params, 0), x); },
       [](Complex x, Complex) { return std::pow(Complex(1.5L), x); }},
      {"p/b", [](B& b, auto, auto y) { return b.op(Op::div, b.load(Space::params, 0), y); },
       [](Complex, Complex y) { return 1.5L / y; }},
      {"a/p", [](B& b, auto x, auto) { return b.op(Op::div, x, b.load(Space::params, 0)); },
       [](Complex x, Complex) { return x / 1.5L; }},
      {"a a", [](B& b, auto x, auto) { return b.op(Op::mul, x, x); }, [](Complex x, Complex) { return x * x; }},
      {"a/a^2", [](B& b, auto x, auto) { return b.op(Op::div, x, b.op(Op::mul, x, x)); },
       [](Complex x, Complex) { return 1.0L / x; }},
      {"sin a cos a", [](B& b, auto x, auto) { return b.op(Op::mul, b.op(Op::sin, x), b.op(Op::cos, x)); },
       [](Complex x, Complex) { return std::sin(x) * std::cos(x); }},
      {"min(b, a), |-a|",
       [](B& b, auto x, auto y) { return b.op(Op::add, b.op(Op::min, y, x), b.op(Op::abs, b.op(Op::neg, x))); },
       [](Complex x, Complex) { return x + x; }},
      {"what is not chosen may be undefined",
       [](B& b, auto x, auto y) {
         return b.op(Op::select, b.op(Op::lt, y, x), b.op(Op::sqrt, b.op(Op::neg, x)), b.op(Op::mul, x, y));
       },
       [](Complex x, Complex y) { return x * y; }}};
  for (const Expression& e : list) {
    CAPTURE(std::string(e.name));
    const auto kernel = rate_of([&](B& b, auto x, auto y, auto) { return e.code(b, x, y); });
    const auto f = [&](Complex t) { return e.f ? e.f(first(t), second(t)) : std::pow(std::sin(t), 7); };
    compare(coefficients(kernel, 0, 0.7, 1.5), f, 0);
  }
}

TEST_CASE("the state takes part: y' = y^2 - y t has the coefficients of its solution") {
  // The solution is y = w/(c - integral of w) with w = exp(-t^2/2). The integral to t is a series of its own.
  const auto kernel = rate_of([](BlockBuilder& b, auto, auto, auto) {
    const auto y = b.load(Space::state, 0);
    return b.op(Op::sub, b.op(Op::mul, y, y), b.op(Op::mul, y, b.load(Space::time, 0)));
  });
  std::vector<long double> w(kOrder + 2, 0), integral(kOrder + 2, 0), y(kOrder + 2, 0);
  w[0] = 1;
  for (std::uint32_t k = 2; k < w.size(); k += 2) w[k] = -w[k - 2] / k;  // w' = -t w
  integral[0] = 2;                                                       // c = 2 gives y(0) = 1/2.
  for (std::uint32_t k = 1; k < w.size(); ++k) integral[k] = -w[k - 1] / k;
  for (std::uint32_t k = 0; k < w.size(); ++k) {
    long double rest = w[k];
    for (std::uint32_t j = 1; j <= k; ++j) rest -= integral[j] * y[k - j];
    y[k] = rest / integral[0];
  }
  const std::vector<double> found = coefficients(kernel, 0, 0.5);
  for (std::uint32_t k = 0; k <= kOrder; ++k) {
    CAPTURE(k);
    CHECK(std::fabs(found[k] - static_cast<double>(y[k])) <= 1e-15);
  }
}

TEST_CASE("what has no series is refused with its place") {
  const auto kernel = rate_of([](BlockBuilder& b, auto x, auto, auto) { return b.op(Op::mul, b.table(x, 1, 0), x); });
  const formulate::MadeJet made = formulate::jet_of(kernel, 1, "rhs", kOrder);
  CHECK_FALSE(made.jet);
  CHECK(made.refused.find("table") != std::string::npos);
  CHECK(made.at.known());
  CHECK_FALSE(formulate::jet_of(kernel, 1, "fast_rhs", kOrder).jet);
}
