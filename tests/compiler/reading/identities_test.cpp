// SPDX-License-Identifier: Apache-2.0
// Tests reading::Simplifier on expressions whose form on paper is known.
#include <doctest/doctest.h>

#include "tests/compiler/reading/sheet.h"

namespace mbc::test {
namespace {

TEST_CASE("identities of sines and cosines") {
  Sheet s;
  const Written a = s.coordinate("a"), b = s.coordinate("b"), m = s.parameter("m"), J = s.parameter("J");
  CHECK(s.simplified(power(sin(a), 2) + power(cos(a), 2)) == "1");
  CHECK(s.simplified(power(sin(a), 4) + 2 * (power(sin(a), 2) * power(cos(a), 2)) + power(cos(a), 4)) == "1");
  CHECK(s.simplified(cos(a) * cos(b) + sin(a) * sin(b)) == "cos(a - b)");
  CHECK(s.simplified(cos(b) * cos(a) - sin(b) * sin(a)) == "cos(a + b)");
  CHECK(s.simplified(sin(b) * cos(a) - cos(b) * sin(a)) == "-sin(a - b)");
  CHECK(s.simplified(2 * (sin(a) * cos(a))) == "sin(2*a)");
  CHECK(s.simplified(m * (power(cos(a), 2) - power(sin(a), 2))) == "m*cos(2*a)");
  CHECK(s.simplified(1 - power(cos(a), 2)) == "sin(a)^2");
  CHECK(s.simplified(1 - power(sin(a), 2)) == "cos(a)^2");
  CHECK(s.simplified(sin(a + b) - sin(a) * cos(b) - cos(a) * sin(b)) == "0");
  CHECK(s.simplified(m * (1 - power(cos(a), 2)) + J * (1 - power(sin(b), 2))) == "J*cos(b)^2 + m*sin(a)^2");
  CHECK(s.simplified(sin(-a) + cos(-b)) == "cos(b) - sin(a)");
  CHECK(s.simplified(sin(a + s.number(1.5707963267948966))) == "cos(a)");
  CHECK(s.simplified(cos(a - s.number(3.141592653589793))) == "-cos(a)");
}

TEST_CASE("sums are factored") {
  Sheet s;
  const Written a = s.coordinate("a"), b = s.coordinate("b"), x = s.coordinate("x"), y = s.coordinate("y"),
                z = s.coordinate("z");
  CHECK(s.simplified(a * x + b * x + a * y + b * y) == "(a + b)*(x + y)");
  CHECK(s.simplified(a * x + a * y + a * z + b * x + b * y) == "a*z + (a + b)*(x + y)");
  CHECK(s.simplified(2 * (a * x) - 4 * (b * x)) == "2*x*(a - 2*b)");
  CHECK(s.simplified((a - b) * (a + b) + b * b) == "a^2");
  CHECK(s.simplified(power(a + b, 2)) == "(a + b)^2");
  CHECK(s.simplified(x / a + y / a) == "(x + y)/a");
  CHECK(s.simplified(x / (2 * a) + y / (2 * b)) == "(x/a + y/b)/2");
}

TEST_CASE("numbers are written as people write them") {
  Sheet s;
  const Written m = s.parameter("m"), x = s.coordinate("x");
  CHECK(s.simplified(0.5 * x) == "x/2");
  CHECK(s.simplified(1.5 * x) == "3*x/2");
  CHECK(s.simplified(-0.25 * (m * x)) == "-m*x/4");
  CHECK(s.simplified((1.0 / 12) * (m * x)) == "m*x/12");
  CHECK(s.simplified(9.81 * m) == "9.81*m");
  CHECK(s.simplified(0.1 * x + 0.2 * x) == "0.3*x");
  CHECK(s.simplified(0.3 * x - 0.1 * x - 0.2 * x) == "0");
  CHECK(s.simplified(1e-9 * x) == "1e-09*x");
  CHECK(s.plain(0.5 * x) == "x/2");
}

TEST_CASE("a singularity is cancelled with its condition") {
  Sheet s;
  const Written x = s.coordinate("x"), m = s.parameter("m"), a = s.coordinate("a"), b = s.coordinate("b");
  CHECK(s.simplified(x / x) == "1 where x != 0");
  CHECK(s.simplified(m * x / m) == "x where m != 0");
  CHECK(s.simplified(power(sin(x), 2) / sin(x)) == "sin(x) where sin(x) != 0");
  CHECK(s.simplified(a * x / (a * m + a * b)) == "x/(b + m) where a != 0");
  CHECK(s.simplified(m / x + 1 / x - m / x - 1 / x) == "0 where x != 0");
  CHECK(s.simplified(call(graph::Op::tanh, x / x * m) + 1 / m) == "tanh(m) + 1/m where x != 0");
  CHECK(s.simplified(1 / (1 / x)) == "x where x != 0");
  CHECK(s.simplified(1 / x + x / x) == "1 + 1/x");  // The denominator that is left says it.
  CHECK(s.simplified(1 / (1 - power(cos(x), 2))) == "1/sin(x)^2");
}

TEST_CASE("divisors that cancel when a sum is written are conditions") {
  Sheet s;
  const Written x = s.coordinate("x"), y = s.coordinate("y"), z = s.coordinate("z");
  CHECK(s.simplified(x - x * (2 - y) / (2 - y)) == "0 where y - 2 != 0");
  CHECK(s.simplified(x - x * (z + y) / (z + y)) == "0 where y + z != 0");
  const Written all = 2 / y * x * x;
  CHECK(s.simplified(all - all * (2 - x) / (2 - x)) == "0 where y != 0 where x - 2 != 0");
  CHECK(s.simplified(1 / (x - x * (2 - y) / (2 - y))) == "1/(x - x*(2 - y)/(2 - y))");
  CHECK(s.simplified((1 - y - z) * (cos(x) + s.number(0.5)) - ((x - x) / (z * y) - s.number(2) + y)) ==
        "(5 - 3*y - z + 2*(1 - y - z)*cos(x))/2 where y != 0 where z != 0");
}

TEST_CASE("a product that is zero keeps what it divides by") {
  Sheet s;
  const Written x = s.coordinate("x"), y = s.coordinate("y"), z = s.coordinate("z");
  CHECK(s.plain((x - x) / y) == "0/y");
  CHECK(s.plain((x - x) / (y * z) * x) == "0/(y*z)");
  CHECK(s.plain((x - x) / y + 1 / y) == "1/y");
  CHECK(s.plain((x - x) / y * sin(1 / z)) == "0/(y*z)");
}

TEST_CASE("other functions are atoms") {
  Sheet s;
  const Written x = s.coordinate("x"), y = s.coordinate("y");
  CHECK(s.simplified(sqrt(y * y + x * x) * (x + x)) == "2*x*sqrt(x^2 + y^2)");
  CHECK(s.simplified(x * call(graph::Op::tanh, y - x) + y * call(graph::Op::tanh, x - y)) == "(y - x)*tanh(x - y)");
  CHECK(s.simplified(call(graph::Op::abs, y - x)) == "abs(x - y)");
  const Written larger{&s.graph, s.graph.binary(graph::Op::max, y.id, x.id)};
  CHECK(s.simplified(larger + larger) == "2*max(x, y)");
  const Written less{&s.graph, s.graph.binary(graph::Op::lt, y.id, x.id)};
  CHECK(s.simplified({&s.graph, s.graph.select(less.id, (x * y - y * x + y).id, x.id)}) == "select(<(y, x), y, x)");
  const Written to_the{&s.graph, s.graph.binary(graph::Op::pow, (x + x).id, y.id)};
  CHECK(s.simplified(to_the * y) == "y*(2*x)^y");
}

// Paper 001, equation 90b with the term that is missing in print.
TEST_CASE("the gyroscopic term of two moments of inertia") {
  Sheet s;
  const Written Jp2 = s.parameter("Jp2"), Jp3 = s.parameter("Jp3"), alpha = s.coordinate("alpha"),
                rate = s.speed("theta'");
  const Written sc = sin(alpha) * cos(alpha);
  CHECK(s.simplified(Jp3 * sc * rate * rate - Jp2 * (sc * (rate * rate))) == "theta'^2*(Jp3 - Jp2)*sin(2*alpha)/2");
}

struct DoublePendulum {
  Sheet s;
  Written m11, m12, m22, f1, f2;

  // The order in which symbols are made is that of the nodes of the graph.
  explicit DoublePendulum(bool backwards) : m11{}, m12{}, m22{}, f1{}, f2{} {
    const auto first = [&] { return std::pair{s.coordinate("th1"), s.parameter("m1")}; };
    const auto second = [&] { return std::pair{s.coordinate("th2"), s.parameter("m2")}; };
    std::pair<Written, Written> one{}, two{};
    if (backwards)
      two = second(), one = first();
    else
      one = first(), two = second();
    const auto [th1, m1] = one;
    const auto [th2, m2] = two;
    const Written l2 = s.parameter("l2"), l1 = s.parameter("l1"), g = s.parameter("g");
    const Written u1 = s.speed("th1'"), u2 = s.speed("th2'");
    const Written x1 = l1 * cos(th1), y1 = l1 * sin(th1), x2 = l2 * cos(th2), y2 = l2 * sin(th2);
    m11 = m1 * (x1 * x1 + y1 * y1) + m2 * (x1 * x1 + y1 * y1);
    m12 = m2 * (x1 * x2 + y1 * y2);
    m22 = m2 * (x2 * x2 + y2 * y2);
    const Written ax1 = -(y1 * u1 * u1), ay1 = x1 * u1 * u1, ax2 = ax1 - y2 * (u2 * u2), ay2 = ay1 + x2 * (u2 * u2);
    f1 = -(m1 * (x1 * ax1 + y1 * (ay1 + g))) - m2 * (x1 * ax2 + y1 * (ay2 + g));
    f2 = -(m2 * (x2 * ax2 + y2 * (ay2 + g)));
  }
};

TEST_CASE("a double pendulum, however it was written") {
  for (const bool backwards : {false, true}) {
    const DoublePendulum p(backwards);
    CHECK(p.s.simplified(p.m11) == "l1^2*(m1 + m2)");
    CHECK(p.s.simplified(p.m12) == "l1*l2*m2*cos(th1 - th2)");
    CHECK(p.s.simplified(p.m22) == "l2^2*m2");
    CHECK(p.s.simplified(p.f1) == "-l1*(g*(m1 + m2)*sin(th1) + l2*m2*th2'^2*sin(th1 - th2))");
    CHECK(p.s.simplified(p.f2) == "l2*m2*(l1*th1'^2*sin(th1 - th2) - g*sin(th2))");
    CHECK(p.s.simplified(p.m11 * p.m22 - p.m12 * p.m12) == "l1^2*l2^2*m2*(m1 + m2*sin(th1 - th2)^2)");
  }
}

TEST_CASE("a cart with a pole") {
  Sheet s;
  const Written M = s.parameter("M"), m = s.parameter("m"), l = s.parameter("l"), g = s.parameter("g"),
                th = s.coordinate("th"), w = s.speed("th'");
  const Written x = l * cos(th), y = l * sin(th);
  CHECK(s.simplified(M + m) == "M + m");
  CHECK(s.simplified(m * (x * x + y * y)) == "l^2*m");
  const Written ax = -(y * w * w), ay = -(x * w * w);
  CHECK(s.simplified(-(m * ax)) == "l*m*th'^2*sin(th)");
  CHECK(s.simplified(-(m * (x * ax - y * (ay - g)))) == "-g*l*m*sin(th)");
}

// Kinetic energies by the positions of the particles; `sympy` is what trigsimp of SymPy 1.14.0 writes of M and f.
TEST_CASE("no longer than what SymPy writes") {
  const auto text_length = [](const Sheet& s, std::initializer_list<Written> all) {
    std::size_t n = 0;
    for (const Written e : all)
      for (const char c : s.simplified(e)) n += c == '^' ? 2 : 1;  // SymPy writes **.
    return n;
  };
  const auto length_of = [](std::initializer_list<std::string_view> texts) {
    std::size_t n = 0;
    for (const std::string_view text : texts) n += text.size();
    return n;
  };
  const DoublePendulum p(false);
  CHECK(text_length(p.s, {p.m11, p.m12, p.m22, p.f1, p.f2}) <=
        length_of({"l1**2*(m1 + m2)", "l1*l2*m2*cos(th1 - th2)", "l2**2*m2",
                   "-l1*(g*m1*sin(th1) + g*m2*sin(th1) + l2*m2*th2'**2*sin(th1 - th2))",
                   "l2*m2*(-g*sin(th2) + l1*th1'**2*sin(th1 - th2))"}));

  Sheet s;
  const Written m = s.parameter("m"), l = s.parameter("l"), g = s.parameter("g"), omega = s.parameter("omega"),
                th = s.coordinate("th"), phi = s.coordinate("phi"), t = s.coordinate("t"), u = s.speed("th'"),
                w = s.speed("phi'");
  // x = l sin(th) cos(turn), y = l sin(th) sin(turn), z = -l cos(th): the columns of the Jacobian, the rest of the
  // acceleration, gravity.
  struct Point3 {
    Written x, y, z;
  };
  const auto dot = [](Point3 a, Point3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; };
  const auto along = [&](Written turn) {
    return Point3{l * (cos(th) * cos(turn)), l * (cos(th) * sin(turn)), l * sin(th)};
  };
  const auto around = [&](Written turn) {
    return Point3{-(l * (sin(th) * sin(turn))), l * (sin(th) * cos(turn)), s.number(0)};
  };
  const auto rest = [&](Written turn, Written rate) {
    const Written square = u * u + rate * rate, cross = 2 * (u * rate);
    return Point3{-(l * (square * (sin(th) * cos(turn)))) - l * (cross * (cos(th) * sin(turn))),
                  l * (cross * (cos(th) * cos(turn))) - l * (square * (sin(th) * sin(turn))),
                  g + l * (u * u * cos(th))};
  };
  const Point3 a = along(omega * t);
  CHECK(text_length(s, {m * dot(a, a), -(m * dot(a, rest(omega * t, omega)))}) <=
        length_of({"l**2*m", "l*m*(l*omega**2*cos(th) - g)*sin(th)"}));
  const Point3 b = along(phi), c = around(phi);
  CHECK(text_length(s, {m * dot(b, b), m * dot(b, c), m * dot(c, c), -(m * dot(b, rest(phi, w))),
                        -(m * dot(c, rest(phi, w)))}) <=
        length_of({"l**2*m", "0", "l**2*m*sin(th)**2", "l*m*(-g + l*phi'**2*cos(th))*sin(th)",
                   "-l**2*m*phi'*th'*sin(2*th)"}));
}

TEST_CASE("names are sorted as people count") {
  CHECK(reading::compare_names("th2", "th10") < 0);
  CHECK(reading::compare_names("th2", "th02") == 0);
  CHECK(reading::compare_names("a", "a'") < 0);
  CHECK(reading::compare_names("x", "x") == 0);
  Sheet s;
  Written all = s.coordinate("x10");
  for (const char* name : {"x2", "x1", "y", "x3"}) all = all + s.coordinate(name);
  CHECK(s.simplified(all) == "x1 + x2 + x3 + x10 + y");
}

TEST_CASE("a node that is a symbol is not opened") {
  Sheet s;
  const Written q = s.coordinate("q"), x = s.coordinate("x");
  const Written entry = 1 - 2 * (q * q);
  s.symbols.add(entry.id, "R11");
  CHECK(s.simplified(entry * x + q * x) == "x*(R11 + q)");
  CHECK(s.simplified(entry) == "1 - 2*q^2");
}

}  // namespace
}  // namespace mbc::test
