// SPDX-License-Identifier: Apache-2.0
// Tests friction, loads and impacts with more contact forces than are necessary. With `reactions = smallest` they use
// the minimum-norm reactions. The references are closed forms and, for a box on its four corners, formulas of this
// file.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/physics/pushed_box.h"
#include "tests/physics/run.h"
#include "tests/random/comparisons.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kGravity = 9.81;

// A box with these half edges slides on its four lower corners. With the contact forces N_i the frictions are -mu N_i
// s_i/|s_i|. The box neither rises nor tilts:
//   sum N_i = m g,   sum r_i x (N_i e_z - mu N_i s_i/|s_i|) = 0 in x and y,   r_i = (x_i, y_i, -h).
// The rows have one norm, so that the minimum-norm contact forces are N_i = max(0, a + b x_i + c y_i), the nearest
// point with N >= 0.
class Box {
 public:
  double mu = 0.3, a = 0.2, b = 0.1, h = 0.1, m = 2;
  using State = Eigen::Matrix<double, 6, 1>;  // x, y and angle, then their rates

  [[nodiscard]] Eigen::Vector4d pushes(const State& y) const { return pushes(y, m * kGravity); }
  [[nodiscard]] Eigen::Vector4d pushes(const State& y, double load) const {
    Corners c = corners(y);
    for (unsigned set = 15; set > 0; --set) {  // The loop tries all sets of active corners; exactly one is a solution.
      const auto presses = [set](int i) { return (set >> i & 1u) != 0; };
      if (std::count_if(c.index.begin(), c.index.end(), presses) < 3) continue;
      Eigen::Matrix3d of = Eigen::Matrix3d::Zero();
      for (int i = 0; i < 4; ++i)
        if (presses(i)) of += c.loads.col(i) * c.shape.col(i).transpose();
      const Eigen::Vector4d all = c.shape.transpose() * of.fullPivLu().solve(Eigen::Vector3d(load, 0, 0));
      bool fits = true;
      for (int i = 0; i < 4; ++i) fits = fits && (presses(i) ? all[i] > -1e-12 : all[i] < 1e-12);
      if (fits) return all.cwiseMax(0);
    }
    FAIL("no pushes");
    return {};
  }
  [[nodiscard]] State rate(const State& y) const {
    const Corners c = corners(y);
    const Eigen::Vector4d N = pushes(y);
    State out;
    out << y.tail<3>(), rubbed(c, N);
    return out;
  }
  // Returns the state after an impact with the floor at this speed: the same equations hold with impulses and the slips
  // after the impact.
  [[nodiscard]] State landed(const State& y, double speed) const {
    State out = y, next = y;
    for (int k = 0; k < 1000 && (k == 0 || next != out); ++k) {
      out = next;
      next.tail<3>() = y.tail<3>() + rubbed(corners(out), pushes(out, m * speed));
    }
    return next;
  }
  // Integrates by the classical method of order 4. The contact forces have discontinuous rates where one of them
  // begins.
  [[nodiscard]] State moved(State y, double time, int steps) const {
    const double step = time / steps;
    for (int k = 0; k < steps; ++k) {
      const State k1 = rate(y), k2 = rate(y + step / 2 * k1), k3 = rate(y + step / 2 * k2), k4 = rate(y + step * k3);
      y += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return y;
  }
  [[nodiscard]] std::string model(const State& y, double time) const {
    const auto n = [](double x) { return number(x); };
    return "mbd 1\ngravity (0, 0, -" + n(kGravity) + ")\nparam m = " + n(m) + ", a = " + n(a) + ", b = " + n(b) +
           ", h = " + n(h) +
           "\nbody box(mass = m, inertia = diag(m/3*(b^2 + h^2), m/3*(a^2 + h^2), m/3*(a^2 + b^2))) at (0, 0, h) "
           "moving (" +
           n(y[3]) + ", " + n(y[4]) + ", 0) spinning (0, 0, " + n(y[5]) +
           ")\nshape brick on box: box(2*a, 2*b, 2*h)\nshape soil on ground: plane(ez)\nContact touch(brick, soil, mu "
           "= " +
           n(mu) + ")\noutput n[k in 1..4] = touch.spot[k].side.lambda, E = energy.total\nsimulate { time = 0 .. " +
           n(time) + " step " + n(time / 20) +
           "; reactions = smallest; integrator = dop853(rtol = 1e-11, atol = 1e-12) }\n";
  }

 private:
  struct Corners;
  // Returns the change of the rates by the friction of these contact forces or impulses.
  [[nodiscard]] Eigen::Vector3d rubbed(const Corners& c, const Eigen::Vector4d& N) const {
    Eigen::Vector3d out = Eigen::Vector3d::Zero();
    for (int i = 0; i < 4; ++i) {
      const Eigen::Vector2d force = -mu * N[i] * c.along.col(i);
      out.head<2>() += force / m;
      out[2] += (c.place(0, i) * force.y() - c.place(1, i) * force.x()) / (m / 3 * (a * a + b * b));
    }
    return out;
  }
  struct Corners {
    std::array<int, 4> index{0, 1, 2, 3};
    Eigen::Matrix<double, 2, 4> place, along;  // from the middle, in space axes; directions of the slips
    Eigen::Matrix<double, 3, 4> loads, shape;  // effect of one unit of each contact force: force, moments; 1, x, y
  };
  [[nodiscard]] Corners corners(const State& y) const {
    Corners c;
    for (int i = 0; i < 4; ++i) {
      const Eigen::Vector2d at((i % 2 == 0 ? -1 : 1) * a, (i < 2 ? -1 : 1) * b);
      const Eigen::Vector2d r = Eigen::Rotation2Dd(y[2]) * at;
      const Eigen::Vector2d s = Eigen::Vector2d(y[3] - y[5] * r.y(), y[4] + y[5] * r.x()).normalized();
      c.place.col(i) = r;
      c.along.col(i) = s;
      c.loads.col(i) = Eigen::Vector3d(1, r.y() - mu * h * s.y(), mu * h * s.x() - r.x());
      c.shape.col(i) = Eigen::Vector3d(1, r.x(), r.y());
    }
    return c;
  }
};

Box::State begin(double vx, double vy, double omega) { return (Box::State() << 0, 0, 0, vx, vy, omega).finished(); }

void slides_as(const Box& box, const Box::State& from, double time, int steps, double tolerance) {
  const std::string text = box.model(from, time);
  const Run r = run_both(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK_FALSE(r.result.shares_taken.empty());
  const Box::State fine = box.moved(from, time, steps), coarse = box.moved(from, time, steps / 2);
  CAPTURE((fine - coarse).norm());
  REQUIRE((fine - coarse).norm() < tolerance);
  const Eigen::Vector4d pushes = box.pushes(fine);
  CHECK(std::fabs(r.last("box.x") - fine[0]) < tolerance);
  CHECK(std::fabs(r.last("box.y") - fine[1]) < tolerance);
  CHECK(std::fabs(r.last("box.vx") - fine[3]) < tolerance);
  CHECK(std::fabs(r.last("box.vy") - fine[4]) < tolerance);
  CHECK(std::fabs(r.last("box.omegaz") - fine[5]) < 10 * tolerance);
  for (int i = 0; i < 4; ++i)
    CHECK(std::fabs(r.last("n[" + std::to_string(i + 1) + "]") - pushes[i]) < 100 * tolerance);
  for (std::size_t k = 1; k < r.rows(); ++k) CHECK(r.at(k, "E") < r.at(k - 1, "E"));
  for (const char* formulation : {"augmented", "maggi", "projection", "kane", "lagrange"}) {
    CAPTURE(formulation);
    const Run other =
        run(replaced(text, "reactions = smallest", "reactions = smallest; formulation = " + std::string(formulation)));
    REQUIRE_MESSAGE(other.result.status == Status::complete, other.result.rendered);
    for (const char* name : {"box.x", "box.y", "box.vx", "box.vy", "box.omegaz"})
      CHECK(std::fabs(other.last(name) - r.last(name)) < 1e-9);
  }
}

}  // namespace

TEST_CASE("a box slides and spins on four corners that all press") {
  slides_as({}, begin(2, 1, 6), 0.3, 4000, 1e-9);
  slides_as({0.4, 0.3, 0.3, 0.4, 30}, begin(3, 0, 5), 0.6, 4000, 1e-9);  // This is examples/sliding_crate.mbd.
}

// In a high box, corners at the rear have no contact force while the direction of sliding turns across them.
TEST_CASE("a high box slides and spins on corners that come and go") {
  const Box high{0.5, 0.1, 0.1, 0.15, 2};
  slides_as(high, begin(2, 1, 6), 0.3, 60000, 1e-9);
  slides_as(high, begin(1.5, -1, 10), 0.25, 60000, 1e-9);
  const Run r = run(high.model(begin(2, 1, 6), 0.3));
  double least = 1;
  for (std::size_t k = 0; k < r.rows(); ++k) least = std::min(least, r.at(k, "n[1]"));
  for (const std::uint64_t steps : {3u, 7u, 12u}) from_checkpoint(high.model(begin(2, 1, 6), 0.3), r, steps);
  CHECK(least == 0);
  CHECK(r.last("n[1]") > 0.1);
}

// The box is written as points of a body and as a box shape, whose upper corners touch nothing.
TEST_CASE("a box that slides and spins lands flat on its four corners") {
  for (const double mu : {0.05, 0.1, 0.2}) {
    CAPTURE(mu);
    const Box box{mu, 0.2, 0.1, 0.1, 2};
    const Box::State before = begin(1.03113, 0.48999, 2.42158), after = box.landed(before, 0.3);
    const Eigen::Vector4d impulses = box.pushes(after, box.m * 0.3);
    const std::string whole =
        replaced(replaced(box.model(before, 1e-6), ", 0) spinning", ", -0.3) spinning"),
                 "output n[k in 1..4] = touch.spot[k].side.lambda", "output n[k in 1..4] = touch.spot[k].side.impulse");
    std::string legs;
    for (int i = 0; i < 4; ++i) {
      const std::string n = std::to_string(i + 1);
      legs += "point leg" + n + " on box at (" + (i % 2 == 0 ? "-a" : "a") + ", " + (i < 2 ? "-b" : "b") +
              ", -h)\nconstraint foot" + n + ": leg" + n + ".z >= 0\nfriction rub" + n + " on (leg" + n + ".vx, leg" +
              n + ".vy): " + number(mu) + "*foot" + n + ".lambda\noutput k" + n + " = foot" + n + ".impulse\n";
    }
    std::string table = whole.substr(0, whole.find("shape brick")) + legs + whole.substr(whole.find("simulate"));
    const Run one = run_both(whole), other = run_both(table);
    REQUIRE_MESSAGE(one.result.status == Status::complete, one.result.rendered);
    REQUIRE_MESSAGE(other.result.status == Status::complete, other.result.rendered);
    for (const Run* r : {&one, &other}) {
      CHECK(std::fabs(r->at(0, "box.vx") - after[3]) < 1e-11);
      CHECK(std::fabs(r->at(0, "box.vy") - after[4]) < 1e-11);
      CHECK(std::fabs(r->at(0, "box.omegaz") - after[5]) < 1e-11);
    }
    for (int i = 0; i < 4; ++i) {
      CHECK(std::fabs(one.at(0, "n[" + std::to_string(i + 1) + "]") - impulses[i]) < 1e-11);
      CHECK(std::fabs(other.at(0, "k" + std::to_string(i + 1)) - impulses[i]) < 1e-11);
    }
  }
}

// With another distribution it would stop at another place. With this one it stops and stays at rest.
TEST_CASE("a box that slides and spins on four corners comes to rest") {
  const Box box;
  const Run r = run_both(box.model(begin(2, 1, 6), 2));
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(std::fabs(r.last("E") - box.m * kGravity * box.h) < 1e-12);
  CHECK(std::hypot(r.last("box.vx"), r.last("box.vy")) < 1e-12);
  const std::size_t half = r.rows() / 2;
  CHECK(std::fabs(r.at(half, "box.x") - r.last("box.x")) < 1e-12);
}

// With m = 1, h = a and a push t, the corners at the rear carry m g/4 - t/4 and are at their limits at t = 0.4 m g/1.4.
// Those at the front take the rest until all are at their limits. From t = 0.4 m g on the box slides, x = (t - 0.4 m
// g)^3/6.
TEST_CASE("a box on four corners is pushed more and more") {
  const std::string text = pushed_box(
      R"(output rear = norm(c.spot[1].rub.lambda), front = norm(c.spot[2].rub.lambda), most = c.spot[1].rub.limit
simulate { time = 0 .. 5 step 0.1; reactions = smallest; integrator = dop853(rtol = 1e-10, atol = 1e-12) }
)");
  const double begins = 0.4 * kGravity;
  for (const char* step : {"step 0.1", "step 0.07"}) {
    const Run r = run_both(replaced(text, "step 0.1", step));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    for (std::size_t k = 0; k < r.rows(); ++k) {
      const double t = r.time[k], limit = 0.1 * (kGravity - t);
      CAPTURE(t);
      if (t < begins) {
        CHECK(std::fabs(r.at(k, "rear") - std::min(t / 4, limit)) < 1e-9);
        CHECK(std::fabs(r.at(k, "front") - (t / 2 - std::min(t / 4, limit))) < 1e-9);
        CHECK(std::fabs(r.at(k, "most") - limit) < 1e-9);
        CHECK(std::fabs(r.at(k, "b.x")) < 1e-12);
      } else {
        CHECK(std::fabs(r.at(k, "b.x") - std::pow(t - begins, 3) / 6) < 1e-9);
      }
    }
  }
}

// Two rows for one wall halve an impulse. By Poisson's law (e1 + e2)/2 of the speed returns.
TEST_CASE("impulses of two rows for one wall are halved") {
  const std::string text = R"(mbd 1
space 1
particle p(1) at 1 moving -2
constraint low: p.x >= 0 restitution 0.2
constraint again: 3*p.x >= 0 restitution 0.8
simulate { time = 0 .. 1 step 0.1; impact = poisson }
)";
  CHECK(run(replaced(text, "impact", "reactions = unique; impact")).code() == "E0670");
  const Run r = run_both(replaced(text, "impact", "reactions = smallest; impact"));
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(std::fabs(r.last("p.vx") - 1) < 1e-12);
  REQUIRE(r.result.shares_taken.size() == 1);
  CHECK(summary_text(r.result).find("the motion depends on that by: again (reactions = smallest)") !=
        std::string::npos);
}

// A pin that is written twice carries half of the force in each.
TEST_CASE("friction and loads of rows that others repeat know the half of what they hold") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -9.81)
body bar(mass = 1, inertia = 0.1) at (0.4, 0)
constraint pin: bar.at(-0.4, 0).pos == (0, 0)
constraint again: bar.at(-0.4, 0).pos == (0, 0)
friction rub on bar.omega: 0.04*norm(pin.lambda)
simulate { time = 0 .. 2 step 0.1; integrator = dop853(rtol = 1e-11, atol = 1e-12) }
)";
  const std::string load = "torque rub on bar: -0.04*norm(pin.lambda)*bar.omega";
  const std::string rub = "friction rub on bar.omega: 0.04*norm(pin.lambda)";
  for (const std::string& by : {rub, load}) {
    CAPTURE(by);
    const std::string twice = replaced(text, rub, by);
    CHECK(run(replaced(twice, "step 0.1;", "step 0.1; reactions = unique;")).code() == (by == rub ? "E0697" : "E0699"));
    const Run r = run_both(replaced(twice, "step 0.1;", "step 0.1; reactions = smallest;"));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.result.shares_taken == std::vector<std::string>{"rub"});
    const std::string said = "constraint again: bar.at(-0.4, 0).pos == (0, 0)\n";
    const Run once = run(replaced(replaced(twice, said, ""), "0.04*", "0.02*"));
    CHECK(std::fabs(once.last("bar.angle") - r.last("bar.angle")) < 1e-9);
    CHECK(std::fabs(once.last("bar.omega") - r.last("bar.omega")) < 1e-9);
  }
}

// A shaft in two hinges, inclined by 40 degrees. With W = m g cos(40 deg) the least |F1|^2 + |F2|^2 + |M1|^2 + |M2|^2
// has M1 = M2 and F1 = 2.77/5.21 W across the shaft; the hinges hold half of the weight each along it.
TEST_CASE("shares do not depend on how bodies are represented") {
  const std::string text = R"(mbd 1
use joints
gravity (0, 0, -9.81)
let R = roty(40 [deg])
body b(mass = 2, inertia = diag(0.02, 0.3, 0.3)) at (0, 0, 0) rotated R spinning (10, 0, 0)
Revolute j1(ground.at(R*(-0.4, 0, 0), R), b.at(-0.4, 0, 0), axis = ex)
Revolute j2(ground.at(R*(0.7, 0, 0), R), b.at(0.7, 0, 0), axis = ex)
friction rub on j2.rate: 0.01*norm(j2.force)
output F1 = norm(j1.force), F2 = norm(j2.force)
simulate { time = 0 .. 1 step 0.5 }
)";
  const double angle = std::acos(-1.0) / 4.5, weight = 2 * kGravity, along = weight * std::sin(angle) / 2;
  const double F1 = std::hypot(2.77 / 5.21 * weight * std::cos(angle), along);
  const double F2 = std::hypot(2.44 / 5.21 * weight * std::cos(angle), along);
  for (const char* bodies : {"quaternion", "euler_parameters", "natural", "tree"}) {
    CAPTURE(bodies);
    const Run r = run(text, Engine::interpreter, {std::string("bodies=") + bodies});
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(std::fabs(r.last("F1") - F1) < 1e-9);
    CHECK(std::fabs(r.last("F2") - F2) < 1e-9);
    CHECK(std::fabs(r.last("b.omegax") - (10 - 0.5 * F2)) < 1e-8);
  }
}
