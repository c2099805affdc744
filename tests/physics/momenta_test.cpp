// SPDX-License-Identifier: Apache-2.0
// Tests which conserved momenta are found and which are not, and that the motion agrees.
#include "compiler/lower/momenta.h"

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/momenta_support.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

TEST_CASE("the track of a cart with a double pendulum; dropping the track takes gravity's direction away") {
  const std::string cart = R"(mbd 1
param l = 1, g = 9.81
coord th1 = 1 rate 0.5
coord th2 = 0.4 rate -0.5*cos(0.6)
coord x = 0 rate 0.3
gravity (0, 0, -g)
particle cart(10) follows (x, 0, 0)
particle ab(2) follows (x + l/2*sin(th1), 0, -l/2*cos(th1))
particle bc(1) follows (x + l*sin(th1) + l/2*sin(th2), 0, -l*cos(th1) - l/2*cos(th2))
kinetic bars: 0.5*(2*l^2/12)*th1'^2 + 0.5*(1*l^2/12)*th2'^2
)";
  check_momenta(cart, "x", "");
  check_momenta(cart + "constraint roll: l*cos(th1 - th2)*th1' + l*th2' == 0\n", "x", "");
  check_momenta(cart + "coord z = 0 rate 0.1\nparticle lift(1) follows (x, 0, z)\n", "x", "");
}

TEST_CASE("angles: one by one where they are relative, their sum where they are absolute") {
  const std::string bars = R"(mbd 1
coord a = 0.3 rate 1
coord b = 1.1 rate -0.4
)";
  check_momenta(bars + R"(particle p(1) follows (cos(a), sin(a), 0)
particle q(2) follows p.pos + 0.7*(cos(b), sin(b), 0)
)",
                "a + b", "");
  check_momenta(bars + R"(particle p(1) follows (cos(a), sin(a), 0)
particle q(2) follows p.pos + 0.7*(cos(a + b), sin(a + b), 0)
)",
                "a", "");
  // With gravity in the plane neither is conserved.
  check_momenta(bars + R"(gravity (0, -1, 0)
particle p(1) follows (cos(a), sin(a), 0)
particle q(2) follows p.pos + 0.7*(cos(b), sin(b), 0)
)",
                "", "");
}

TEST_CASE("the azimuth of a spherical pendulum, of a governor, and both axes of a top") {
  check_momenta(R"(mbd 1
param l = 1.3, g = 9.81
coord theta = 1 rate 0.2
coord phi = 0 rate 1.5
gravity (0, 0, -g)
particle bob(2) follows l*(sin(theta)*cos(phi), sin(theta)*sin(phi), -cos(theta))
)",
                "phi", "");
  CHECK(momenta_of(example("governor")).names() == "phi");
  CHECK(momenta_of(example("spinning_top")).names() == "psi; phi");
  // A top with three different moments of inertia keeps only the vertical momentum.
  CHECK(momenta_of(replaced(example("spinning_top"), "diag(A1, A1, C)", "diag(A1, 1.2*A1, C)")).names() == "psi");
}

TEST_CASE("three connected bodies and the satellite with a boom: X, Y, Z") {
  for (const char* name : {"seeds/000_volterra/three_bodies", "seeds/000_volterra/satellite"}) {
    const FoundMomenta f = momenta_of(example(name));
    CHECK(f.names() == "X; Y; Z");
    CHECK(f.momenta.rejected.empty());
    for (const auto& m : f.momenta.found) {
      CHECK(m.single);
      CHECK(f.model.coordinates[m.coordinate].name == m.name);
      CHECK(momentum_change(example(name), m.speeds) < 1e-9);
    }
  }
}

TEST_CASE("particles joined by rows have their common translations, each connected part its own") {
  const std::string pair = R"(mbd 1
particle a(1) at (0, 0, 0) moving (0.2, 0, 0.1)
particle b(2) at (1, 0, 0) moving (0.2, 1.5, 0)
constraint rod: dist(a, b) == 1
)";
  check_momenta(pair, "translation x of a, b; translation y of a, b; translation z of a, b", "");
  check_momenta(pair + "gravity (0, 0, -9.81)\n", "translation x of a, b; translation y of a, b", "");
  check_momenta(pair + R"(particle c(1) at (0, 5, 0)
particle d(3) at (0, 6, 0) moving (0.5, 0, 0.3)
constraint bar: dist(c, d) == 1
gravity (0, -2, 0)
)",
                "translation x of a, b; a.y + b.y - 0.75*c.y - 0.75*d.y; translation z of a, b; translation x of c, d; "
                "translation z of c, d",
                // The masses of 3 kg and 4 kg are in one field, and their weights cancel along the second direction.
                "");
  // The pair is fixed at a point or moved in time.
  check_momenta(pair + "constraint hook: a.z == 0.1*t + 0.2*t^2\n", "translation x of a, b; translation y of a, b",
                "a.z: its column in row `rod` is not zero; b.z: its column in row `rod` is not zero");
  const FoundMomenta f = momenta_of(pair);
  CHECK(f.direction("translation x of a, b").speeds ==
        std::vector<std::pair<std::uint32_t, double>>{{0, 1.0}, {3, 1.0}});
  CHECK_FALSE(f.direction("translation x of a, b").single);
}

TEST_CASE("Chaplygin's sleigh: absent from the energies, held by the knife") {
  const std::string sleigh = R"(mbd 1
space 2
param m = 3, J = 0.7, b = 0.4
coord x = 0 rate 1.0
coord y = 0 rate tan(0.4)*1.0 + b*0.8/cos(0.4)
coord th = 0.4 rate 0.8
particle body(m) follows (x, y)
kinetic turn: 0.5*J*th'^2
constraint knife: -sin(th)*x' + cos(th)*y' - b*th' == 0
)";
  const std::string why = ": its column in row `knife` is not zero";
  check_momenta(sleigh, "", "x" + why + "; y" + why + "; th" + why);
}

TEST_CASE("pairs of forces: by potential and by force .. from") {
  const std::string two = R"(mbd 1
param k = 40, l0 = 0.5, c = 0.2
particle a(1) at (1, 0, 0) moving (0, 0.3, 0.1)
particle b(3) at (-1, 0, 0)
)";
  const std::string all = "translation x of a, b; translation y of a, b; translation z of a, b";
  check_momenta(two + "potential spring: 0.5*k*(dist(a, b) - l0)^2\n", all, "");
  check_momenta(two + "force f on a from b: -k*(dist(a, b) - l0)*unit(a.pos - b.pos) - c*(a.vel - b.vel)\n", all, "");
  check_momenta(two + "dissipation d: 0.5*c*dot(a.vel - b.vel, a.vel - b.vel)\n", all, "");
  // The models have a state between the two particles, and a law that acts on one side only.
  check_momenta(two + "state s = 0.2 where s' = a.vx - s\npotential spring: 0.5*k*(a.x - b.x - s)^2\n",
                "a.y; a.z; b.y; b.z; translation x of a, b", "");
  check_momenta(two +
                    "let gap = dist(a, b) - 2.1\n"
                    "force f on a from b: (if gap > 0 then -k*gap else 0)*unit(a.pos - b.pos)\n",
                all, "");
}

TEST_CASE("what is done by loads is named") {
  const std::string one = R"(mbd 1
param c = 0.3
particle p(1) at (0, 0, 1) moving (1, 0.5, 0.2)
)";
  check_momenta(one + "gravity (0, 0, -9.81)\n", "p.x; p.y", "");
  check_momenta(one + "force drag on p: -c*p.vel\n", "",
                "p.x: the force `drag` does work on it; p.y: the force `drag` does work on it; p.z: the force `drag` "
                "does work on it");
  check_momenta(one + "force drag on p: (-c*p.vx, 0, 0)\n", "p.y; p.z", "p.x: the force `drag` does work on it");
  check_momenta(one + "force on p: (0, c, 0)\n", "p.x; p.z", "p.y: the force in line 4 does work on it");
  check_momenta(one + "coord s = 0 rate 1\nkinetic T: s'^2\ndissipation rub: c*s'^2\n", "p.x; p.y; p.z",
                "s: the dissipation `rub` does work on it");
  check_momenta(one + "coord s = 0 rate 1\nkinetic T: s'^2\nload motor on s: c*sin(t)\n", "p.x; p.y; p.z",
                "s: the load `motor` does work on it");
  // Loads that cancel do no work.
  check_momenta(one + "force up on p: (0, 0, 9.81)\nforce down on p: (0, 0, -9.81)\n", "p.x; p.y; p.z", "");
}

TEST_CASE("a contact that is open wherever one looks is a load all the same") {
  const std::string ball = R"(mbd 1
particle p(1) at (0, 0, 1) moving (1, 0, 0)
force bed on p: (0, 0, if p.z < -1000 then -100*p.z else 0)
)";
  const FoundMomenta f = momenta_of(ball);
  CHECK(f.names() == "p.x; p.y");
  CHECK(f.rejected() == "p.z: the force `bed` does work on it");
  const FoundMomenta pair = momenta_of(ball + R"(particle q(1) at (0, 0, 2)
force bump on p from q: (0, 0, max(0, p.z - q.z - 1000))
)");
  CHECK(pair.names() == "p.x; p.y; q.x; q.y");
}

TEST_CASE("supports that move: the kinetic energy may depend on time") {
  const std::string head = R"(mbd 1
coord th = 0.2 rate 0.3
coord y = 0 rate 0.4
)";
  check_momenta(
      head + "particle p(1) follows (0.2*sin(3*t) + cos(th), y + sin(th), 0)\nparticle c(2) follows (0, y, 0)\n", "y",
      "");
  check_momenta(head + "particle c(1) follows (0, y + sin(2*t)*th, th)\n", "y", "", 1);
  check_momenta(R"(mbd 1
particle a(1) at (0, 0, 0) moving (1, 0, 0)
particle b(2) at (1, 0, 0) moving (1, 2, 0)
constraint lead: b.x - a.x == 1 + t^2
)",
                "a.y; a.z; b.y; b.z; translation x of a, b", "");
}

TEST_CASE("rolling: a coin on a table keeps nothing, a wheel on a line its one momentum when its radius is a number") {
  const FoundMomenta coin = momenta_of(example("rolling_disc"));
  CHECK(coin.names().empty());
  CHECK(coin.rejected() ==
        "coin.x: its column in row `roll.x` is not zero; coin.y: its column in row `roll.y` is not zero");
  const std::string wheel = R"(mbd 1
param R = 0.25
coord x = 0 rate 0.5
coord a = 0 rate 2
particle hub(1) follows (x, 0, 0)
kinetic spin: 0.1*a'^2
)";
  check_momenta(wheel + "constraint roll: x' == 0.25*a'\n", "x + 4*a", "");
  const std::string why = ": its column in row `roll` is not zero";
  const FoundMomenta with_parameter = momenta_of(wheel + "constraint roll: x' == R*a'\n");
  CHECK(with_parameter.names().empty());
  CHECK(with_parameter.rejected() == "x" + why + "; a" + why);
}

TEST_CASE("free bodies in every representation") {
  const std::string text = R"(mbd 1
param h = 0.5
body b1(mass = 2, inertia = diag(1, 2, 1.5), com = (0.1, 0, 0)) at (0, 0, 0) spinning (0.2, 0, 0)
body b2(mass = 1, inertia = diag(0.2, 0.3, 0.4)) at (1, 0, 0) moving (0, 0.2, 0.1)
particle p(1) at (3, 0, 0)
point c1 on b1 at (h, 0, 0)
point c2 on b2 at (-h, 0, 0)
constraint ball: c1.pos == c2.pos
force pull on p from c2: 2*(c2.pos - p.pos)
torque twist on b1 from b2: (0, 0, 0.1)
gravity (0, 0, -1)
init { b2.vel ~ (0, 0.2, 0.1) }
)";
  const std::string found = "translation x of b1, b2, p; translation y of b1, b2, p";
  for (const auto representation :
       {sema::Representation::quaternion, sema::Representation::euler_parameters, sema::Representation::natural}) {
    const FoundMomenta f = momenta_of(text, representation);
    CHECK(f.names() == found);
    CHECK(f.momenta.rejected.empty());
    for (const auto& m : f.momenta.found) {
      const std::string run = text + std::string("simulate { time = 0 .. 1 step 0.001; integrator = rk4; bodies = ") +
                              settings::to_text(representation) + "; stabilise = none; assemble }\n";
      CHECK(momentum_change(run, m.speeds) < 1e-9);
    }
  }
}

TEST_CASE("bodies in the plane: translations, and the angle of one that nothing turns") {
  check_momenta(R"(mbd 1
space 2
body disc(mass = 1, inertia = 0.3) at (0, 0) spinning 2 moving (1, 0)
body bar(mass = 2, inertia = 0.5) at (1, 0) spinning 1 moving (1, 1)
constraint axle: disc.pos == bar.pos - rot(bar.angle)*(1, 0)
particle p(1) at (0, 2)
force pull on p from disc: 3*(disc.pos - p.pos)
)",
                "disc.angle; translation x of disc, bar, p; translation y of disc, bar, p",
                "bar.angle: its column in row `axle.x` is not zero");
}

TEST_CASE("momenta of hand-written kinetic energies; coordinates without inertia have none") {
  const std::string text = R"(mbd 1
param m = 2, e = 0.3
coord x = 1 rate 0.2
coord y = 0.5 rate 0.7
coord s = 0 rate 0.1
kinetic T: 0.5*m*(x'^2 + y'^2) + e*cos(x - y)*x'*y' + 0.5*(1 + e*sin(x - y)^2)*s'^2
potential V: e*cos(x - y)^2
)";
  check_momenta(text, "s; x + y", "");
  const FoundMomenta idle = momenta_of(text + "coord idle = 0\nconstraint tied: idle' == 2*s'\n");
  CHECK(idle.names() == "x + y; s + 2*idle");
  CHECK(momenta_of(text + "coord idle = 0\n").names() == "s; x + y");
}

// Two sources of each pair cancel only if their signs are correct.
TEST_CASE("what one part does and another undoes") {
  const std::string head = "mbd 1\nparam c = 0.4\ncoord x = 0.3 rate 0.5\ncoord a = 0.2 rate 1.5\n";
  const std::string mass = "kinetic own: 0.5*x'^2 + 0.5*3*a'^2\n";
  // The pairs are gravity and force, kinetic term and load, particle and kinetic term, dissipation and load, potential
  // and load.
  check_momenta(
      "mbd 1\ngravity (0, 0, -9.81)\nparticle p(2) at (0, 0, 0) moving (1, 0, 1)\nforce up on p: (0, 0, 19.62)\n",
      "p.x; p.y; p.z", "");
  check_momenta(head + mass + "kinetic T: 0.5*c*x*a'^2\nload f on x: -0.5*c*a'^2\n", "x; a", "");
  check_momenta(head + "particle p(2) follows x*(cos(a), sin(a), 0)\nkinetic T: 1.5*a'^2 - x^2*a'^2\n", "x; a", "");
  check_momenta(head + mass + "dissipation d: 0.5*c*x'^2\nload f on x: c*x'\n", "x; a", "");
  check_momenta(head + mass + "potential v: 0.5*c*x^2\nload f on x: c*x\n", "x; a", "");
  // The pairs are a torque and a load, and a particle and a body on the same axes, where the body's term is the
  // opposite one.
  check_momenta(head + mass +
                    "body b(mass = 1, inertia = diag(1, 1, 1)) follows frame(origin = (0, 0, 0), rotation = rotz(a))\n"
                    "torque m on b: (0, 0, c)\nload f on a: -c\n",
                "x; a", "");
  check_momenta(head + mass + R"(coord b = 0.7 rate 0.9
kinetic turned: -0.5*2*(sin(a)*b')^2
body disc(mass = 1, inertia = diag(2, 2, 2)) follows frame(origin = (0, 0, 0), rotation = rotz(b)*rotx(a))
particle p(1) follows (sin(a)*cos(b), sin(a)*sin(b), 0)
particle q(1) follows (0, 0, sin(a))
)",
                "x; b", "");
}

TEST_CASE("a parameter that is zero today hides nothing") {
  const FoundMomenta f = momenta_of(R"(mbd 1
param e = 0, g = 0
coord x = 1 rate 0.2
coord y = 0 rate 0.2
gravity (0, 0, -g)
particle p(1) at (0, 0, 0) moving (0, 0, 1)
kinetic T: 0.5*(1 + e*sin(x))*x'^2 + 0.5*y'^2
constraint slope: e*y' == 0
)");
  CHECK(f.names() == "p.x; p.y");
  CHECK(f.rejected() == "y: its column in row `slope` is not zero");
}

// The number of products is far larger than can be written out.
TEST_CASE("rotations one after another") {
  std::string arm = "mbd 1\nlet R0 = rotz(0)\nlet P0 = (0, 0, 0)\n";
  for (int k = 1; k <= 6; ++k) {
    const std::string n = std::to_string(k), before = std::to_string(k - 1);
    arm += "coord a" + n + " = 0.1 rate 0.3\nlet R" + n + " = R" + before + "*rot" + "xyz"[k % 3] + "(a" + n +
           ")\nlet P" + n + " = P" + before + " + R" + n + "*(1, 0.1, 0.2)\nbody b" + n +
           "(mass = 1, inertia = diag(1, 1.2, 1.4)) follows frame(origin = P" + n + ", rotation = R" + n + ")\n";
  }
  const FoundMomenta f = momenta_of(arm);
  CHECK(f.names() == "a1");
  CHECK(f.momenta.limited);
  const std::string run = arm + "simulate { time = 0 .. 0.5 step 0.001; integrator = rk4 }\n";
  CHECK(momentum_change(run, f.direction("a1").speeds) < 1e-10);
  CHECK(momenta_of(arm + "gravity (1, 0, 0)\n").names().empty());
  CHECK(momentum_change(run, {{1, 1.0}}) > 1e-3);
}

// Each pose holds those before it: derivatives by every coordinate of every body would be a million passes. Found are
// those of a short chain.
TEST_CASE("a long chain of joints is not differentiated whole") {
  const auto chain = [](int count) {
    const std::string n = std::to_string(count);
    return "mbd 1\nuse joints\nbody link[i in 1.." + n +
           "](mass = 1, inertia = diag(0.1, 0.1, 0.01)) at (i - 0.5, 0, 0)\n"
           "Revolute first(ground, link[1].at(-0.5, 0, 0), axis = ez)\nfor i in 2.." +
           n + " { Revolute j[i](link[i-1].at(0.5, 0, 0), link[i].at(-0.5, 0, 0), axis = ey) }\n";
  };
  CHECK(momenta_of(chain(2), sema::Representation::tree).names() == "first.angle");
  const FoundMomenta longer = momenta_of(chain(150), sema::Representation::tree);
  CHECK(longer.names().empty());
  CHECK(longer.momenta.limited);
}

TEST_CASE("what is found in the examples stays along their motion") {
  for (const char* name : {"seeds/000_volterra/cart_double_pendulum", "governor", "intermediate_axis", "solar_system",
                           "spinning_top", "tensegrity", "three_body_triangle", "two_particles"}) {
    CAPTURE(name);
    const FoundMomenta f = momenta_of(example(name));
    CHECK_FALSE(f.momenta.found.empty());
    for (const auto& m : f.momenta.found) {
      CAPTURE(m.name);
      CHECK(momentum_change(example(name), m.speeds) < 1e-8);
    }
  }
}

TEST_CASE("units and the lists of info") {
  const Simulation program = compile_text(R"(mbd 1
space 2
body disc(mass = 1 [kg], inertia = 0.3 [kg*m^2]) at (0, 0) [m] spinning 2 [1/s]
particle p(1 [kg]) at (1, 0) [m]
force drag on p: -0.1 [kg/s]*p.vel
particle q(1 [kg]) at (2, 0) [m]
force spring on p from q: 3 [N/m]*(q.pos - p.pos)
)",
                                          Engine::interpreter);
  const ModelInfo o = program.model().info().value();
  REQUIRE(o.momenta.size() == 3);
  CHECK(o.momenta[0].name == "disc.x");
  CHECK(o.momenta[0].unit == "kg*m/s");
  CHECK(o.momenta[2].name == "disc.angle");
  CHECK(o.momenta[2].unit == "kg*m^2/s");
  CHECK(o.momenta[2].kind == "coordinate");
  CHECK(o.momenta[2].speeds == std::vector<std::pair<std::string, double>>{{"disc.omega", 1.0}});
  REQUIRE(o.rejected_momenta.size() == 4);
  CHECK(o.rejected_momenta[0].name == "p.x");
  CHECK(o.rejected_momenta[0].reason == "the force `drag` does work on it");
  CHECK(o.rejected_momenta[3].name == "q.y");
  CHECK(o.rejected_momenta[3].reason == "the force `spring` does work on it");
}

TEST_CASE("a large net: directions of many speeds, and where the search for them ends") {
  const auto chain = [](int count) {
    std::string text = "mbd 1\ngravity (0, 0, -1)\n";
    for (int k = 0; k < count; ++k)
      text += "particle p" + std::to_string(k) + "(1) at (" + std::to_string(k) + ", 0, 0)\n";
    for (int k = 1; k < count; ++k)
      text += "constraint r" + std::to_string(k) + ": dist(p" + std::to_string(k - 1) + ", p" + std::to_string(k) +
              ") == 1\n";
    return text;
  };
  const FoundMomenta whole = momenta_of(chain(100));
  CHECK(whole.names() ==
        "translation x of p0, p1, p2, ... (100 in all); translation y of p0, p1, p2, ... (100 in all)");
  CHECK_FALSE(whole.momenta.limited);
  const FoundMomenta larger = momenta_of(chain(201));
  CHECK(larger.names().empty());
  CHECK(larger.momenta.limited);
}
