// SPDX-License-Identifier: Apache-2.0
// Tests functions of the standard library. Inertia is compared with quadrature over the body by a map of the unit cube,
// and math with the definitions.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "tests/physics/stdlib_support.h"

using namespace mbc;
using namespace mbc::test;

namespace {

using Vec = std::array<double, 3>;
using Mat = std::array<double, 9>;
constexpr double kTurn = 2 * std::numbers::pi;

struct Sample {
  Vec at;
  double weight;  // weight of the volume (surface, line) there, up to a common factor
};
using Map = std::function<Sample(double u, double v, double w)>;  // w is used for angles with the trapezoidal rule.

struct Solid {
  double mass = 0;
  Vec centre{};
  Mat J{};  // about the mass centre
};

// Integrates by Gauss-Legendre with 8 points in u and v, and 64 equal steps in w.
Solid integrated(const Map& map, double mass, const Mat& turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}) {
  constexpr std::array<double, 4> x{0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  constexpr std::array<double, 4> g{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  std::vector<Sample> samples;
  double total = 0;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 64; ++k) {
        const auto node = [&](int n) { return 0.5 + (n < 4 ? 0.5 : -0.5) * x[static_cast<std::size_t>(n % 4)]; };
        Sample s = map(node(i), node(j), (k + 0.5) / 64);
        s.weight *= g[static_cast<std::size_t>(i % 4)] * g[static_cast<std::size_t>(j % 4)];
        const Vec p = s.at;
        for (std::size_t r = 0; r < 3; ++r)
          s.at[r] = turn[3 * r] * p[0] + turn[3 * r + 1] * p[1] + turn[3 * r + 2] * p[2];
        samples.push_back(s);
        total += s.weight;
      }
  Solid out;
  out.mass = mass;
  for (const Sample& s : samples)
    for (std::size_t r = 0; r < 3; ++r) out.centre[r] += s.weight / total * s.at[r];
  for (const Sample& s : samples) {
    Vec d{};
    for (std::size_t r = 0; r < 3; ++r) d[r] = s.at[r] - out.centre[r];
    const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        out.J[3 * r + c] += mass * s.weight / total * ((r == c ? d2 : 0) - d[r] * d[c]);
  }
  return out;
}

class Calculator {  // evaluates expressions of the language
 public:
  explicit Calculator(const std::string& module, const std::string& more = "")
      : program_(compile_text("mbd 1\nuse " + module + "\nparticle p(1) at (0, 0, 0)\n" + more, Engine::interpreter)) {}
  std::vector<double> operator()(const std::string& expression) {
    const auto v = program_.value(expression, 0, program_.initial_state());
    REQUIRE_MESSAGE(v.ok(), v.error().message);
    return *v;
  }
  double number(const std::string& expression) { return (*this)(expression).at(0); }

 private:
  Simulation program_;
};

void same(const std::vector<double>& got, const Mat& wanted, double tolerance = 1e-12) {
  REQUIRE(got.size() == 9);
  for (std::size_t k = 0; k < 9; ++k) CHECK(std::fabs(got[k] - wanted[k]) < tolerance);
}

Sample tube(double inner, double outer, double height, double u, double v, double w) {
  const double r = inner + (outer - inner) * u;
  return {{r * std::cos(kTurn * w), r * std::sin(kTurn * w), height * (v - 0.5)}, r};
}

Sample ball(double inner, double outer, const Vec& stretch, double u, double v, double w) {
  const double r = inner + (outer - inner) * u, z = 2 * v - 1, s = std::sqrt(1 - z * z);  // cos(theta) is uniform.
  return {{stretch[0] * r * s * std::cos(kTurn * w), stretch[1] * r * s * std::sin(kTurn * w), stretch[2] * r * z},
          r * r};
}

// Returns the rotation that maps ez to unit(1, 2, 2), as the language's rot(cross(ez, n), angle).
Mat tilted() {
  const double nx = 1.0 / 3, ny = 2.0 / 3, nz = 2.0 / 3, h = 1 / (1 + nz);
  return {1 - h * nx * nx, -h * nx * ny, nx, -h * nx * ny, 1 - h * ny * ny, ny, -nx, -ny, nz};
}

}  // namespace

TEST_CASE("inertia of simple bodies against quadrature") {
  Calculator value("bodies");
  const auto check = [&](const std::string& text, const Map& map, const Mat& turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}) {
    INFO(text);
    same(value(text), integrated(map, 3, turn).J);
  };
  const Vec round{1, 1, 1};
  check("rod_inertia(3, 0.7)", [](double u, double, double) { return Sample{{0.7 * u, 0, 0}, 1}; });
  check("plate_inertia(3, 0.7, 0.4)", [](double u, double v, double) { return Sample{{0.7 * u, 0.4 * v, 0}, 1}; });
  check("sphere_inertia(3, 0.6)", [&](double u, double v, double w) { return ball(0, 0.6, round, u, v, w); });
  check("shell_inertia(3, 0.6)", [&](double u, double v, double w) { return ball(0.6, 0.6, round, u, v, w); });
  check("hollow_sphere_inertia(3, 0.4, 0.6)",
        [&](double u, double v, double w) { return ball(0.4, 0.6, round, u, v, w); });
  check("ellipsoid_inertia(3, 0.6, 0.5, 0.3)", [](double u, double v, double w) {
    return ball(0, 1, {0.6, 0.5, 0.3}, u, v, w);
  });
  check("cylinder_inertia(3, 0.2, 0.9)", [](double u, double v, double w) { return tube(0, 0.2, 0.9, u, v, w); });
  check("tube_inertia(3, 0.1, 0.2, 0.9)", [](double u, double v, double w) { return tube(0.1, 0.2, 0.9, u, v, w); });
  check("disc_inertia(3, 0.2)", [](double u, double v, double w) { return tube(0, 0.2, 0, u, v, w); });
  check("ring_inertia(3, 0.2)", [](double u, double v, double w) { return tube(0.2, 0.2, 0, u, v, w); });
  const Map cone = [](double u, double v, double w) {  // v is measured from the tip.
    return Sample{{0.5 * v * u * std::cos(kTurn * w), 0.5 * v * u * std::sin(kTurn * w), 0.8 * (1 - v)}, u * v * v};
  };
  check("cone_inertia(3, 0.5, 0.8)", cone);
  CHECK(integrated(cone, 3).centre[2] == doctest::Approx(0.2));  // The centre is at a quarter of the height.
  check("torus_inertia(3, 0.5, 0.1)", [](double u, double, double w) {
    // Four points around the tube integrate its squares exactly; u is the radius inside the tube.
    const int quarter = static_cast<int>(w * 64) % 8;
    const double psi = kTurn * quarter / 8, rho = 0.1 * u, phi = kTurn * std::floor(w * 8) / 8;
    const double r = 0.5 + rho * std::cos(psi);
    return Sample{{r * std::cos(phi), r * std::sin(phi), rho * std::sin(psi)}, rho * r};
  });
  const Map cylinder = [](double u, double v, double w) { return tube(0, 0.2, 0.9, u, v, w); };
  check("cylinder_inertia(3, 0.2, 0.9, axis = (1, 2, 2))", cylinder, tilted());
  check("cylinder_inertia(3, 0.2, 0.9, axis = (2, 0, 0))", cylinder, {0, 0, 1, 0, 1, 0, -1, 0, 0});
  check("cone_inertia(3, 0.5, 0.8, axis = (1, 2, 2))", cone, tilted());
}

TEST_CASE("inertia of a block against midpoints, moved and turned") {
  Calculator value("bodies",
                   "let J = cuboid_inertia(3, 0.3, 0.5, 0.7), d = (0.2, -0.4, 0.1), R = rot((1, 2, 3), 0.7)\n");
  const auto block = [](double u, double v, double w) {  // w has 64 midpoints with the known error h^2/12.
    return Sample{{0.3 * u, 0.5 * v, 0.7 * w}, 1};
  };
  Solid s = integrated(block, 3);
  const double missing = 3 * 0.7 * 0.7 / (12.0 * 64 * 64);
  s.J[0] += missing;
  s.J[4] += missing;
  same(value("J"), s.J);
  const Vec d{0.2, -0.4, 0.1};
  Mat moved = s.J;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) moved[3 * r + c] += 3 * ((r == c ? 0.21 : 0) - d[r] * d[c]);
  same(value("parallel_axes(J, 3, d)"), moved);
  const std::vector<double> turned = value("rotated_inertia(J, R)"), direct = value("R*J*transpose(R)");
  for (std::size_t k = 0; k < 9; ++k) CHECK(std::fabs(turned[k] - direct[k]) < 1e-14);
}

TEST_CASE("composition of bodies") {
  // A block is cut in two and put together again; the other part is a cut-out.
  Calculator value("bodies", R"(
Combined two(m1 = 1, r1 = (0.5, 0, 0), J1 = cuboid_inertia(1, 1, 0.4, 0.6), m2 = 3, r2 = (2.5, 0, 0), J2 = cuboid_inertia(3, 3, 0.4, 0.6))
Combined rest(m1 = 4, r1 = (2, 0, 0), J1 = cuboid_inertia(4, 4, 0.4, 0.6), m2 = -1, r2 = (0.5, 0, 0), J2 = cuboid_inertia(-1, 1, 0.4, 0.6))
Combined bent(m1 = 1, r1 = (0.5, 0, 0), J1 = rod_inertia(1, 1), m2 = 2, r2 = (0, 1, 0), J2 = rod_inertia(2, 2, axis = ey))
)");
  CHECK(value.number("two.mass") == 4);
  CHECK(value("two.centre") == std::vector<double>{2, 0, 0});
  const std::vector<double> whole = value("cuboid_inertia(4, 4, 0.4, 0.6)"),
                            part = value("cuboid_inertia(3, 3, 0.4, 0.6)");
  const std::vector<double> two = value("two.J"), rest = value("rest.J");
  CHECK(value.number("rest.centre.x") == doctest::Approx(2.5));
  for (std::size_t k = 0; k < 9; ++k) {
    CHECK(std::fabs(two[k] - whole[k]) < 1e-13);
    CHECK(std::fabs(rest[k] - part[k]) < 1e-13);
  }
  const Solid angle = integrated(
      [](double u, double v, double) {  // The mass is 1 kg along x and 2 kg along y.
        return v < 0.5 ? Sample{{u, 0, 0}, 1} : Sample{{0, 2 * u, 0}, 2};
      },
      3);
  same(value("bent.J"), angle.J);
  for (std::size_t k = 0; k < 3; ++k) CHECK(value("bent.centre")[k] == doctest::Approx(angle.centre[k]));
}

TEST_CASE("a body may have a composed inertia") {
  const Run r = run_both(R"(mbd 1
use bodies
let R = rot((1, 2, 3), 0.7)
Combined c(m1 = 1, r1 = (0.3, 0.1, 0), J1 = rotated_inertia(cylinder_inertia(1, 0.1, 0.5), R), m2 = 2, r2 = (0, 0, 1), J2 = sphere_inertia(2, 0.2))
body b(mass = c.mass, inertia = c.J) at c.centre spinning (0.3, 1, 0.2)
output E = energy.total, H = momentum.angular
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)");
  CHECK(r.result.status == Status::complete);
  CHECK(spread(r, "E") < 1e-12);
  CHECK(spread(r, "H.x") < 1e-12);
}

TEST_CASE("matrices from entries and axes") {
  Calculator value("bodies", "let S = symmetric(1, 2, 3, 4, 5, 6), T = diag(1, 1, 2), n = (2, 3, 6)/7\n");
  CHECK(value("S") == std::vector<double>{1, 4, 5, 4, 2, 6, 5, 6, 3});
  CHECK(value("inertia_sum(S, T)") == std::vector<double>{2, 4, 5, 4, 3, 6, 5, 6, 5});
  CHECK(value.number("along_rows(S, ex, ez)") == 5);
  for (const char* axial : {"axial_inertia(5, 3, 7*n)", "axial_unit_inertia(5, 3, n)"}) {
    const std::string J = axial;
    CHECK(value.number("norm(" + J + "*n - 5*n)") < 1e-14);
    CHECK(value.number("norm(" + J + "*perp1(n) - 3*perp1(n))") < 1e-14);
    CHECK(value.number("norm(" + J + "*perp2(n) - 3*perp2(n))") < 1e-14);
  }
}

TEST_CASE("an inertia may be turned by matrices") {
  const std::string text = R"(mbd 1
use bodies
param angle = 0.7, p = 0.1, q = 0.1
let R = rot((1, 2, 3), angle), J = cuboid_inertia(3, 0.3, 0.5, 0.7)
body a(mass = 3, inertia = R*J*transpose(R)) at (0, 0, 0) spinning (1, 2, 3)
body b(mass = 3, inertia = rotated_inertia(J, R)) at (0, 0, 0) spinning (1, 2, 3)
output d = norm(a.omega - b.omega)
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)";
  CHECK(run(text).last("d") < 1e-12);
  for (const char* J : {"((2, 0.1, 0), (0.1 + 1e-9, 2, 0), (0, 0, 2))", "((2, p, 0), (q, 2, 0), (0, 0, 2))"}) {
    const Model program = Model::from_string(replaced(text, "R*J*transpose(R)", J), "model.mbd");
    REQUIRE(program.diagnostics().size() == 1);
    CHECK(program.diagnostics()[0].kind == "inertia_not_physical");
  }
}

TEST_CASE("a body in the plane may have no inertia where constraints determine its angle") {
  const std::string head = "mbd 1\nspace 2\nuse planar_joints\ngravity (0, -10)\n",
                    end = "simulate { time = 0 .. 1 step 0.1 }\n";
  const Run bob = run(head + "body a(mass = 1, inertia = 0) at (0.6, -0.8)\nPin j(ground, a.at(-0.6, 0.8))\n" + end);
  const Run particle = run(head + "particle p(1) at (0.6, -0.8)\nconstraint rod: dist(p, ground) == 1\n" + end);
  REQUIRE_MESSAGE(bob.result.status == Status::complete, bob.result.rendered);
  for (std::size_t row = 0; row < bob.rows(); ++row)
    CHECK(std::fabs(bob.at(row, "a.x") - particle.at(row, "p.x")) < 1e-8);
  CHECK(run(head + "body a(mass = 1, inertia = 0) at (0.6, -0.8)\n" + end).code() == "E0608");
  for (const char* J : {"-1", "1/0"})
    CHECK(Model::from_string(head + "body a(mass = 1, inertia = " + J + ") at (0, 0)\n", "model.mbd")
              .diagnostics()[0]
              .kind == "inertia_not_physical");
}

TEST_CASE("inertia in the plane") {
  Calculator value("bodies");
  CHECK(value.number("planar_rod_inertia(3, 0.5)") == doctest::Approx(0.0625));
  CHECK(value.number("planar_rectangle_inertia(3, 0.5, 0.2)") ==
        doctest::Approx(value("plate_inertia(3, 0.5, 0.2)")[8]));
  CHECK(value.number("planar_disc_inertia(3, 0.5)") == doctest::Approx(value("disc_inertia(3, 0.5)")[8]));
  CHECK(value.number("planar_annulus_inertia(3, 0.2, 0.5)") ==
        doctest::Approx(value("tube_inertia(3, 0.2, 0.5, 1)")[8]));
  CHECK(value.number("planar_parallel_axes(2, 3, (0.3, 0.4))") == doctest::Approx(2.75));
  Simulation p = compile_text(R"(mbd 1
space 2
use bodies
PlanarCombined c(m1 = 1, r1 = (0.5, 0), J1 = planar_rectangle_inertia(1, 1, 0.4), m2 = 3, r2 = (2.5, 0), J2 = planar_rectangle_inertia(3, 3, 0.4))
body b(mass = c.mass, inertia = c.J) at c.centre
)",
                              Engine::interpreter);
  CHECK(p.value("c.J", 0, p.initial_state())->at(0) == doctest::Approx(4 * (16 + 0.16) / 12));
}

TEST_CASE("constants have their values and units, and are plain numbers in a model without") {
  struct Constant {
    const char *name, *unit;
    double value;
  };
  const Constant constants[] = {{"g0", "m/s^2", 9.80665},
                                {"G", "m^3/(kg*s^2)", 6.67430e-11},
                                {"c0", "m/s", 299792458},
                                {"kB", "J/K", 1.380649e-23},
                                {"NA", "1/mol", 6.02214076e23},
                                {"gas_constant", "J/(mol*K)", 1.380649e-23 * 6.02214076e23},
                                {"stefan_boltzmann", "W/(m^2*K^4)", 5.670374419e-8},
                                {"elementary_charge", "C", 1.602176634e-19},
                                {"electric_constant", "F/m", 8.8541878128e-12},
                                {"standard_pressure", "Pa", 101325},
                                {"air_density", "kg/m^3", 1.225},
                                {"earth_GM", "m^3/s^2", 3.986004418e14},
                                {"earth_radius", "m", 6378137},
                                {"earth_rate", "1/s", 7.292115e-5},
                                {"astronomical_unit", "m", 149597870700}};
  const std::string text = "mbd 1\nuse constants\n";
  for (const Constant& c : constants) {
    INFO(std::string(c.name));
    const std::string ratio = "output x = " + std::string(c.name) + "/(1 [" + c.unit + "])\n";
    Simulation with = compile_text(text + "particle p(1 [kg]) at (0, 0, 0)\n" + ratio, Engine::interpreter);
    CHECK(with.model().outputs().at(0).unit == "1");
    CHECK(with.value("x", 0, with.initial_state())->at(0) == doctest::Approx(c.value).epsilon(1e-12));
    Simulation without =
        compile_text(text + "particle p(1) at (0, 0, 0)\noutput x = " + c.name + "\n", Engine::interpreter);
    CHECK(without.model().outputs().at(0).unit.empty());
    CHECK(without.value("x", 0, without.initial_state())->at(0) == doctest::Approx(c.value).epsilon(1e-12));
  }
  Calculator value("constants");  // The constants are consistent with each other.
  const double pi = std::numbers::pi;
  CHECK(value.number("earth_GM/earth_radius^2") == doctest::Approx(9.798).epsilon(1e-4));
  // sigma = 2 pi^5 kB^4/(15 h^3 c0^2) with Planck's constant.
  CHECK(value.number("stefan_boltzmann") ==
        doctest::Approx(2 * std::pow(pi, 5) * std::pow(1.380649e-23, 4) /
                        (15 * std::pow(6.62607015e-34, 3) * 299792458.0 * 299792458.0))
            .epsilon(1e-8));
  CHECK(value.number("electric_constant*c0^2*4*pi*1e-7") == doctest::Approx(1).epsilon(1e-8));
}

TEST_CASE("math: functions of numbers") {
  Calculator value("math");
  const auto is = [&](const std::string& text, double wanted) {
    INFO(text);
    CHECK(value.number(text) == doctest::Approx(wanted).epsilon(1e-14));
  };
  is("saturate(3, -1, 2)", 2);
  is("saturate(-3, -1, 2)", -1);
  is("saturate(0.3, -1, 2)", 0.3);
  is("deadband(3, 1)", 2);
  is("deadband(-3, 1)", -2);
  is("deadband(0.4, 1)", 0);
  is("smooth_abs(-3, 4)", 5);
  is("smooth_sign(-3, 4)", -0.6);
  is("smooth_max(1, 2, 0)", 2);
  is("smooth_min(1, 2, 0)", 1);
  is("smooth_max(1, 1, 2)", 2);
  is("step_at(1, 1) + step_at(0.9, 1)", 1);
  is("ramp(3, 1, 5)", 0.5);
  is("smoothstep(0.25, 0, 1)", 0.15625);
  is("smoothstep(-1, 0, 1) + smoothstep(7, 0, 1)", 1);
  is("smootherstep(0.25, 0, 1)", 0.103515625);
  is("cubic_step(0.25)", 0.15625);
  is("quintic_step(0.25)", 0.103515625);
  is("lerp(2, 4, 0.25)", 2.5);
  is("remap(3, 1, 5, 10, 20)", 15);
  is("hypot(3, 4)", 5);
  is("modulo(-1, 3)", 2);
  is("wrap(7)", 7 - kTurn);
  is("wrap(-7)", kTurn - 7);
  is("wrap(pi)", -std::numbers::pi);
  is("along((3, 4, 5), (0, 2, 0)).y", 4);
  is("norm(across((3, 4, 12), (0, 0, 2)))", 5);
  is("triple(ex, ey, ez)", 1);
  is("angle_between((1, 0, 0), (-1, 1, 0))", 0.75 * std::numbers::pi);
  is("norm(skew((1, 2, 3))*(4, 5, 7) - cross((1, 2, 3), (4, 5, 7)))", 0);
  is("norm(outer((1, 2, 3), (4, 5, 6))*(1, 1, 1) - 15*(1, 2, 3))", 0);
  is("norm(axes(ey, ez, ex)*(1, 2, 3) - (3, 1, 2))", 0);
  is("norm(yaw_pitch_roll(0.1, 0.2, 0.3)*ex - rotz(0.1)*roty(0.2)*ex)", 0);
  is("norm(euler_angles(0.1, 0.2, 0.3)*ez - rotz(0.1)*rotx(0.2)*ez)", 0);
}

TEST_CASE("math: frames") {
  Calculator value("math", R"(
body a(mass = 1, inertia = diag(1, 1, 1)) at (1, 2, 3) rotated rotx(0.3)*rotz(1) moving (1, 0, 2) spinning (0.1, 0.2, 0.3)
body b(mass = 1, inertia = diag(1, 1, 1)) at (2, 2, 3) rotated rotx(0.3)*rotz(1)*rot((1, 2, 2), -2.5) moving (0, 1, 0) spinning (0.5, 0.1, 0)
)");
  CHECK(value.number("angle_about((1, 2, 2), a, b)") == doctest::Approx(-2.5));
  CHECK(value.number("angle_about(ez, ground, ground.at((0, 0, 0), rotz(2)))") == doctest::Approx(2));
  CHECK(value.number("turn_from_to(ex, ey, ground, ground.at((0, 0, 0), rotz(-3)))") == doctest::Approx(-3));
  CHECK(value.number("turn_from_to(ey, ez, ground, ground.at((0, 0, 0), rotx(3)))") == doctest::Approx(3));
  CHECK(value.number("angle_beyond(5, sin(8), cos(8))") == doctest::Approx(3));
  CHECK(value.number("angle_beyond(-1, sin(3), cos(3))") == doctest::Approx(4 - 2 * std::numbers::pi));
  CHECK(value.number("rate_about((1, 2, 2), a, b)") == doctest::Approx((0.5 + 0.2 - 0.1 - 0.4 - 0.6) / 3));
  CHECK(value.number("distance_along(ex, a, b)") == doctest::Approx(std::cos(1.0)));
  // Seen from a, this is the derivative of the components in its axes.
  CHECK(value.number("norm(transpose(a.rot)*relative_velocity(a, b) - (transpose(a.rot)*(b.pos - a.pos))')") < 1e-14);
  Simulation plane = compile_text(R"(mbd 1
space 2
use math
body a(mass = 1, inertia = 1) at (1, 2) rotated rot(0.3) moving (1, 0) spinning 0.1
body b(mass = 1, inertia = 1) at (2, 2) rotated rot(-2) moving (0, 1) spinning 0.5
)",
                                  Engine::interpreter);
  const auto at = [&](const std::string& text) { return plane.value(text, 0, plane.initial_state())->at(0); };
  CHECK(at("angle_in_plane(a, b)") == doctest::Approx(-2.3));
  CHECK(at("distance_along((0, 3), a, b)") == doctest::Approx(-std::sin(0.3)));
  CHECK(at("norm(transpose(a.rot)*relative_velocity_in_plane(a, b) - (transpose(a.rot)*(b.pos - a.pos))')") < 1e-14);
}
