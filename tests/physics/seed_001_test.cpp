// SPDX-License-Identifier: Apache-2.0
// Tests the two systems of the paper on projection onto the constraint manifold (moving frame method): the sleigh with
// a rotor, eqs. 65-69, and the rotary pendulum, eq. 90 with the term -(Jp2 - Jp3) sin(2 al) th'^2/2 that is missing in
// 90b as printed. The accelerations of the models, each written in two ways, are compared with the closed forms in
// extended precision at random states with random data. Trajectories are compared with published reference values.
#include <functional>
#include <random>

#include "tests/physics/example_checks.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Real;

namespace {

constexpr const char* kSleigh = "seeds/001_projection/sleigh";  // This model uses the coordinates of the paper.
constexpr const char* kRotary = "seeds/001_projection/rotary_pendulum";

struct SleighData {
  Real mc = 2, Jc = 0.5L, mr = 1, Jr = 0.1L, a = 0.4L, b = 0.3L, k1 = 1, k2 = 0.5L;
};

// Solves eq. 69 for (u', th'', d'').
std::array<Real, 3> sleigh_accelerations(const SleighData& p, Real d, Real u, Real w, Real v) {
  const Real s = std::sin(d), c = std::cos(d), m = p.mc + p.mr;
  const Real cross = p.Jr + p.a * p.a * p.mr + p.a * p.b * p.mr * c;
  const std::array<std::array<Real, 3>, 3> M{
      {{m, -p.a * p.mr * s, -p.a * p.mr * s},
       {-p.a * p.mr * s, p.Jc + p.Jr + p.a * p.a * p.mr + 2 * p.a * p.b * p.mr * c + p.b * p.b * m, cross},
       {-p.a * p.mr * s, cross, p.Jr + p.a * p.a * p.mr}}};
  std::array<Real, 3> r{p.a * p.mr * c * (v + w) * (v + w) + p.b * m * w * w,
                        p.a * p.b * p.mr * s * v * (v + 2 * w) - p.a * p.mr * u * c * w - p.b * m * u * w,
                        -p.a * p.b * p.mr * s * w * w - p.a * p.mr * u * c * w - 2 * p.k1 * d - 4 * p.k2 * d * d * d};
  oracle::solve<3>(M, r);
  return r;
}

struct RotaryData {
  Real Lr, Lp, mr, mp, Jr3, Jp1, Jp2, Jp3, Br, Bp, tau, g;
};

// Solves eq. 90 for (th'', al''). If `printed` is set, 90b lacks the difference of the inertias.
std::array<Real, 2> rotary_accelerations(const RotaryData& p, Real al, Real w, Real v, bool printed = false) {
  const Real s = std::sin(al), c = std::cos(al), half = p.Lp * p.Lr * p.mp / 2, quarter = p.Lp * p.Lp * p.mp / 4;
  const std::array<std::array<Real, 2>, 2> M{
      {{p.Jp2 * s * s + p.Jp3 * c * c + p.Jr3 + quarter * s * s + p.Lr * p.Lr * (p.mp + p.mr / 4), -half * c},
       {-half * c, p.Jp1 + quarter}}};
  std::array<Real, 2> r{
      -p.Br * w + p.tau - half * s * v * v - (p.Jp2 - p.Jp3 + quarter) * 2 * s * c * v * w,
      -p.Bp * v + p.Lp * p.mp * p.g / 2 * s + ((printed ? 0 : p.Jp2 - p.Jp3) + quarter) * s * c * w * w};
  oracle::solve<2>(M, r);
  return r;
}

class Dice {
 public:
  Real operator()(double low, double high) {  // The number is a double, so that both sides start from the same value.
    return static_cast<Real>(std::uniform_real_distribution<double>(low, high)(engine_));
  }

 private:
  std::mt19937_64 engine_{20240611};
};

void set(std::vector<Simulation>& programs, const std::string& name, Real value) {
  for (Simulation& p : programs) REQUIRE(p.set_parameter(name, static_cast<double>(value)));
}

std::size_t place(const std::vector<Quantity>& names, const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].name == name) return i;
  REQUIRE_MESSAGE(false, "nothing is called " << name);
  return 0;
}

using Named = std::vector<std::pair<std::string, Real>>;

// Returns y with the named coordinates and speeds. All others are zero.
std::vector<double> state_of(Simulation& p, const Named& coordinates, const Named& speeds) {
  std::vector<double> y(p.initial_state().size());
  for (const auto& [name, value] : coordinates) y[place(p.model().coordinates(), name)] = static_cast<double>(value);
  for (const auto& [name, value] : speeds)
    y[p.model().coordinates().size() + place(p.model().speeds(), name)] = static_cast<double>(value);
  return y;
}

// Returns the largest difference of the named accelerations, relative to the largest of them.
double worst(Simulation& p, const std::vector<double>& y, const Named& wanted) {
  std::vector<double> dy(y.size());
  REQUIRE(p.rhs(0, y, dy).ok());
  Real difference = 0, scale = 0;
  for (const auto& [name, value] : wanted) {
    const Real seen = static_cast<Real>(dy[p.model().coordinates().size() + place(p.model().speeds(), name)]);
    difference = std::max(difference, std::fabs(seen - value));
    scale = std::max(scale, std::fabs(value));
  }
  return static_cast<double>(difference / scale);
}

std::vector<Simulation> both_engines(const std::string& text) {
  std::vector<Simulation> programs;
  programs.push_back(compile_text(text, Engine::interpreter));
  if (have_native()) programs.push_back(compile_text(text, Engine::native));
  return programs;
}

}  // namespace

TEST_CASE("eq. 69: the sleigh with a rotor at 1,000 random states, in coordinates and as two free bodies") {
  std::vector<Simulation> reduced = both_engines(example(kSleigh)),
                          free = both_engines(example("seeds/001_projection/sleigh_rotor"));
  Dice dice;
  double worst_reduced = 0, worst_free = 0;
  for (int n = 0; n < 1000; ++n) {
    SleighData p;
    const std::array<std::pair<const char*, Real*>, 8> data{{{"mc", &p.mc},
                                                             {"Jc", &p.Jc},
                                                             {"mr", &p.mr},
                                                             {"Jr", &p.Jr},
                                                             {"a", &p.a},
                                                             {"b", &p.b},
                                                             {"k1", &p.k1},
                                                             {"k2", &p.k2}}};
    for (const auto& [name, value] : data) {
      *value = dice(0.2, 2);
      set(reduced, name, *value);
      set(free, name, *value);
    }
    const Real th = dice(-3, 3), d = dice(-3, 3), u = dice(-2, 2), w = dice(-2, 2), v = dice(-2, 2);
    const Real c = std::cos(th), s = std::sin(th), cr = std::cos(th + d), sr = std::sin(th + d);
    const auto [du, dw, dv] = sleigh_accelerations(p, d, u, w, v);
    // C = P + b e1 gives eq. 60 and its derivative.
    const Real vx = u * c - p.b * s * w, vy = u * s + p.b * c * w;
    const Real ax = du * c - u * s * w - p.b * (s * dw + c * w * w),
               ay = du * s + u * c * w + p.b * (c * dw - s * w * w);
    for (Simulation& program : reduced)
      worst_reduced = std::max(
          worst_reduced,
          worst(program, state_of(program, {{"th", th}, {"d", d}}, {{"x'", vx}, {"y'", vy}, {"th'", w}, {"d'", v}}),
                {{"x'", ax}, {"y'", ay}, {"th'", dw}, {"d'", dv}}));
    const Real x = dice(-1, 1), y = dice(-1, 1), w2 = w + v, dw2 = dw + dv;
    const Named at{{"sleigh.x", x},           {"sleigh.y", y},           {"sleigh.angle", th},
                   {"rotor.x", x + p.a * cr}, {"rotor.y", y + p.a * sr}, {"rotor.angle", th + d}};
    const Named moving{{"sleigh.vx", vx},
                       {"sleigh.vy", vy},
                       {"sleigh.omega", w},
                       {"rotor.vx", vx - p.a * sr * w2},
                       {"rotor.vy", vy + p.a * cr * w2},
                       {"rotor.omega", w2}};
    for (Simulation& program : free)
      worst_free = std::max(worst_free, worst(program, state_of(program, at, moving),
                                              {{"sleigh.vx", ax},
                                               {"sleigh.vy", ay},
                                               {"sleigh.omega", dw},
                                               {"rotor.vx", ax - p.a * (sr * dw2 + cr * w2 * w2)},
                                               {"rotor.vy", ay + p.a * (cr * dw2 - sr * w2 * w2)},
                                               {"rotor.omega", dw2}}));
  }
  MESSAGE("largest relative difference: in coordinates " << worst_reduced << ", as free bodies " << worst_free);
  CHECK(worst_reduced < 1e-12);
  CHECK(worst_free < 1e-12);
}

TEST_CASE("eq. 69: the sleigh's trajectory") {
  const Run r = complete(kSleigh);
  const std::vector<std::pair<const char*, std::array<double, 2>>> wanted = {
      {"x", {0.17369539204623, 1.78948328675065}},  {"y", {0.12955456940267, 0.81845036805077}},
      {"th", {0.29670648304369, 0.57684962821190}}, {"d", {-0.31139585921140, -0.43382884368909}},
      {"u", {0.15452010334318, 0.23448075109552}},  {"th'", {-0.42364698289500, 0.29203445319457}},
      {"d'", {1.56987273053806, -1.06325653736066}}};
  for (const auto& [column, value] : wanted) {
    CAPTURE(column);
    CHECK(std::fabs(r.at(1000, column) - value[0]) < 1e-10);
    CHECK(std::fabs(r.last(column) - value[1]) < 5e-10);
  }
  CHECK(r.result.balance_error < 1e-10);
}

TEST_CASE("example: the sleigh with a rotor, as two bodies on a pin") {
  const Run r = complete("seeds/001_projection/sleigh_rotor");
  expect(r, "sleigh.x", 1.78948328675065L, 1.789483287, 1e-9);
  expect(r, "sleigh.y", 0.81845036805077L, 0.818450368, 1e-9);
  expect(r, "sleigh.angle", 0.57684962821190L, 0.576849628, 1e-9);
  expect(r, "d", -0.43382884368909L, -0.433828844, 1e-9);
  expect(r, "u", 0.23448075109552L, 1e-9);
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE(
    "eq. 90, corrected: the rotary pendulum at 1,000 random states and data, damping and all three inertias included") {
  std::vector<Simulation> programs = both_engines(example(kRotary));
  Dice dice;
  double largest = 0, printed = 0;
  for (int n = 0; n < 1000; ++n) {
    RotaryData p{};
    const std::array<std::pair<const char*, Real*>, 12> data{{{"Lr", &p.Lr},
                                                              {"Lp", &p.Lp},
                                                              {"mr", &p.mr},
                                                              {"mp", &p.mp},
                                                              {"Jr3", &p.Jr3},
                                                              {"Jp1", &p.Jp1},
                                                              {"Jp2", &p.Jp2},
                                                              {"Jp3", &p.Jp3},
                                                              {"Br", &p.Br},
                                                              {"Bp", &p.Bp},
                                                              {"tau", &p.tau},
                                                              {"g", &p.g}}};
    for (const auto& [name, value] : data) {
      // The moments of inertia must be possible for a body: the largest is below the sum of the other two.
      *value = name[0] == 'J' ? dice(0.06, 0.1) : dice(0.2, 2);
      set(programs, name, *value);
    }
    const Real th = dice(-3, 3), al = dice(-3, 3), w = dice(-3, 3), v = dice(-3, 3);
    const auto [a, b] = rotary_accelerations(p, al, w, v);
    for (Simulation& program : programs)
      largest = std::max(largest, worst(program, state_of(program, {{"th", th}, {"al", al}}, {{"th'", w}, {"al'", v}}),
                                        {{"th'", a}, {"al'", b}}));
    printed = std::max(printed, static_cast<double>(std::fabs(rotary_accelerations(p, al, w, v, true)[1] - b)));
  }
  MESSAGE("largest relative difference: " << largest);
  CHECK(largest < 1e-12);
  CHECK(printed > 1e-2);  // 90b without the term describes another motion.
}

TEST_CASE("eq. 90: trajectories with and without damping") {
  const Run free = complete(kRotary, {"Br=0", "Bp=0"}), damped = complete(kRotary);
  const std::array<const char*, 4> columns{"th", "al", "th'", "al'"};
  const std::array<double, 4> undamped{2.0191328724020, 3.4373174796480, -6.675476627896, 16.769432716265};
  const std::array<double, 4> first{-0.06821507448802, 4.78289312136969, 0.23358685019559, -5.30571903344616};
  const std::array<double, 4> last{1.28625583159479, 3.22383442490104, -0.96336909912330, 2.50199633175654};
  for (std::size_t k = 0; k < 4; ++k) {
    CAPTURE(columns[k]);
    CHECK(std::fabs(free.last(columns[k]) - undamped[k]) < 4e-7);
    CHECK(std::fabs(damped.at(2000, columns[k]) - first[k]) < 1e-8);
    CHECK(std::fabs(damped.last(columns[k]) - last[k]) < 1e-8);
  }
  CHECK(free.result.balance_error < 1e-8);
  CHECK(damped.result.balance_error < 1e-8);
}
