// SPDX-License-Identifier: Apache-2.0
// Linear models and equilibria against closed forms: values to 1e-10, verdicts, numbers of poles in every
// representation of bodies and every formulation.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

constexpr double kExact = 1e-10, kG = 9.81;

Simulation simulation_of(const std::string& text, const std::vector<std::string>& set = {}) {
  CompileOptions options;
  options.interpret = true;
  options.set = set;
  const Model model = Model::from_string(text, "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Result<Simulation> made = Simulation::create(model);
  REQUIRE_MESSAGE(made.ok(), made.error().message);
  return std::move(*made);
}

LinearModel linear(Simulation simulation, const LinearizeOptions& options = {}) {
  Result<LinearModel> made = simulation.linearize(options);
  REQUIRE_MESSAGE(made.ok(), made.error().message);
  return std::move(*made);
}

EquilibriumReport equilibria(Simulation simulation, std::size_t starts = 0) {
  Result<EquilibriumReport> made = simulation.equilibrium({starts, 1});
  REQUIRE_MESSAGE(made.ok(), made.error().message);
  return std::move(*made);
}

std::string refusal(Simulation simulation, const LinearizeOptions& options = {}) {
  const Result<LinearModel> made = simulation.linearize(options);
  REQUIRE(!made.ok());
  REQUIRE(!made.error().diagnostics.empty());
  return made.error().diagnostics.front().code;
}

// Returns the angular frequencies of the poles, ascending; those of conjugate pairs once.
std::vector<double> angular(const LinearModel& m) {
  std::vector<double> out;
  for (const Pole& p : m.poles)
    if (p.value.imag() >= 0) out.push_back(std::abs(p.value));
  std::sort(out.begin(), out.end());
  return out;
}

void same(const std::vector<double>& found, std::vector<double> wanted) {
  std::sort(wanted.begin(), wanted.end());
  REQUIRE(found.size() == wanted.size());
  for (std::size_t k = 0; k < found.size(); ++k) CHECK(std::fabs(found[k] - wanted[k]) <= kExact * wanted[k]);
}

void matrix(const std::vector<double>& found, const std::vector<double>& wanted) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    CHECK(std::fabs(found[k] - wanted[k]) <= kExact * std::max(1.0, std::fabs(wanted[k])));
}

}  // namespace

TEST_CASE("cart and pole: A and B") {
  const double M = 2, m = 0.3, l = 0.6;
  const LinearModel made = linear(
      simulation_of("mbd 1\nparam M = 2, m = 0.3, l = 0.6, g = 9.81\ncoord x = 0.4, th = 0\ninput F = 0\n"
                    "kinetic T: (M + m)*x'^2/2 + m*l*x'*th'*cos(th) + m*l^2*th'^2/2\npotential V: m*g*l*cos(th)\n"
                    "load drive on x: F\noutput tip = x + l*sin(th)\n"));
  CHECK(made.equilibrium);
  matrix(made.A, {0, 0, 1, 0, 0, 0, 0, 1, 0, -m * kG / M, 0, 0, 0, (M + m) * kG / (M * l), 0, 0});
  matrix(made.B, {0, 0, 1 / M, -1 / (M * l)});
  matrix(made.C, {1, l, 0, 0});
  matrix(made.D, {0});
  same(angular(made), {std::sqrt((M + m) * kG / (M * l)), std::sqrt((M + m) * kG / (M * l))});
  CHECK(made.stability == Stability::unstable);
  CHECK(made.growing == 1);
  CHECK(made.zero_blocks == std::vector<std::size_t>{2});
  CHECK(made.zero_directions == std::vector<std::string>{"x"});
}

TEST_CASE("a damped oscillator with a state") {
  const LinearModel made = linear(
      simulation_of("mbd 1\ncoord x = 0\nstate s = 0 where s' = -3*s + 5*x\nkinetic T: 2*x'^2/2\npotential V: 8*x^2/2\n"
                    "dissipation R: 0.8*x'^2/2\n"));
  const std::complex<double> wanted(-0.2, std::sqrt(4 - 0.04));
  REQUIRE(made.poles.size() == 3);
  CHECK(std::abs(made.poles[0].value - wanted) <= kExact);
  CHECK(std::abs(made.poles[1].value - std::conj(wanted)) <= kExact);
  CHECK(std::abs(made.poles[2].value + 3.0) <= kExact);
  CHECK(std::fabs(made.poles[0].damping - 0.1) <= kExact);
  CHECK(made.stability == Stability::asymptotically);
}

TEST_CASE("the frequencies of a chain of 20 masses between walls, in coordinates and as particles with springs") {
  const int n = 20;
  const double k = 300, m = 0.7;
  std::string plain = "mbd 1\n", energy = "potential V: 150*(x1^2", kinetic = "kinetic T: 0.35*(x1'^2";
  for (int i = 1; i <= n; ++i) plain += "coord x" + std::to_string(i) + " = 0\n";
  for (int i = 2; i <= n; ++i) {
    energy += " + (x" + std::to_string(i) + " - x" + std::to_string(i - 1) + ")^2";
    kinetic += " + x" + std::to_string(i) + "'^2";
  }
  plain += energy + " + x20^2)\n" + kinetic + ")\n";
  std::vector<double> wanted;
  for (int j = 1; j <= n; ++j) wanted.push_back(2 * std::sqrt(k / m) * std::sin(j * std::numbers::pi / (2 * (n + 1))));
  const LinearModel made = linear(simulation_of(plain));
  same(angular(made), wanted);
  CHECK(made.stability == Stability::energy_minimum);
}

TEST_CASE("the double pendulum has four equilibria") {
  const std::string text =
      "mbd 1\nparam m = 0.8, l = 0.5, g = 9.81\ncoord a = 0.3, b = -0.2\n"
      "kinetic T: m*l^2*(a'^2 + b'^2/2 + a'*b'*cos(a - b))\npotential V: -m*g*l*(2*cos(a) + cos(b))\n";
  const EquilibriumReport report = equilibria(simulation_of(text), 60);
  REQUIRE(report.found.size() == 4);
  CHECK(report.starts == 61);
  std::vector<std::size_t> growing;
  for (const Equilibrium& e : report.found) {
    growing.push_back(e.model.growing);
    for (const double angle : e.coordinates) CHECK(std::fabs(std::sin(angle)) <= kExact);
    CHECK(e.singular_stiffness == 0);
    CHECK((e.model.stability == Stability::energy_minimum) == (e.model.growing == 0));
  }
  std::sort(growing.begin(), growing.end());
  CHECK(growing == std::vector<std::size_t>{0, 1, 1, 2});
  const double w2 = kG / 0.5;
  same(angular(report.found.front().model),
       {std::sqrt(w2 * (2 - std::sqrt(2.0))), std::sqrt(w2 * (2 + std::sqrt(2.0)))});
}

TEST_CASE("a bead on a rotating hoop: the pitchfork") {
  const double R = 0.4, g = 9.81, w = 8;
  const std::string text =
      "mbd 1\nparam R = 0.4, g = 9.81, w = 8, th0 = 1.2\ncoord th = th0\nkinetic T: R^2*(th'^2 + w^2*sin(th)^2)/2\n"
      "potential V: -g*R*cos(th)\n";
  const EquilibriumReport raised = equilibria(simulation_of(text));
  REQUIRE(raised.found.size() == 1);
  const double th = std::acos(g / (w * w * R));
  CHECK(std::fabs(raised.found[0].coordinates[0] - th) <= kExact);
  same(angular(raised.found[0].model), {w * std::sin(th)});
  const LinearModel above = linear(simulation_of(text, {"th0 = 0"}));
  CHECK(above.stability == Stability::unstable);
  same(angular(above), {std::sqrt(w * w - g / R), std::sqrt(w * w - g / R)});
  const LinearModel below = linear(simulation_of(text, {"w = 4", "th0 = 0"}));
  same(angular(below), {std::sqrt(g / R - 16)});
  CHECK(below.stability != Stability::unstable);
  const LinearModel at = linear(simulation_of(text, {"w = sqrt(g/R)", "th0 = 0"}));
  CHECK(at.stability == Stability::zero_poles);
  CHECK(at.zero_blocks == std::vector<std::size_t>{2});
}

TEST_CASE("a body on springs has the same poles in every representation and formulation") {
  const double m = 2.5, k = 90, c[] = {3, 5, 8}, I[] = {0.02, 0.05, 0.06};
  const std::string text =
      "mbd 1\nspace 3\nbody b(mass = 2.5, inertia = diag(0.02, 0.05, 0.06)) at (0, 0, 0)\n"
      "potential V: 90*dot(b.pos, b.pos)/2 - 3*dot(b.rot*ex, ex) - 5*dot(b.rot*ey, ey) - 8*dot(b.rot*ez, ez)\n"
      "simulate { time = 0 .. 1 step 0.1 }\n";
  std::vector<double> wanted(3, std::sqrt(k / m));
  for (int i = 0; i < 3; ++i) wanted.push_back(std::sqrt((c[(i + 1) % 3] + c[(i + 2) % 3]) / I[i]));
  for (const char* bodies : {"quaternion", "euler_parameters", "natural"})
    for (const char* formulation : {"udwadia_kalaba", "augmented", "maggi", "projection"}) {
      const LinearModel made =
          linear(simulation_of(text, {std::string("bodies=") + bodies, std::string("formulation=") + formulation}));
      CHECK(made.pole_count() == 12);
      same(angular(made), wanted);
      CHECK(made.stability == Stability::energy_minimum);
    }
}

TEST_CASE("a hanging four-bar with rows that repeat others, from a position off its equilibrium") {
  const std::string text =
      "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle a(1) at (0.6, -0.8)\nparticle b(1) at (1.6, -0.8)\n"
      "constraint left: dist(a.pos, (0, 0)) == 1\nconstraint right: dist(b.pos, (1, 0)) == 1\n"
      "constraint bar: dist(a.pos, b.pos) == 1\nconstraint again: dot(a.pos, a.pos) == 1\n"
      "output pull = left.lambda\noutput low = a.y\nsimulate { time = 0 .. 1 step 0.1 }\n";
  const EquilibriumReport report = equilibria(simulation_of(text));
  REQUIRE(report.found.size() == 1);
  const LinearModel& m = report.found[0].model;
  CHECK(std::fabs(report.found[0].coordinates[0]) <= kExact);
  CHECK(m.position_rank == 3);
  same(angular(m), {std::sqrt(kG)});
  CHECK(m.stability == Stability::energy_minimum);
  CHECK(m.outputs_left_out == std::vector<std::string>{"pull"});
  Simulation there = simulation_of(text);
  const Result<Jacobian> outputs = there.jacobian(JacobianOf::outputs, JacobianBy::directions, 0, m.state);
  REQUIRE(!outputs.ok());
  CHECK(outputs.error().diagnostics.front().code == "E0806");
  const Result<Jacobian> rows = there.jacobian(JacobianOf::multipliers, JacobianBy::directions, 0, m.state);
  REQUIRE(rows.ok());
  CHECK(rows->of == std::vector<std::string>{"right", "bar"});
}

TEST_CASE("a skate at rest has one pole for each freedom of positions and of speeds") {
  const LinearModel made =
      linear(simulation_of("mbd 1\ncoord x = 0, y = 0, phi = 0.3\nkinetic T: (x'^2 + y'^2 + 0.2*phi'^2)/2\n"
                           "constraint blade: x'*sin(phi) == y'*cos(phi)\n"));
  CHECK(made.pole_count() == 5);
  CHECK(made.poles.empty());
  CHECK(made.zero_blocks == std::vector<std::size_t>{2, 2, 1});
  CHECK(made.stability == Stability::zero_poles);
}

TEST_CASE("gyroscopic terms hold a top of a hill, which is not called stable") {
  const LinearModel made = linear(simulation_of(
      "mbd 1\ncoord x = 0, y = 0\nkinetic T: (x'^2 + y'^2)/2 + 3*(x*y' - y*x')/2\npotential V: -(x^2 + y^2)/2\n"));
  CHECK(made.equilibrium);
  same(angular(made), {(3 - std::sqrt(5.0)) / 2, (3 + std::sqrt(5.0)) / 2});
  CHECK(made.stability == Stability::spectrally);
}

TEST_CASE("the benchmark bicycle: poles, weave speed and capsize speed") {
  CompileOptions options;
  options.interpret = true;
  options.set = {"kick = 0"};
  const Model model = Model::from_file(MBC_SOURCE_DIR "/examples/bicycle.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  const auto at = [&](double v) {
    Simulation s = Simulation::create(model).value();
    s.set_parameter("v", v).value();
    s.reset();
    return linear(std::move(s));
  };
  // M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 in lean and steer, with the numbers of Meijaard et al. (2007), table 1
  const auto determinant = [](std::complex<double> s, double v) {
    const auto entry = [&](double M, double C1, double K0, double K2) {
      return s * s * M + s * v * C1 + kG * K0 + v * v * K2;
    };
    return entry(80.81722, 0, -80.95, 0) *
               entry(0.29784188199686, 1.68540397397560, -0.80329488458618, 2.65431523794604) -
           entry(2.31941332208709, 33.86641391492494, -2.59951685249872, 76.59734589573222) *
               entry(2.31941332208709, -0.85035641456978, -2.59951685249872, 0);
  };
  const LinearModel five = at(5);
  CHECK(five.steady);
  CHECK(!five.equilibrium);
  CHECK(five.pole_count() == 12);
  REQUIRE(five.poles.size() == 4);
  for (const Pole& p : five.poles)
    CHECK(std::abs(determinant(p.value, 5)) <= 1e-9 * std::pow(std::abs(p.value), 4) * 24 + 1e-8);
  const double weave = 4.29238253634111, capsize = 6.02426201538837;  // the speeds of their section 5
  CHECK(at(weave - 1e-6).growing == 2);
  CHECK(at(weave + 1e-6).growing == 0);
  CHECK(at(capsize - 1e-6).growing == 0);
  CHECK(at(capsize + 1e-6).growing == 1);
}

TEST_CASE("a state that moves is named, and inputs with signals are held") {
  const LinearModel swings = linear(simulation_of("mbd 1\ncoord th = 0.5 rate 0.2\ninput F = 0\nkinetic T: "
                                                  "th'^2/2\npotential V: -4*cos(th)\nload f on th: F*th\n"
                                                  "simulate { time = 0 .. 2 step 0.01; input.F = 1 + t }\n"),
                                    {.at = 0.5, .equilibrium = false});
  CHECK(!swings.steady);
  CHECK(swings.fastest == "th'");
  const double th = swings.state[0];
  CHECK(std::fabs(swings.A[2] - (-4 * std::cos(th) + 1.5)) <= kExact);
  CHECK(std::fabs(swings.B[1] - th) <= kExact);
  CHECK(std::fabs(swings.drift[1] - (-4 * std::sin(th) + 1.5 * th)) <= kExact);
}

TEST_CASE("a sleeping top moves steadily: poles by its spin") {
  // Upright, with small leans a, b: A a'' + C w b' - m g l a = 0 and the same for b with the other sign.
  const double A = 0.002, C = 0.0008, mgl = 0.3;
  const auto at = [&](double w) {
    return linear(simulation_of("mbd 1\nparam w = " + std::to_string(w) +
                                "\ncoord a = 0, b = 0, spin = 0 rate w\n"
                                "kinetic T: 0.002*(a'^2 + b'^2*cos(a)^2)/2 + 0.0008*(spin' + b'*sin(a))^2/2\n"
                                "potential V: 0.3*cos(a)*cos(b)\n"));
  };
  const double critical = 2 * std::sqrt(A * mgl) / C;
  for (const double w : {std::ceil(critical * 1.1), std::ceil(critical * 2)}) {
    const LinearModel fast = at(w);
    CHECK(fast.steady);
    CHECK(!fast.equilibrium);
    CHECK(fast.growing == 0);
    const double half = C * w / 2, root = std::sqrt(half * half - A * mgl);
    same(angular(fast), {(half - root) / A, (half + root) / A});
    CHECK(fast.zero_directions == std::vector<std::string>{"spin"});
  }
  CHECK(at(std::floor(critical * 0.9)).stability == Stability::unstable);
}

TEST_CASE("nothing rests at infinity, and outputs without derivatives are left out") {
  const Result<EquilibriumReport> away =
      simulation_of("mbd 1\ncoord r = 1\nkinetic T: r'^2/2\npotential V: 1/r^2\n").equilibrium();
  REQUIRE(!away.ok());
  CHECK(away.error().diagnostics.front().code == "E0808");
  const LinearModel root =
      linear(simulation_of("mbd 1\nspace 2\nparticle p(1) at (0, 0)\npotential V: dot(p.pos, p.pos)\noutput far = "
                           "norm(p.pos)\noutput p.x\n"));
  CHECK(root.outputs_left_out == std::vector<std::string>{"far"});
  CHECK(root.outputs.size() == 1);
  const LinearModel driven =
      linear(simulation_of("mbd 1\ncoord x = 0 rate 2\nkinetic T: x'^2/2\nconstraint way: x == 2*t\n"));
  CHECK(driven.pole_count() == 0);
  CHECK(driven.steady);
}

TEST_CASE("a block that sticks on a floor: its constraints are those of contact and friction") {
  const std::string text =
      "mbd 1\nspace 2\nparam x0 = 0.1\ngravity (0, -10)\nparticle p(2) at (x0, 0)\nforce spring on p: (-30*p.x, 0)\n"
      "constraint deck: p.y >= 0\nfriction rub on p.vx: 0.8*deck.lambda\nsimulate { time = 0 .. 1 step 0.1 }\n";
  Simulation sticks = simulation_of(text);
  const LinearModel made = linear(simulation_of(text));
  CHECK(made.equilibrium);
  CHECK(made.position_rank == 1);
  CHECK(made.velocity_rank == 2);
  CHECK(made.zero_blocks == std::vector<std::size_t>{1});
  const Result<Jacobian> held = sticks.jacobian(JacobianOf::multipliers, JacobianBy::directions, 0, made.state);
  REQUIRE_MESSAGE(held.ok(), held.error().message);
  REQUIRE(held->of.size() == 2);
  CHECK(std::fabs(held->at(0, 0)) <= kExact);
  CHECK(std::fabs(std::fabs(held->at(1, 0)) - 30) <= kExact);
  CHECK(refusal(simulation_of(text, {"x0 = 1"})) == "E0804");
}

TEST_CASE("a pendulum hangs, or stands where the search begins above its pivot") {
  const char* const rod =
      "mbd 1\nspace 2\nparam A = 1\ngravity (0, -9.81)\nparticle p(1) at (sin(A), -cos(A))\n"
      "constraint rod: norm(p.pos) == 1\n";
  const char* const hinge =
      "mbd 1\nuse joints\nparam A = 1\ngravity (0, -9.81, 0)\n"
      "body b(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (sin(A), -cos(A), 0) rotated rotz(A)\n"
      "frame top on b at (0, 1, 0)\nRevolute h(ground, top, axis = ez)\n";
  const char* const cart =
      "mbd 1\nspace 2\nparam A = 1\ngravity (0, -9.81)\nparticle c(2) at (0, 0)\n"
      "particle p(1) at (sin(A), -cos(A))\nconstraint rail: c.y == 0\nconstraint rod: dist(c, p) == 1\n"
      "force k on c: (-50*c.x, 0)\n";
  for (const char* text : {rod, hinge, cart})
    for (int degrees = 4; degrees < 180; degrees += 8) {
      CAPTURE(text);
      CAPTURE(degrees);
      const EquilibriumReport made =
          equilibria(simulation_of(text, {"A=" + std::to_string(degrees * std::numbers::pi / 180)}));
      REQUIRE(made.found.size() == 1);
      CHECK(made.found[0].model.growing == (degrees < 90 ? 0 : 1));
    }
}

TEST_CASE("a pair that a force pulls does not rest, however stiff its spring") {
  for (const std::string k : {"10", "1e4", "1e8"})
    for (const std::string force : {"5", "1e-3"}) {
      CAPTURE(k);
      CAPTURE(force);
      const std::string text =
          "mbd 1\nparam F = 1, k = 1\ncoord a = 0, b = 0\nkinetic T: 0.5*a'^2 + 0.5*b'^2\n"
          "potential V: 0.5*k*(b - a)^2\nload f on b: F\n";
      const Result<EquilibriumReport> made = simulation_of(text, {"k=" + k, "F=" + force}).equilibrium({});
      REQUIRE(!made.ok());
      CHECK(made.error().diagnostics.front().code == "E0808");
    }
}

TEST_CASE("a door on a vertical hinge with a spring rests at the angle of the spring") {
  const std::string text = R"(mbd 1
use joints
gravity (0, 0, -9.81)
body d(mass = 20, inertia = diag(1, 1.5, 0.6)) at (0.4, 0, 0)
Revolute up(ground.at(0, 0, 0.5), d.at(-0.4, 0, 0.5), axis = ez)
load spring on up.angle: -2*(up.angle - 0.4)
output angle = up.angle
simulate { time = 0 .. 1 step 0.001; bodies = )";
  for (const char* bodies : {"quaternion", "natural", "euler_parameters", "tree"}) {
    CAPTURE(bodies);
    const EquilibriumReport made = equilibria(simulation_of(text + bodies + " }\n"));
    REQUIRE(made.found.size() == 1);
    CHECK(made.found[0].model.growing == 0);
    const std::vector<double>& q = made.found[0].coordinates;
    CHECK((bodies == std::string("tree") ? q[0] : std::atan2(q[1], q[0])) == doctest::Approx(0.4).epsilon(1e-8));
  }
}

TEST_CASE("the time counts where its derivative vanishes too") {
  for (const char* load : {"0.5*cos(t) - x", "t^2 - x", "(if t < 3 then 1 else 2) - x"}) {
    CAPTURE(load);
    const EquilibriumReport made =
        equilibria(simulation_of(std::string("mbd 1\ncoord x = 0\nkinetic T: 0.5*x'^2\nload f on x: ") + load + "\n"));
    REQUIRE(made.found.size() == 1);
    CHECK(made.found[0].model.depends_on_time);
  }
  CHECK(!equilibria(simulation_of("mbd 1\ncoord x = 0\nkinetic T: 0.5*x'^2\nload f on x: 1 - x\noutput a = t\n"))
             .found[0]
             .model.depends_on_time);
}

TEST_CASE("stiff and slow parts of one model rest together") {
  // A soft spring beside a stiff mount, for ratios of the squared frequencies up to 1e16.
  for (const double stiff : {1e3, 1e7, 1e10}) {
    CAPTURE(stiff);
    const EquilibriumReport made =
        equilibria(simulation_of("mbd 1\nspace 1\nparam K = 1\ngravity -9.81\nparticle a(1) at 0\n"
                                 "particle b(1e-6) at 0\npotential soft: 0.5*100*a.x^2\npotential mount: 0.5*K*b.x^2\n",
                                 {"K=" + std::to_string(stiff)}));
    REQUIRE(made.found.size() == 1);
    CHECK(made.found[0].coordinates[0] == doctest::Approx(-0.0981).epsilon(kExact));
    CHECK(made.found[0].coordinates[1] == doctest::Approx(-9.81e-6 / stiff).epsilon(1e-8));
  }
  // A state that goes to 5 within hours beside an oscillator of 160 Hz.
  for (const char* tau : {"1e3", "1e4", "1e5"}) {
    const EquilibriumReport made =
        equilibria(simulation_of("mbd 1\nparam tau = 1\ncoord x = 0.1\nstate y = 0 where y' = (5 - y)/tau\n"
                                 "kinetic T: 0.5*x'^2\npotential V: 0.5*1e6*x^2\ndissipation D: 10*x'^2\n",
                                 {std::string("tau=") + tau}));
    REQUIRE(made.found.size() == 1);
    CHECK(made.found[0].states[0] == doctest::Approx(5).epsilon(kExact));
    CHECK(made.found[0].model.stability == Stability::asymptotically);
  }
  // A slow integral holds the load of a shaft on a stiff coupling.
  const EquilibriumReport made = equilibria(simulation_of(R"(mbd 1
use control
coord a = 0.2, b = 0
kinetic T: 0.5*1e-3*(a'^2 + b'^2)
potential V: 0.5*1e7*(a - b)^2
potential g: 0.5*(b - 0.1)
PID c(setpoint = 1, measured = a, kp = 1, ki = 1e-3, kd = 0.1)
load m on a: c.u
)"));
  REQUIRE(made.found.size() == 1);
  CHECK(made.found[0].coordinates[0] == doctest::Approx(1).epsilon(1e-9));
  CHECK(made.found[0].states[0] == doctest::Approx(0.5).epsilon(1e-8));
}

TEST_CASE("a spring that winds up rests at its free angle, beyond whole turns too") {
  for (const double angle : {30.0, 190.0, 400.0}) {
    CAPTURE(angle);
    const double free = angle * std::numbers::pi / 180;
    const EquilibriumReport made = equilibria(simulation_of(R"(mbd 1
use joints, forces
param A = 1
body b(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0)
Revolute h(ground, b, axis = ez)
TorsionalSpring s(ground, b, stiffness = 2, axis = ez, angle = A)
TorsionalDamper d(ground, b, damping = 0.3, axis = ez)
)",
                                                            {"A=" + std::to_string(free)}));
    REQUIRE(made.found.size() == 1);
    CHECK(made.found[0].states[0] == doctest::Approx(free).epsilon(1e-6));
    CHECK(made.found[0].singular_stiffness == 0);
  }
}

TEST_CASE("questions without an answer") {
  CHECK(refusal(simulation_of("mbd 1\ncoord x = 0\nkinetic T: x'^2/2\nload f on x: -abs(x)\n")) == "E0803");
  CHECK(refusal(simulation_of("mbd 1\ncoord x = 0\nkinetic T: x'^2/2\nload f on x: -sqrt(x)\n")) == "E0805");
  // The derivative of a square drag is continuous at rest.
  CHECK(linear(simulation_of("mbd 1\ncoord x = 0\nkinetic T: x'^2/2\npotential V: x^2\nload f on x: -abs(x')*x'\n"))
            .poles.size() == 2);
  const Result<EquilibriumReport> falls =
      simulation_of("mbd 1\ncoord z = 1\nkinetic T: z'^2/2\npotential V: 10*z\n").equilibrium();
  REQUIRE(!falls.ok());
  CHECK(falls.error().diagnostics.front().code == "E0808");
  const Result<EquilibriumReport> moves =
      simulation_of("mbd 1\ncoord x = 0 rate 2, y = 0\nkinetic T: x'^2/2 + y'^2/2\nconstraint way: x == 2*t\n")
          .equilibrium();
  REQUIRE(!moves.ok());
  CHECK(moves.error().diagnostics.front().code == "E0807");
}
