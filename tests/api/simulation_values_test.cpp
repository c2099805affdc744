// SPDX-License-Identifier: Apache-2.0
// Tests that the values that a host gives a simulation before and during its runs take effect as documented:
// parameters, inputs, blocks and settings.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tests/api/small_simulation.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

void check_same(Simulation& a, Simulation& b, double within, const std::vector<std::string>& asked) {
  for (const std::string& expression : asked) {
    CAPTURE(expression);
    CHECK(a.value(expression).value()[0] == doctest::Approx(b.value(expression).value()[0]).epsilon(within));
  }
}

}  // namespace

TEST_CASE("a tree begins as init says, also beside a body in natural coordinates") {
  for (const bool first : {false, true}) {
    const std::string free_body =
        "body D(mass = 1, inertia = diag(0.02, 0.03, 0.04), coordinates = natural) at (0.5, 0, 0)\n";
    const Model model = Model::from_string(std::string("mbd 1\nuse joints\n") + (first ? free_body : "") +
                                               "body A(mass = 2, inertia = diag(0.05, 0.06, 0.03)) at (0, 0, 0)\n" +
                                               (first ? "" : free_body) +
                                               "Revolute j(ground, A)\ninit { j.rate = 3; j.angle ~ 0.5 }\n"
                                               "simulate { time = 0 .. 1 step 0.1; bodies = tree }\n",
                                           "beside.mbd");
    REQUIRE(model.ok());
    Simulation s = Simulation::create(model).value();
    CHECK(s.value("j.angle").value()[0] == doctest::Approx(0.5).epsilon(1e-12));
    CHECK(s.value("A.omega.z").value()[0] == doctest::Approx(3).epsilon(1e-12));
    CHECK(std::fabs(s.value("norm(D.omega)").value()[0]) < 1e-12);
    const RunResult result = s.run();
    CHECK_MESSAGE(result.status == Status::complete, result.rendered);
    CHECK(s.value("j.angle").value()[0] == doctest::Approx(3.5).epsilon(1e-9));
  }
}

TEST_CASE("the residual of an open contact is its gap at every door") {
  const Model model = Model::from_string(
      "mbd 1\ngravity (0, 0, -9.81)\nparticle p(2) at (0, 0, 0.3)\nconstraint deck: p.z >= 0.1\n"
      "output gap = deck.residual\nsimulate { time = 0 .. 0.1 step 0.1 }\n",
      "gap.mbd");
  REQUIRE(model.ok());
  Simulation s = Simulation::create(model).value();
  CHECK(s.value("deck.residual").value()[0] == doctest::Approx(0.2).epsilon(1e-15));
  CHECK(s.value("gap").value()[0] == s.value("deck.residual").value()[0]);
}

TEST_CASE("parameters and inputs that an observer sets count from its row on") {
  for (const std::string settings :
       {"integrator = rk4", "integrator = ab4", "integrator = dopri5(fixed)", "integrator = rk4\nformulation = kane",
        "integrator = ab4\nstabilise = partition"}) {
    CAPTURE(settings);
    // A change in the middle must act like one run to that time and another run from there, which remembers nothing.
    Simulation changed = make(settings), before = make(settings), after = make(settings);
    const RunResult whole = changed.run({}, [&](const Row& row) {
      if (row.time == 20 * 0.005) {
        REQUIRE(changed.set_parameter("damp", 0.9));
        REQUIRE(changed.set_input("push", -0.4));
      }
      return true;
    });
    REQUIRE_MESSAGE(whole.status == Status::complete, whole.rendered);
    for (int k = 0; k < 20; ++k) REQUIRE(before.step(0.005));
    REQUIRE(after.set_parameter("damp", 0.9));
    REQUIRE(after.set_input("push", -0.4));
    REQUIRE(after.set_state(before.time(), before.state()));
    for (int k = 0; k < 20; ++k) REQUIRE(after.step(0.005));
    CHECK(same_bits(whole.state, after.state()));
  }
}

TEST_CASE("an input that an observer sets leaves the others what `drive` has made them") {
  const Model model = Model::from_string(R"(mbd 1
space 1
input a = 0
input b = 0
particle p(1) at 0
force pull on p: a + 10*b
simulate { time = 0 .. 1 step 0.25; integrator = rk4 }
)",
                                         "model.mbd");
  Simulation s = Simulation::create(model).value();
  RunOptions options;
  options.drive = [](double t, std::span<const double>, std::span<double> inputs) { inputs[0] = t < 0.1 ? 3 : 5; };
  double velocity = 0;
  const RunResult r = s.run(options, [&](const Row& row) {
    if (row.time == 0) REQUIRE(s.set_input("b", 1));
    velocity = row.values[1];
    return true;
  });
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(velocity == doctest::Approx(0.25 * (3 + 10) + 0.75 * (5 + 10)).epsilon(1e-14));
}

TEST_CASE("after a run of another block step() goes on with that block") {
  const Model model = Model::from_string(R"(mbd 1
gravity (0, 0, -9.81)
particle p(1) at (0.6, 0, -0.8)
constraint rod: norm(p.pos) == 1
simulate first  { time = 0 .. 0.1 step 0.01; integrator = ab4; stabilise = none }
simulate second { time = 1 .. 1.1 step 0.01; formulation = kane; stabilise = partition; integrator = rk4 }
)",
                                         "model.mbd");
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Simulation both = Simulation::create(model, "first").value(), second = Simulation::create(model, "second").value();
  RunOptions options;
  options.simulation = "second";
  REQUIRE(both.run(options).status == Status::complete);
  REQUIRE(second.run().status == Status::complete);
  CHECK(both.model().shape().formulation == Formulation::kane);
  for (int k = 0; k < 5; ++k) {
    REQUIRE(both.step(0.01));
    REQUIRE(second.step(0.01));
  }
  CHECK(same_bits(both.state(), second.state()));
  both.reset();
  CHECK(both.time() == 1);
}

TEST_CASE("a run without a name is one of the block at hand, which is the first one at first") {
  const Model model = Model::from_string(R"(mbd 1
particle p(1) at (0, 0, 0)
simulate first  { time = 0 .. 1 step 0.5 }
simulate second { time = 2 .. 4 step 0.5 }
)",
                                         "model.mbd");
  CHECK(model.time_span("")->end == 1);
  Simulation s = Simulation::create(model).value();
  const RunResult anew = s.run();
  REQUIRE(anew.status == Status::complete);
  CHECK(anew.simulation == "first");
  RunOptions options;
  options.simulation = "second";
  REQUIRE(s.run(options).status == Status::complete);
  CHECK(s.run().reached == 4);
  Simulation named = Simulation::create(model, "second").value();
  CHECK(named.run().reached == 4);
}

TEST_CASE("a span that the step does not divide ends with a shorter step") {
  for (const std::string integrator : {"rk4", "ab4", "dopri5(fixed)", "dopri5"}) {
    CAPTURE(integrator);
    const Model model = Model::from_string(
        "mbd 1\nparticle p(1) at (1, 0, 0)\nforce on p: -p.pos\n"
        "simulate { time = 0 .. 1 step 0.3; integrator = " +
            integrator + " }\n",
        "model.mbd");
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    Simulation s = Simulation::create(model).value(), until = Simulation::create(model).value();
    std::vector<double> times;
    const RunResult r = s.run({}, [&](const Row& row) {
      times.push_back(row.time);
      return true;
    });
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    CHECK(times == std::vector<double>{0, 0.3, 0.6, 3 * 0.3, 1});
    CHECK(r.end == 1);
    CHECK(r.last_step == doctest::Approx(0.1));
    REQUIRE(until.run_until(1));
    CHECK(same_bits(r.state, until.state()));
    if (integrator == "rk4") CHECK(summary_text(r).find("4 steps of 0.3, the last one of 0.1") != std::string::npos);
  }
}

TEST_CASE("arguments of instances as parameters") {
  const std::string text = R"(mbd 1
model Bob(length = 1, n: int = 1) {
  particle p[i in 1..n](1) at (i*length, 0, 0)
  constraint rod[1]: norm(p[1].pos) == length
}
gravity (0, 0, -9.81)
Bob b(length = 2)
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";
  const auto made = [&](const std::vector<std::string>& parameters, const std::vector<std::string>& set = {}) {
    CompileOptions options;
    options.parameters = parameters;
    options.set = set;
    return Model::from_string(text, "model.mbd", options);
  };
  const Model model = made({"b.length"});
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  REQUIRE(model.parameters().size() == 1);
  CHECK(model.parameters()[0].name == "b.length");
  Simulation s = Simulation::create(model).value();
  CHECK(s.parameter("b.length").value() == 2);
  REQUIRE(s.set_parameter("b.length", 0.5));
  s.reset();
  CHECK(s.state()[0] == 0.5);
  Simulation set = Simulation::create(made({}, {"b.length = 0.5"})).value();
  CHECK(same_bits(s.run().state, set.run().state));
  CHECK(s.value("b.length").value() == std::vector<double>{0.5});
  CHECK(made({"b.n"}).diagnostics().front().message == "`b.n` cannot be varied: it shapes the model");
  CHECK(made({"b.lenght"}).diagnostics().front().message == "there is no parameter or input `b.lenght` to vary");
  Simulation plain = Simulation::create(made({})).value();
  CHECK(plain.set_parameter("b.lenght", 1).error().message ==
        "there is no parameter `b.lenght`: did you mean `b.length`?");
  CHECK(plain.set_parameter("b.length", 1).error().message ==
        "there is no parameter `b.length`: it is an argument of an instance or shapes the model; "
        "CompileOptions::parameters makes an argument a parameter, CompileOptions::set gives it a value");
}

TEST_CASE("names that are set are taken to the letter") {
  CompileOptions options;
  options.set = {"damp\r = 3"};
  const Model model = Model::from_string(text_of("integrator = rk4"), "model.mbd", options);
  REQUIRE_FALSE(model.ok());
  CHECK(model.diagnostics().front().kind == "unknown_override");
}

TEST_CASE("a part of `time` for all blocks refuses those that cannot have it, and no others") {
  const std::string text =
      "mbd 1\nparticle p(1) at (0, 0, 0) moving (1, 0, 0)\n"
      "simulate short { time = 0 .. 1 step 0.1; integrator = rk4 }\nsimulate long { time = 0 .. 10 step 1; integrator "
      "= rk4 }\n";
  CompileOptions options;
  options.set = {"time.step = 2"};
  const Model model = Model::from_string(text, "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Simulation s = Simulation::create(model).value();
  RunOptions run;
  run.simulation = "long";
  CHECK(s.run(run).steps == 5);
  run.simulation = "short";
  const RunResult refused = s.run(run);
  CHECK(refused.status == Status::model_error);
  REQUIRE(refused.diagnostic);
  CHECK(refused.diagnostic->message == "the step 2 is longer than the time span 0 .. 1");
  options.set = {"time.step = 20"};
  CHECK_FALSE(Model::from_string(text, "model.mbd", options).ok());
}

TEST_CASE("a tolerance that was not met is not claimed") {
  const auto stabilise = [](const std::string& tol) {
    Simulation s = make("integrator = rk4\nstabilise = project(tol = " + tol + ")");
    const RunResult r = s.run();
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    CHECK((r.met > 1e-17) == (tol == "1e-17"));
    return r.stabilise;
  };
  CHECK(stabilise("1e-12") == "project(tol = 1e-12)");
  // The tolerance is below the rounding of doubles.
  CHECK(stabilise("1e-17").starts_with("project(tol = 1e-17), met to "));
}

TEST_CASE("a row has the state of its time, also where the integrator steps over it") {
  for (const std::string settings : {"auto", "dopri5", "dop853", "bdf", "rk4"}) {
    const Model model = Model::from_string(
        "mbd 1\nparticle p(1) at (0, 0, 1) moving (2, 0, 0)\ngravity (0, 0, -9.81)\noutput z = p.z\n"
        "simulate { time = 0 .. 1 step 0.05; integrator = " +
            settings + " }\n",
        "fall.mbd", {.interpret = true});
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    Simulation simulation = Simulation::create(model).value();
    const std::size_t z = model.output_index("z").value();
    std::size_t rows = 0;
    const RunResult result = simulation.run({}, [&](const Row& row) {
      CAPTURE(settings);
      CAPTURE(row.time);
      ++rows;
      CHECK(row.state[0] == doctest::Approx(2 * row.time).epsilon(1e-6));
      CHECK(row.state[2] == doctest::Approx(1 - 9.81 / 2 * row.time * row.time).epsilon(1e-5));
      CHECK(row.values[model.column_count() - model.outputs().size() + z] == row.state[2]);
      return true;
    });
    CHECK(result.status == Status::complete);
    CHECK(rows == 21);
  }
}

TEST_CASE("multipliers at a state do not depend on the states and parameters that were asked about before") {
  const std::string text =
      "mbd 1\ngravity (0, -9.81, 0)\nparam c = 0\nparticle a(1) at (1, 0, 0)\nparticle b(1) at (0, 0, 0)\n"
      "constraint one: a.y + b.z*a.z == 0\nconstraint two: 3*a.y + b.z*a.z + (a.x - 1)^2 + c*(a.x - 1) == 0\n"
      "output l1 = one.lambda, l2 = two.lambda\nsimulate { time = 0 .. 0.1 step 0.1 }\n";
  Simulation fresh = compile_text(text, Engine::interpreter), asked = compile_text(text, Engine::interpreter);
  std::vector<double> beside = asked.state();
  beside[0] = 1.5;
  std::vector<double> rate(beside.size());
  REQUIRE(asked.rhs(0, beside, rate));
  check_same(asked, fresh, 1e-15, {"l1", "l2", "one.lambda", "two.lambda", "a.acc.x", "a.acc.y"});
  REQUIRE(asked.set_parameter("c", 1));
  CHECK(asked.value("l1").ok());
  REQUIRE(asked.set_parameter("c", 0));
  check_same(asked, fresh, 1e-15, {"l1", "l2", "one.lambda", "two.lambda", "a.acc.x", "a.acc.y"});
}

TEST_CASE("what is asked of a joint as a coordinate is what its rows give") {
  const char* text =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody rod(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, -1)\n"
      "Revolute pin(ground, rod.at(0, 0, 1), axis = ey)\ninit { pin.angle = 0.5 }\n"
      "simulate { time = 0 .. 1 step 0.1; bodies = tree }\n";
  Simulation tree = compile_text(text, Engine::interpreter);
  CHECK(tree.value("pin.angle").value()[0] == 0.5);
  CHECK(tree.value("rod.pos.x").value()[0] == doctest::Approx(-std::sin(0.5)).epsilon(1e-15));
  Simulation rows = compile_text(text, Engine::interpreter, {"bodies=quaternion"});
  check_same(tree, rows, 1e-12,
             {"pin.force.x", "pin.force.z", "pin.pos.lambda", "pin.ax1.lambda", "norm(pin.ax2.lambda)",
              "pin.pos.reaction(rod)", "pin.pos.reaction(rod).z + pin.pos.lambda.x", "pin.ax1.moment(rod)",
              "pin.pos.residual", "pin.ax2.residual"});
  CHECK(tree.value("pin.pos.reaction(ground)").error().message.find("E0494") != std::string::npos);
  Simulation ideal =
      compile_text(std::string(text) + "constraint plane: rod.y == 0 nonideal { force rub on rod: -0.1*rod.vel }\n",
                   Engine::interpreter);
  CHECK(ideal.value("pin.pos.ideal(rod)").error().message.find("E0584") != std::string::npos);
}

TEST_CASE("rows beside joints as coordinates keep their multipliers, by whatever way they are asked for") {
  const std::string text =
      "mbd 1\nspace 2\nuse planar_joints\ngravity (0, -9.81)\nbody a(mass = 1, inertia = 0.1) at (0.5, 0)\n"
      "body b(mass = 1, inertia = 0.1) at (1.5, 0)\nparticle p(1) at (2.5, 0)\nPin j1(ground, a.at(-0.5, 0))\n"
      "Pin j2(a.at(0.5, 0), b.at(-0.5, 0))\nconstraint rod: dist(b.at(0.5, 0), p) == 0.5\nlet pull = -rod.lambda\n";
  const std::string tree = "simulate { time = 0 .. 1 step 0.1; bodies = tree }\n";
  Simulation carried = compile_text(text + tree, Engine::interpreter);
  Simulation rows = compile_text(text + "simulate { time = 0 .. 1 step 0.1 }\n", Engine::interpreter);
  check_same(carried, rows, 1e-10,
             {"j1.force.y", "j2.pos.lambda", "rod.lambda", "pull", "rod.reaction(p).y", "b.vel.y", "b.acc.y", "p.acc.y",
              "j2.angle"});
  check_same(carried, rows, 1e-10, {"j1.pos.reaction(p).y", "j1.pos.reaction(a).y", "j2.pos.reaction(a)"});
}

TEST_CASE("a row that vanishes where states are drawn, and not everywhere, is no part of a tree") {
  const std::string text =
      "mbd 1\nuse joints\nbody a(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0)\nPrismatic j(ground, a, axis = ex)\n"
      "force push on a: (1, 0, 0)\n";
  const std::string block = "simulate { time = 0 .. 1 step 0.1; bodies = tree }\n";
  CHECK(run(text + block).last("a.x") == doctest::Approx(0.5));
  CHECK(run(text + "constraint tiny: 1e-12*a.pos.x == 0\n" + block).last("a.x") == doctest::Approx(0));
}

TEST_CASE("what drawn states do not tell is evaluated in a tree: tables, functions that saturate, signs, turns") {
  const std::string head =
      "mbd 1\nuse joints\nparam s = -2\nbody link(mass = 1, inertia = diag(1, 2, 1.5)) at (1, 0, 0)\n"
      "Revolute pin(ground, link.at(-1, 0, 0), axis = ey)\ncoord x = 1\nkinetic T: x'^2/2\n"
      "output turned = atan2(sin(t), cos(t)) - t, sign = sqrt(s^2)/s\n";
  for (const std::string moment : {"table(t, (0, 2, 3, 10), (0, 0, 5, 5), beyond = hold)", "5/(1 + exp(40*(t - 2)))",
                                   "1 + tanh((t - 2)/0.05)", "sqrt(s^2)/s", "atan2(sin(t), cos(t)) - t"}) {
    CAPTURE(moment);
    const std::string text = head + "torque m on link: (0, " + moment + ", 0)\n" +
                             "constraint gone: (x - pin.angle - 1)*(1 + tanh((t - 5)/0.05)) == 0\n" +
                             "simulate { time = 0 .. 4 step 0.01; integrator = rk4; bodies = ";
    const Run tree = run(text + "tree }\n"), free = run(text + "quaternion }\n");
    REQUIRE(tree.code() == free.code());
    REQUIRE(tree.rows() == free.rows());
    CHECK(free.last("turned") == doctest::Approx(-2 * std::numbers::pi).epsilon(1e-9));
    for (const char* column : {"turned", "sign", "link.vx", "link.vz", "x"})
      CHECK(std::fabs(tree.last(column) - free.last(column)) <= 1e-6);
  }
}

TEST_CASE("a point of the ground whose place is a parameter carries a joint in both directions") {
  for (const char* ends : {"Q, P", "P, Q"}) {
    CAPTURE(ends);
    const std::string text =
        "mbd 1\nuse joints\nparam L = 2\npoint P on ground at (L, 0, 0)\nbody link(mass = 1, inertia = diag(1, 1, 1)) "
        "at (3, 0, 0)\npoint Q on link at (-1, 0, 0)\nSpherical ball(" +
        std::string(ends) + ")\nsimulate { time = 0 .. 1 step 0.25; bodies = tree }\n";
    Simulation s = compile_text(text, Engine::interpreter);
    CHECK(s.state().size() == 4 + 3 + 2);  // quaternion, angular velocity, works
  }
}

TEST_CASE("a load on the coordinate of a joint is one on the body, and the reaction on it a moment") {
  const std::string head =
      "mbd 1\nspace 2\nuse planar_joints\nbody a(mass = 2, inertia = 0.5) at (1, 0)\n"
      "body b(mass = 1, inertia = 0.1) at (2.5, 0)\nPin j1(ground, a.at(-1, 0))\nPin j2(a.at(1, 0), b.at(-0.5, 0))\n"
      "constraint rod: dist(b.at(0.5, 0), (3.6, 0.8)) == 1\n";
  const std::string block = "simulate { time = 0 .. 1 step 0.1; bodies = tree }\n";
  const Run load = run(head + "load push on j2.angle: 3\n" + block);
  const Run torque = run(head + "torque push on b from a: 3\n" + block);
  CHECK(load.last("j2.angle") == doctest::Approx(torque.last("j2.angle")).epsilon(1e-9));
  Simulation tree = compile_text(
      head + "load push on j2.angle: 3\noutput Q = rod.reaction(j1.angle)\noutput P = rod.reaction(j2.angle)\n" + block,
      Engine::interpreter);
  // the rod pulls at (3, 0) with lambda along (-0.6, -0.8): moments about (0, 0) and (2, 0)
  const double lambda = tree.value("rod.lambda").value()[0];
  CHECK(tree.value("Q").value()[0] == doctest::Approx(-0.8 * 3 * lambda).epsilon(1e-12));
  CHECK(tree.value("P").value()[0] == doctest::Approx(-0.8 * 1 * lambda).epsilon(1e-12));
  const std::string rows = head + "output Q = rod.reaction(j1.angle)\nsimulate { time = 0 .. 1 step 0.1 }\n";
  CHECK_THROWS_WITH_AS(compile_text(rows, Engine::interpreter), doctest::Contains("E0494"), std::exception);
}

TEST_CASE("a universal joint whose pins agree, and bodies that hang on points, move alike as coordinates") {
  const std::string text =
      "mbd 1\nuse joints\ngravity (0.2, 0.1, -9.81)\nbody a(mass = 1, inertia = diag(0.1, 0.12, 0.05)) at (0, 0, "
      "-0.5)\n"
      "body b(mass = 2, inertia = diag(0.1, 0.12, 0.15)) at (0.5, 0, -1) rotated roty(pi/2)\n"
      "body c(mass = 0.7, inertia = diag(0.1, 0.12, 0.05)) at (1.5, 0.2, 0)\n"
      "PointOnCircle ring(c.at(0, -0.2, 0), 1.5)\nSpherical ball(a.at(0, 0, 0.5), ground)\n"
      "Universal cross_joint(a.at(0, 0, -0.5), b.at(0, 0, -0.5), axis_a = ey, axis_b = ez)\n"
      "Universal same(c, ground.at((1.5, 0.2, 0), rotz(pi/2)), axis_a = ex, axis_b = ex)\n"
      "load drive on cross_joint.angle_b: -2*sin(cross_joint.angle_b - 1)\n";
  const std::string rest = "simulate { time = 0 .. 0.5 step 0.1; integrator = auto(tol = 1e-11)";
  const Run rows = run(text + rest + " }\n"), tree = run(text + rest + "; bodies = tree }\n");
  CHECK(tree.result.constraints.size() < rows.result.constraints.size());
  for (const char* column : {"b.az", "b.alphax", "c.az", "c.alphay", "a.alphax", "ring.angle"}) {
    CAPTURE(column);
    CHECK(tree.last(column) == doctest::Approx(rows.last(column)).epsilon(1e-8));
  }
}

TEST_CASE("the rows that close a long chain are no part of a tree") {
  constexpr int kHinges = 24;
  std::string text = "mbd 1\nuse joints\ngravity (0, 0, -9.81)\n";
  for (int i = 0; i < kHinges; ++i) {
    const std::string body = "b" + std::to_string(i);
    const std::string before = i == 0 ? "ground" : "b" + std::to_string(i - 1) + ".at(0.5, 0, 0)";
    text += "body " + body + "(mass = 1, inertia = diag(1, 1, 1)) at (" + std::to_string(i) + " + 0.5, 0, 0)\n";
    text += "Revolute j" + std::to_string(i) + "(" + before + ", " + body +
            ".at(-0.5, 0, 0), axis = " + (i % 2 == 0 ? "(0, 1, 1)" : "(1, 1, 0.3)") + ")\n";
  }
  text += "Spherical end(b" + std::to_string(kHinges - 1) + ".at(0.5, 0, 0), ground.at(" + std::to_string(kHinges) +
          ", 0, 0))\nsimulate { time = 0 .. 1 step 0.1; bodies = tree }\n";
  Simulation tree = compile_text(text, Engine::interpreter);
  CHECK(tree.value("end.pos.lambda").value().size() == 3);
}

TEST_CASE("a row that vanishes for one value of a parameter is no part of a tree") {
  const std::string text =
      "mbd 1\nparam d = 0\njoint Slide(a: frame, b: frame) {\n  constraint y: b.pos.y == a.pos.y + d*b.pos.x\n"
      "  constraint z: b.pos.z == a.pos.z\n  constraint ax1: dot(a.rot*ey, b.rot*ex) == 0\n"
      "  constraint ax2: dot(a.rot*ez, b.rot*ex) == 0\n  constraint ax3: dot(a.rot*ey, b.rot*ez) == 0\n"
      "  coordinates travel = b.pos.x - a.pos.x: b = a.at(travel, 0, 0)\n}\n"
      "body cart(mass = 2, inertia = diag(1, 1, 1)) at (0, 0, 0)\nSlide rail(ground, cart)\n"
      "simulate { time = 0 .. 1 step 0.1; bodies = tree }\n";
  CHECK_THROWS_WITH_AS(compile_text(text, Engine::interpreter), doctest::Contains("E0583"), std::exception);
}

TEST_CASE("coordinates of joints begin with the velocities of their bodies") {
  const std::string text =
      "mbd 1\nuse joints\nparam w = 3\ngravity (0, 0, -9.81)\n"
      "body cart(mass = 2, inertia = diag(1, 1, 1)) at (0, 0, 0) moving (0.5, 0, 0)\n"
      "body rod(mass = 1, inertia = diag(0.1, 0.1, 0.01)) at (0, 0, -0.5) moving (0.5 - 0.5*w, 0, 0) spinning (0, w, "
      "0)\n"
      "body tip(mass = 1, inertia = diag(0.1, 0.1, 0.01)) at (0, 0.3, -1) moving (0.2 - w, 0, 0) spinning (0, 0, 1)\n"
      "Prismatic rail(cart, ground, axis = ex)\nRevolute pin(rod.at(0, 0, 0.5), cart, axis = ey)\n"
      "Spherical ball(tip.at(0, -0.3, 0), rod.at(0, 0, -0.5))\n";
  const std::string block = "simulate { time = 0 .. 0.5 step 0.1; integrator = auto(tol = 1e-11)";
  const Run rows = run(text + block + " }\n"), tree = run(text + block + "; bodies = tree }\n");
  CHECK(tree.result.constraints.empty());
  for (const char* column : {"cart.vx", "rod.omegay", "tip.vx", "tip.omegaz", "tip.az"}) {
    CAPTURE(column);
    CHECK(tree.at(0, column) == doctest::Approx(rows.at(0, column)).epsilon(1e-10));
    CHECK(tree.last(column) == doctest::Approx(rows.last(column)).epsilon(1e-8));
  }
  // with a velocity that its rows do not allow the joint stays, and says so
  const std::string apart = text +
                            "body far(mass = 1, inertia = diag(1, 1, 1)) at (3, 0, 0) moving (1, 0, 0)\n"
                            "Revolute held(far, ground.at(3, 0, 0))\n" +
                            block + "; bodies = tree }\n";
  CHECK_FALSE(run(apart).result.constraints.empty());
}

TEST_CASE("an axis that parameters choose among pieces is no piece of the motion") {
  const std::string text =
      "mbd 1\nuse joints\nparam k = 0.3\ngravity (0, 0, -9.81)\n"
      "body rod(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, -1)\n"
      "Revolute pin(ground, rod.at(0, 0, 1), axis = (k, 1, 0))\ninit { pin.angle = 0.5 }\n";
  const Run rows = run(text + "simulate { time = 0 .. 1 step 0.1 }\n");
  const Run tree = run(text + "simulate { time = 0 .. 1 step 0.1; bodies = tree }\n");
  CHECK(tree.result.constraints.empty());
  CHECK(tree.last("pin.angle") == doctest::Approx(rows.last("pin.angle")).epsilon(1e-7));
}
