// SPDX-License-Identifier: Apache-2.0
// Tests that joints as coordinates differ from rows in nothing but cost: shares of loads, initial values, sweeps and
// comparisons of the same text with `bodies = tree` and with free bodies.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

Run rows_of(const std::string& text) { return run(text); }
Run tree_of(const std::string& text) { return run(text, Engine::interpreter, {"bodies=tree"}); }

bool warns(const Run& r, const std::string& code) {
  for (const DiagnosticInfo& d : r.result.warnings)
    if (d.code == code) return true;
  return false;
}

// Checks that columns of two runs agree in all rows.
void check_alike(const Run& found, const Run& expected, double tolerance) {
  REQUIRE(found.result.status == Status::complete);
  REQUIRE(expected.result.status == Status::complete);
  REQUIRE(found.rows() == expected.rows());
  for (const std::string& name : expected.names) {
    if (name.size() > 3 && name[name.size() - 3] == '.' && name[name.size() - 2] == 'p')
      continue;  // a quaternion's sign
    INFO(name);
    for (std::size_t row = 0; row < expected.rows(); ++row)
      CHECK(std::fabs(found.at(row, name) - expected.at(row, name)) <=
            tolerance * (1 + std::fabs(expected.at(row, name))));
  }
}

// Two hinges on one axis share the load; a friction depends on one of them.
const std::string kTwoHinges =
    "mbd 1\nuse joints, contact\ngravity (0, 0, -10)\nbody A(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0)\n"
    "Revolute j(ground.at(0, 0, -0.5), A.at(0, 0, -0.5))\nRevolute k(ground.at(0, 0, 0.5), A.at(0, 0, 0.5))\n"
    "JointFriction f(k.rate, torque = 0.02*norm(k.force))\ninit { k.rate = 1 }\noutput k.force\n";

}  // namespace

TEST_CASE("hinges of one axis share the load of a friction as rows do") {
  const std::string text = kTwoHinges + "simulate { time = 0 .. 0.5 step 0.1 }\n";
  const Run rows = rows_of(text), tree = tree_of(text);
  CHECK(warns(rows, "W0697"));
  CHECK(warns(tree, "W0697"));
  // each hinge takes half of the weight: 0.1 omega' = -0.02*5
  CHECK(tree.last("A.omegaz") == doctest::Approx(0.5).epsilon(1e-7));
  check_alike(tree, rows, 1e-8);
  const std::string strict = kTwoHinges + "simulate { time = 0 .. 0.5 step 0.1; reactions = unique }\n";
  CHECK(rows_of(strict).code() == tree_of(strict).code());
  CHECK(tree_of(strict).result.status != Status::complete);
}

TEST_CASE("guides of one slide share the load of a friction as rows do") {
  const std::string text =
      "mbd 1\nuse joints, contact\ngravity (0, 0, -10)\nbody A(mass = 2, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0)\n"
      "Prismatic j(ground.at(0, 0.5, 0), A.at(0, 0.5, 0), axis = ex)\n"
      "Prismatic k(ground.at(0, -0.5, 0), A.at(0, -0.5, 0), axis = ex)\n"
      "JointFriction f(k.rate, torque = 0.1*abs(k.side2.lambda))\ninit { k.rate = 3 }\n"
      "simulate { time = 0 .. 0.5 step 0.1 }\n";
  const Run rows = rows_of(text), tree = tree_of(text);
  CHECK(warns(rows, "W0697"));
  CHECK(warns(tree, "W0697"));
  check_alike(tree, rows, 1e-8);
}

TEST_CASE("a friction on a reaction leaves joints that no loop contains in the tree") {
  const std::string text =
      "mbd 1\nuse joints, contact\ngravity (0, 0, -10)\n"
      "body A(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0.5, 0, 0)\n"
      "body B(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (1.5, 0, 0)\n"
      "body C(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (2.5, 0, 0)\n"
      "Revolute i(ground, A.at(-0.5, 0, 0), axis = ey)\nRevolute j(A.at(0.5, 0, 0), B.at(-0.5, 0, 0), axis = ey)\n"
      "Revolute k(B.at(0.5, 0, 0), C.at(-0.5, 0, 0), axis = ey)\n"
      "JointFriction f(j.rate, torque = 0.01*norm(j.force))\ninit { j.rate = 1 }\n"
      "simulate { time = 0 .. 0.3 step 0.1; integrator = auto(tol = 1e-10) }\n";
  const Run rows = rows_of(text), tree = tree_of(text);
  CHECK(rows.result.constraints.size() == 16);  // with that of the friction
  CHECK(tree.result.constraints.size() == 6);   // j stays rows
  check_alike(tree, rows, 1e-7);
}

TEST_CASE("wishes for the bodies of an arm are met as with rows") {
  const std::string text =
      "mbd 1\nuse planar_joints\nspace 2\nbody A(mass = 2, inertia = 0.2) at (0.5, 0)\n"
      "body B(mass = 1, inertia = 0.1) at (1.5, 0.4)\nPin j(ground, A.at(-0.5, 0))\nPin k(A.at(0.5, 0), B.at(-0.5, "
      "0))\n"
      "init { A.angle ~ 0; A.pos ~ (0.5, 0); B.pos ~ (1.5, 0.4); B.angle ~ 0 }\n"
      "simulate { time = 0 .. 1 step 0.5 }\n";
  check_alike(tree_of(text), rows_of(text), 1e-7);
}

TEST_CASE("the place of a tip leads the joints that carry it, with rows and as coordinates") {
  const std::string text =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody A(mass = 2, inertia = diag(0.05, 0.06, 0.03)) at (0.25, 0, 0)\n"
      "body B(mass = 1, inertia = diag(0.05, 0.06, 0.03)) at (0.75, 0, 0)\n"
      "Revolute j(ground, A.at(-0.25, 0, 0), axis = ey)\nRevolute k(A.at(0.25, 0, 0), B.at(-0.25, 0, 0), axis = ey)\n"
      "let tip = B.at(0.25, 0, 0)\noutput tip.pos, tip.vel\n"
      "init { tip.pos.x = 0.6; tip.pos.z = -0.4; tip.vel.x = 0.3; tip.vel.z = 0.1; k.angle ~ 0.5 }\n"
      "simulate { time = 0 .. 0.5 step 0.1; integrator = auto(tol = 1e-10) }\n";
  const Run rows = rows_of(text), tree = tree_of(text);
  CHECK(tree.at(0, "tip.pos.x") == doctest::Approx(0.6).epsilon(1e-12));
  CHECK(tree.at(0, "tip.vel.z") == doctest::Approx(0.1).epsilon(1e-12));
  check_alike(tree, rows, 1e-7);
}

TEST_CASE("rates that nothing names are those of least energy, with rows and as coordinates") {
  const std::string text =
      "mbd 1\nuse joints\nbody D(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (0, 0, 0)\n"
      "body G(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (0.5, 0, 0)\nSpherical s(ground, D)\n"
      "Universal un(D.at(0.25, 0, 0), G.at(-0.25, 0, 0))\n"
      "init { un.angle_a = 0.1; un.angle_b = 0.3; D.quat = (1, 0, 0, 0); D.omega ~ (0.1, 0.2, 0.3) }\n"
      "output a = un.angle_a, b = un.angle_b, T = energy.kinetic\nsimulate { time = 0 .. 1 step 0.1 }\n";
  check_alike(tree_of(text), rows_of(text), 1e-6);
}

namespace {

// The first joint of a pendulum is drawn together with its body for L = 0.5, and begins at rest for v = 0.
const std::string kDrawn =
    "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nparam L = 0.5, v = 0\n"
    "body A(mass = 2, inertia = diag(0.05, 0.06, 0.03)) at (0.5, 0, 0) moving (0, 0, v)\n"
    "Revolute j(ground, A.at(-L, 0, 0), axis = ey)\nsimulate { time = 0 .. 1 step 0.1 }\n";

SweepResult swept(const std::string& vary, const std::string& bodies) {
  SweepOptions options;
  options.compile.set = {"bodies=" + bodies};
  options.vary = {vary};
  options.record = {"A.x"};
  return sweep_text(kDrawn, "drawn.mbd", options);
}

}  // namespace

TEST_CASE("a body drawn on another one begins where and as it would be fixed there") {
  const std::string upper =
      "mbd 1\nbody a(mass = 1, inertia = diag(0.1, 0.2, 0.15)) at (1, 2, 3) moving (0.1, 0.2, 0.3) "
      "rotated rotz(0.3)*rotx(0.4) spinning (0.5, 0.6, 0.7)\nframe f on a at (0.1, 0, 0.2) rotated roty(0.2)\n";
  const std::string rest = "simulate { time = 0 .. 0.1 step 0.1 }\noutput c.pos, c.vel, c.omega_space\n";
  for (const char* bodies : {"quaternion", "natural", "euler_parameters", "tree"}) {
    const Run drawn =
        run(upper +
                "body c(mass = 1, inertia = diag(0.1, 0.2, 0.15)) on f at (0.3, 0.4, 0.5) rotated rotz(1)\n"
                "output a.at((0.1, 0, 0.2), roty(0.2)).at(0.3, 0.4, 0.5).pos, a.at((0.1, 0, 0.2), roty(0.2)).at(0.3, "
                "0.4, 0.5).vel, "
                "a.omega_space\n" +
                rest,
            Engine::interpreter, {std::string("bodies=") + bodies});
    REQUIRE(drawn.result.status == Status::complete);
    const std::string place = "a.at((0.1, 0, 0.2), roty(0.2)).at(0.3, 0.4, 0.5)";
    for (const char* axis : {".x", ".y", ".z"}) {
      CHECK(drawn.at(0, std::string("c.pos") + axis) ==
            doctest::Approx(drawn.at(0, place + ".pos" + axis)).epsilon(1e-14));
      CHECK(drawn.at(0, std::string("c.vel") + axis) ==
            doctest::Approx(drawn.at(0, place + ".vel" + axis)).epsilon(1e-14));
      CHECK(drawn.at(0, std::string("c.omega_space") + axis) ==
            doctest::Approx(drawn.at(0, std::string("a.omega_space") + axis)).epsilon(1e-14));
    }
  }
}

TEST_CASE("a body in the plane is drawn on another one, at rest where it says how it moves") {
  const Run r =
      run("mbd 1\nspace 2\nbody a(mass = 1, inertia = 0.1) at (1, 2) moving (0.1, 0.2) rotated rot(0.3) spinning 2\n"
          "body b(mass = 1, inertia = 0.1) on a at (0.5, 0) rotated rot(0.4)\n"
          "body c(mass = 1, inertia = 0.1) on b at (0.5, 0) moving (0, 0)\n"
          "simulate { time = 0 .. 0.1 step 0.1 }\n");
  CHECK(r.at(0, "b.x") == doctest::Approx(1 + 0.5 * std::cos(0.3)).epsilon(1e-14));
  CHECK(r.at(0, "b.angle") == doctest::Approx(0.7).epsilon(1e-14));
  CHECK(r.at(0, "b.vx") == doctest::Approx(0.1 - 2 * 0.5 * std::sin(0.3)).epsilon(1e-14));
  CHECK(r.at(0, "b.omega") == 2);
  CHECK(r.at(0, "c.y") == doctest::Approx(2 + 0.5 * std::sin(0.3) + 0.5 * std::sin(0.7)).epsilon(1e-14));
  CHECK(r.at(0, "c.vx") == 0);
  CHECK(r.at(0, "c.omega") == 0);
}

TEST_CASE("members of a sweep that draw the bodies of a joint apart are refused as with rows") {
  for (const char* vary : {"L = (0.5, 0.6)", "v = (0, 0.6)"}) {
    INFO(std::string(vary));
    const SweepResult rows = swept(vary, "quaternion"), tree = swept(vary, "tree");
    REQUIRE(rows.rows.size() == 2);
    REQUIRE(tree.rows.size() == 2);
    for (const SweepResult* r : {&rows, &tree}) {
      CHECK(r->rows[0].status == Status::complete);
      CHECK(r->rows[1].status == Status::inconsistent);
      CHECK(r->rows[1].diagnostic->code == "E0601");
    }
    CHECK(tree.rows[0].recorded.at(0) == doctest::Approx(rows.rows[0].recorded.at(0)).epsilon(1e-6));
  }
}

TEST_CASE("a parameter of a host that draws the bodies of a joint apart is refused as with rows") {
  for (const char* bodies : {"quaternion", "tree"}) {
    INFO(std::string(bodies));
    Simulation program = compile_text(kDrawn, Engine::interpreter, {std::string("bodies=") + bodies});
    REQUIRE(program.set_parameter("L", 0.6));
    program.reset();
    const RunResult result = program.run();
    CHECK(result.status == Status::inconsistent);
    CHECK(result.diagnostic->code == "E0601");
  }
}

TEST_CASE("comparisons of representations take their states from the tree") {
  CompareOptions options;
  options.formulations = {"udwadia_kalaba", "augmented"};
  options.bodies = {"quaternion", "tree", "natural", "euler_parameters"};
  options.samples = 8;
  for (const char* text :
       {"mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody A(mass = 1, inertia = diag(0.1, 0.2, 0.1)) at (0.5, 0, 0)\n"
        "Revolute j(ground, A.at(-0.5, 0, 0), axis = ey)\nsimulate { time = 0 .. 1 step 0.1 }\n",
        "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody A(mass = 1, inertia = diag(0.1, 0.2, 0.15)) at (0.5, 0, 0)\n"
        "body B(mass = 1, inertia = diag(0.1, 0.2, 0.15)) at (1.5, 0, 0)\nUniversal j(ground, A.at(-0.5, 0, 0))\n"
        "Spherical k(A.at(0.5, 0, 0), B.at(-0.5, 0, 0))\nsimulate { time = 0 .. 0.2 step 0.1 }\n",
        "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody A(mass = 1, inertia = diag(0.1, 0.2, 0.15)) at (0, 0, 0)\n"
        "body B(mass = 1, inertia = diag(0.1, 0.2, 0.15)) at (1, 0, 0)\nCylindrical k(A, B.at(-1, 0, 0), axis = ex)\n"
        "simulate { time = 0 .. 0.2 step 0.1 }\n"}) {
    const Comparison found = compare_text(text, "compared.mbd", options);
    REQUIRE(found.methods.size() == 8);
    CHECK(found.methods[0].bodies == "tree");
    for (const ComparedMethod& m : found.methods) {
      if (&m == &found.methods[0]) continue;  // the reference
      INFO(m.formulation << ", " << m.bodies);
      CHECK(m.states_compared == 8);
      REQUIRE(m.acceleration.has_value());
      CHECK(m.acceleration->relative <= 1e-9);
      CHECK(m.trajectory->relative <= 1e-6);
    }
  }
}

namespace {

const std::string kHinge = "mbd 1\nuse joints\nbody a(mass = 1, inertia = diag(0.2, 0.3, 0.4)) at (0, 0, 0)\n";

}  // namespace

// The velocity of a body is the speed of its joint itself here, and no expression of it.
TEST_CASE("init of a velocity that is the speed of a joint") {
  const std::string end = "simulate { time = 0 .. 1 step 0.1 }\n";
  for (const char* model : {"Revolute h(ground, a, axis = ez)\ninit { a.omega.z = 2 }\n",
                            "Revolute h(ground, a, axis = ez)\ninit { a.omega.z ~ 2 }\n",
                            "Revolute h(ground, a, axis = ez)\ninit { h.rate = 2 }\n",
                            "Prismatic h(ground, a, axis = ex)\ninit { a.vx = 2 }\n",
                            "Prismatic h(ground, a, axis = ex)\ninit { h.displacement' = 2 }\n",
                            "Revolute h(ground, a, axis = ez)\ninit { a.omega = (0, 0, 2); a.vel = (0, 0, 0) }\n",
                            "Prismatic h(ground, a, axis = ex)\ninit { a.vel = (2, 0, 0); a.y = 0 }\n",
                            "Prismatic h(ground, a, axis = -ex)\ninit { a.vx = -2 }\n"}) {
    INFO(std::string(model));
    const Run tree = tree_of(kHinge + model + end);
    CHECK(std::fabs(tree.last("a.omegaz")) + std::fabs(tree.last("a.vx")) == doctest::Approx(2));
    check_alike(tree, rows_of(kHinge + model + end), 1e-12);
  }
  // two values of one speed contradict each other
  const std::string twice = kHinge + "Revolute h(ground, a, axis = ez)\ninit { a.omega.z = 2; h.rate = 1 }\n" + end;
  CHECK(tree_of(twice).code() == rows_of(twice).code());
  CHECK(tree_of(twice).result.status != Status::complete);
}

// A quaternion that is made of a rotation jumps to its negative; what is computed from it must not.
TEST_CASE("a quaternion that is used keeps its sign") {
  const std::string end = "init { h.rate = 5 }\nsimulate { time = 0 .. 3 step 0.1; integrator = auto(tol = 1e-10) }\n";
  for (const char* model : {"Revolute h(ground, a, axis = ez)\ntorque c on a: (0, 0, -0.5*a.quat[4])\n",
                            "Revolute h(ground, a, axis = ez)\nstate z = 0 where z' = a.quat[4]\n",
                            "Revolute h(ground, a, axis = (1, 1, 1))\nlet q = a.quat[1]\noutput dq = q'\n",
                            "Revolute h(ground, a, axis = ez)\noutput a.quat[1]\n"}) {
    INFO(std::string(model));
    check_alike(tree_of(kHinge + model + end), rows_of(kHinge + model + end), 1e-8);
  }
  CHECK(tree_of(kHinge + "Revolute h(ground, a, axis = ez)\n" + end).result.constraints.empty());
}

TEST_CASE("init of the rotation of a body that a joint holds") {
  const std::string text = kHinge +
                           "Revolute h(ground, a, axis = ez)\ninit { a.quat = (cos(0.2), 0, 0, sin(0.2)) }\n"
                           "simulate { time = 0 .. 1 step 0.1 }\n";
  const Run tree = tree_of(text);
  CHECK(tree.last("h.angle") == doctest::Approx(0.4));
  check_alike(tree, rows_of(text), 1e-12);
}

// Two bars in one line between hinges: the row that is left has no gradient there, and the weight acts along it.
TEST_CASE("bars that are taut at the start are refused as with rows") {
  const std::string text =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\n"
      "body a(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (0.5, 0, 0)\n"
      "body b(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (1.5, 0, 0)\n"
      "Revolute j1(ground, a.at(-0.5, 0, 0), axis = ey)\nRevolute j2(a.at(0.5, 0, 0), b.at(-0.5, 0, 0), axis = ey)\n"
      "Revolute j3(ground.at(2, 0, 0), b.at(0.5, 0, 0), axis = ey)\nsimulate { time = 0 .. 1 step 0.01 }\n";
  CHECK(rows_of(text).code() == "E0619");
  CHECK(tree_of(text).code() == "E0619");
}

TEST_CASE("the rate of a joint has the column that is asked for") {
  const std::string text = kHinge +
                           "Revolute h(ground, a, axis = ez)\ninit { h.rate = 2 }\noutput h.angle', h.rate\n"
                           "simulate { time = 0 .. 1 step 0.1 }\n";
  CHECK(tree_of(text).last("h.angle'") == doctest::Approx(2));
  check_alike(tree_of(text), rows_of(text), 1e-12);
}

// A third of a turn about (1, 1, 1) has entries of 1e-17 in the place of zeros: all that is left of a row is rounding.
TEST_CASE("joints whose frames are turned by a third of a turn carry") {
  const std::string turn = "rot((1, 1, 1), -2.0943951023931953)";
  const std::string text =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\n"
      "body a(mass = 1, inertia = diag(0.2, 0.3, 0.4), com = (0, 0.1, 0.2)) at (0.3, 0.2, 0.1) rotated " +
      turn + "\nbody b(mass = 1, inertia = diag(0.2, 0.3, 0.4)) on a at (0, 0, 1) rotated " + turn +
      "\nRevolute j1(ground.at((0.3, 0.2, 0.1), " + turn + "), a, axis = ez)\nRevolute j2(a.at((0, 0, 1), " + turn +
      "), b, axis = ez)\nsimulate { time = 0 .. 1 step 0.1; integrator = auto(tol = 1e-10) }\n";
  const Run tree = tree_of(text);
  CHECK(tree.result.constraints.empty());
  check_alike(tree, rows_of(text), 1e-8);
}

// Returns the representation that `auto` takes, after a check that the motion is the one of that representation.
std::string taken(const std::string& text) {
  const Run automatic = run(text, Engine::interpreter, {"bodies=auto"});
  REQUIRE_MESSAGE(automatic.result.status == Status::complete, automatic.code());
  const std::string representation = to_text(automatic.result.methods.bodies);
  const Run written = run(text, Engine::interpreter, {"bodies=" + representation});
  CHECK(automatic.names == written.names);
  CHECK(automatic.values == written.values);
  return representation;
}

TEST_CASE("auto takes joints as coordinates where they cost less") {
  const std::string head = "mbd 1\nuse joints\ngravity (0, 0, -10)\n", end = "simulate { time = 0 .. 0.1 step 0.05 }\n";
  const std::string arm =
      "body a(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0)\n"
      "body b(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (1, 0, 0)\n"
      "Revolute shoulder(ground, a, axis = ey)\nRevolute elbow(a.at(0.5, 0, 0), b.at(-0.5, 0, 0), axis = ey)\n";
  CHECK(taken(head + arm + end) == "tree");
  // Exported code is that of the run.
  const auto header = [&](const char* bodies) {
    const Model model = Model::from_string(head + arm + end, "arm.mbd", {{std::string("bodies=") + bodies}, true});
    return model.emit(Stage::header, "arm").value();
  };
  CHECK(header("auto") == header("tree"));
  CHECK(header("auto") != header("quaternion"));
  CHECK(taken(head + "body a(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0)\n" + end) == "quaternion");
  // a chain closed at its end: three bodies and 2 rows that are left
  CHECK(taken(head + arm +
              "body c(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (1.5, 0, -0.5)\n"
              "Revolute knee(b.at(0.5, 0, 0), c.at(0, 0, 0.5), axis = ey)\n"
              "Revolute ankle(c.at(0, 0, -0.5), ground.at(1.5, 0, -1), axis = ey)\n" +
              end) == "tree");
  // a ladder of crossed bars in the plane: a loop for each pair
  std::string ladder = "mbd 1\nspace 2\nuse planar_joints\ngravity (0, -10)\n";
  for (int k = 0; k < 8; ++k) {
    const std::string n = std::to_string(k), m = std::to_string(k - 1), y = std::to_string(k) + ".5";
    ladder += "body a" + n + "(mass = 1, inertia = 0.1) at (0, " + y + ") rotated rot(45 [deg])\n";
    ladder += "body b" + n + "(mass = 1, inertia = 0.1) at (0, " + y + ") rotated rot(-45 [deg])\n";
    ladder += "Pin m" + n + "(a" + n + ", b" + n + ")\n";
    const std::string low = "-0.5*sqrt(2), 0)", high = "0.5*sqrt(2), 0)";
    if (k == 0) {
      ladder += "Pin f(ground.at(-0.5, 0), a0.at(" + low + ")\n";
      ladder += "constraint slides: b0.at(" + high + ".pos.y == 0\n";
      continue;
    }
    ladder += "Pin l" + n + "(b" + m + ".at(" + low + ", a" + n + ".at(" + low + ")\n";
    ladder += "Pin r" + n + "(a" + m + ".at(" + high + ", b" + n + ".at(" + high + ")\n";
  }
  CHECK(taken(ladder + end) == "quaternion");
}

// Three supports of two welded bodies are one too many: how they share the weight decides the friction.
TEST_CASE("supports of bodies that joints connect share their loads as with rows") {
  const std::string planar =
      "mbd 1\nuse planar_joints\nspace 2\ngravity (0, -9.81)\nbody a(mass = 2, inertia = 0.1) at (-0.5, 0)\n"
      "body b(mass = 3, inertia = 0.1) at (0.5, 0)\nFixed weld(a.at(0.5, 0), b.at(-0.5, 0))\n"
      "constraint d1: a.at(-0.4, 0).pos.y >= 0\nconstraint d2: a.at(0.3, 0).pos.y >= 0\n"
      "constraint d3: b.at(0.4, 0).pos.y >= 0\nfriction f1 on a.vx: 0.1*d1.lambda\n"
      "friction f2 on a.vx: 0.3*d2.lambda\nfriction f3 on b.vx: 0.8*d3.lambda\ninit { a.vx = 2; b.vx = 2 }\n"
      "output d1.lambda, d2.lambda, d3.lambda\nsimulate { time = 0 .. 0.5 step 0.05 }\n";
  const std::string space =
      "mbd 1\nuse joints, contact\ngravity (0, 0, -9.81)\n"
      "body a(mass = 2, inertia = diag(0.02, 0.1, 0.1)) at (-0.5, 0, 0.05)\n"
      "body b(mass = 3, inertia = diag(0.02, 0.1, 0.1)) at (0.5, 0, 0.05)\n"
      "Fixed weld(a.at(0.5, 0, 0), b.at(-0.5, 0, 0))\nconstraint fy: a.y == 0\n"
      "constraint ry: dot(a.rot*ez, ey) == 0\nconstraint rz: dot(a.rot*ex, ey) == 0\n"
      "RoughFloor s1(a.at(-0.4, 0, -0.05), mu = 0.1)\nRoughFloor s2(a.at(0.3, 0, -0.05), mu = 0.3)\n"
      "RoughFloor s3(b.at(0.4, 0, -0.05), mu = 0.8)\ninit { a.vx = 2; b.vx = 2 }\noutput weld.force\n"
      "simulate { time = 0 .. 0.2 step 0.05 }\n";
  for (const std::string& text : {planar, space}) {
    const Run rows = rows_of(text), tree = tree_of(text);
    CHECK(warns(tree, "W0697"));
    check_alike(tree, rows, 1e-10);
  }
}

// The spots of one foot share its load, in which the arm on it has no part.
TEST_CASE("joints carry that no dependent contact reaches") {
  const std::string text =
      "mbd 1\nuse joints, contact\ngravity (0, 0, -9.81)\nbody foot(mass = 2, inertia = diag(0.02, 0.02, 0.03)) at (0, "
      "0, "
      "0.05)\nbody arm(mass = 1, inertia = diag(0.02, 0.02, 0.001)) at (0, 0, 0.4)\n"
      "RoughFloor s1(foot.at(0.2, 0.2, -0.05), mu = 0.5)\nRoughFloor s2(foot.at(-0.2, 0.2, -0.05), mu = 0.5)\n"
      "RoughFloor s3(foot.at(0.2, -0.2, -0.05), mu = 0.5)\nRoughFloor s4(foot.at(-0.2, -0.2, -0.05), mu = 0.5)\n"
      "Revolute j(foot.at(0, 0, 0.05), arm.at(0, 0, -0.3), axis = ey)\ninit { j.angle = 0.3 }\n"
      "simulate { time = 0 .. 0.2 step 0.05; integrator = auto(tol = 1e-10) }\n";
  const Run rows = rows_of(text), tree = tree_of(text);
  CHECK(std::ranges::count(tree.names, std::string("j.angle")) == 1);
  CHECK(rows.result.constraints.size() == tree.result.constraints.size() + 5);
  check_alike(tree, rows, 1e-7);
}

// A body whose rotation an event or a wish sets keeps a quaternion of its own; its joints stay rows, other ones carry.
TEST_CASE("events and wishes set rotations of bodies of a tree") {
  const std::string free =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody a(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (0.5, 0, 0)\n"
      "body f(mass = 1, inertia = diag(0.02, 0.03, 0.04)) at (5, 0, 0) spinning (1, 2, 3)\n"
      "Revolute j(ground, a.at(-0.5, 0, 0), axis = ey)\n";
  const std::string end = "simulate { time = 0 .. 0.5 step 0.1; integrator = auto(tol = 1e-10) }\n";
  for (const char* statement : {"at x: 0.2 { f.quat = (0, 1, 0, 0); f.omega = (0, 1, 0) }\n",
                                "init { f.quat ~ (cos(0.3), sin(0.3), 0, 0) }\n"}) {
    const std::string text = free + statement + end;
    const Run tree = tree_of(text);
    CHECK(tree.result.constraints.empty());
    check_alike(tree, rows_of(text), 1e-7);
  }
  const std::string turned = free + "at x: 0.2 { a.quat = (1, 0, 0, 0); a.omega = (0, 0, 0) }\n" + end;
  CHECK(tree_of(turned).code() == rows_of(turned).code());
  CHECK(tree_of(turned).result.constraints.size() == rows_of(turned).result.constraints.size());
}
