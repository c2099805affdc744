// SPDX-License-Identifier: Apache-2.0
// Tests the scene of a model: its parts and links for all notations, shapes from the functions of the library, and
// poses against the motion.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

struct Made {
  Simulation simulation;
  SceneView view;
  [[nodiscard]] const Scene& scene() const { return view.scene(); }
};

Made made(const std::string& text) {
  CompileOptions how;
  how.interpret = true;
  const Model model = Model::from_string("mbd 1\n" + text, "a.mbd", how);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Simulation simulation = Simulation::create(model).value();
  SceneView view = SceneView::of(simulation).value();
  return {std::move(simulation), std::move(view)};
}

const SceneLink& link(const Scene& scene, const std::string& name) {
  const auto found =
      std::find_if(scene.links.begin(), scene.links.end(), [&](const SceneLink& l) { return l.name == name; });
  REQUIRE_MESSAGE(found != scene.links.end(), name);
  return *found;
}

std::string kinds(const Scene& scene) {
  std::string all;
  for (const SceneLink& l : scene.links) all += "RJSF"[static_cast<int>(l.kind)];
  return all;
}

using Vector = std::array<double, 3>;

Vector turned(const double* q, const Vector& v) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  return {(1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2],
          2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - w * x) * v[2],
          2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2]};
}

Vector place(const std::vector<double>& poses, const SceneEnd& end) {
  if (end.part == SceneEnd::kGround) return end.offset;
  const double* at = poses.data() + end.part * SceneView::kPoseSize;
  const Vector d = turned(at + 3, end.offset);
  return {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
}

double apart(const Vector& a, const Vector& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

void check_size(const SceneShape& shape, SceneShape::Kind kind, const Vector& size) {
  CHECK(shape.kind == kind);
  CHECK(shape.known);
  for (std::size_t k = 0; k < 3; ++k) CHECK(shape.size[k] == doctest::Approx(size[k]).epsilon(1e-12));
}

const std::string kFree = "\nsimulate s { time = 0 .. 1 step 0.01; integrator = rk4; stabilise = project }\n";

}  // namespace

TEST_CASE("a part looks like its first `shape`, where that stands on it") {
  const Made m = made(R"(body b(mass = 1, inertia = diag(1, 1, 1)) at (1, 2, 3) rotated rotz(0.3)
particle p(1) at (5, 0, 0)
shape rod on b at (0.1, 0.2, 0.3) rotated rotx(pi/2): capsule(0.2, 0.7)
shape other on b: sphere(1)
shape ball on p: sphere(0.4)
shape soil on ground: plane(ez)
simulate { time = 0 .. 1 step 0.5 }
)");
  const SceneShape ball = m.scene().parts[0].shape, rod = m.scene().parts[1].shape;
  CHECK(ball.kind == SceneShape::Kind::ellipsoid);
  CHECK(ball.size == std::array<double, 3>{0.4, 0.4, 0.4});
  CHECK(rod.kind == SceneShape::Kind::capsule);
  CHECK(rod.known);
  CHECK(rod.size == std::array<double, 3>{0.2, 0.7, 0});
  const Vector along = turned(rod.axes.data(), {0, 0, 1}), wanted = {0, -1, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(rod.centre[k] == doctest::Approx(0.1 * static_cast<double>(k + 1)));
    CHECK(std::fabs(along[k] - wanted[k]) < 1e-12);
  }
}

TEST_CASE("a rope is drawn, and a contact that keeps balls apart is not") {
  for (const std::string l : {"l", "1.5"}) {
    const Made m = made(
        "param l = 2\nparticle a(1) at (1, 0, 0)\nparticle b(1) at (4, 0, 0)\n"
        "constraint apart: dist(a, b) >= " +
        l + "\nconstraint rope: dist(ground, a) <= " + l +
        "\n"
        "simulate s { time = 0 .. 1 step 0.01 }\n");
    const Scene& s = m.scene();
    REQUIRE(s.links.size() == 1);
    CHECK(s.links[0].name == "rope");
    CHECK(s.links[0].kind == SceneLink::Kind::rod);
  }
}

TEST_CASE("an inequality whose sums share their terms is looked at once a term") {
  std::string text = "particle p(1) at (1, 0, 0)\nlet a0 = p.x\n";
  for (int k = 1; k <= 60; ++k) {  // Without shared terms the sum would have 2^60 terms.
    const std::string before = "a" + std::to_string(k - 1), n = std::to_string(k);
    text += "let a" + n + " = (" + before + " + p.y*" + n + ") - (p.x*" + n + " - " + before + ")\n";
  }
  const Made m = made(text + "constraint c: dist(p, ground) + a60 >= -1e30\nsimulate s { time = 0 .. 1 step 0.01 }\n");
  CHECK(m.scene().links.empty());
}

TEST_CASE("rods and springs are found however a distance is written") {
  const Made m = made(
      "use joints, forces\n"
      "particle a(1) at (1, 0, 0)\nparticle b(2) at (1, 1, 0)\nparticle c(1) at (1, 1, 1)\n"
      "constraint one: dist(ground, a) == 1\n"
      "constraint two: norm(b.pos - a.pos) == 1\n"
      "constraint three: dot(c.pos - b.pos, c.pos - b.pos) == 1\n"
      "Rod four(a, c, length = sqrt(2))\n"
      "potential five: 0.5*10*(dist(a, (0, 0, 3)) - 1)^2\n"
      "PullSpring six(a = ground, b = c, stiffness = 2)\n"
      "SpringDamper seven(a = b, b = ground.at(0, 3, 0), stiffness = 1, damping = 0.1, length = 1)\n"
      "force eight on c from b: -0.1*(c.vel - b.vel)\n" +
      kFree);
  const Scene& s = m.scene();
  REQUIRE(s.parts.size() == 3);
  CHECK(s.parts[1].name == "b");
  CHECK(s.parts[1].mass == 2);
  // Link eight lies along link three and is not drawn again; the same holds for the damper of seven.
  CHECK(kinds(s) == "RRRRSSS");
  CHECK(link(s, "one").kind == SceneLink::Kind::rod);
  const std::vector<std::array<std::uint32_t, 2>> ends = {
      {SceneEnd::kGround, 0}, {0, 1}, {1, 2}, {0, 2}, {0, SceneEnd::kGround}, {SceneEnd::kGround, 2},
      {1, SceneEnd::kGround}};
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const std::array<std::uint32_t, 2> found = {s.links[k].a.part, s.links[k].b.part};
    const bool same = found == ends[k] || (found[0] == ends[k][1] && found[1] == ends[k][0]);
    CHECK_MESSAGE(same, s.links[k].name);
  }
  const SceneLink& five = link(s, "five");
  CHECK((five.a.part == SceneEnd::kGround ? five.a : five.b).offset == Vector{0, 0, 3});
}

TEST_CASE("a sum of several springs gives each of them, a force between two points is one link") {
  const Made m = made(
      "space 2\nparticle a(1) at (0, 0)\nparticle b(1) at (1, 0)\nparticle c(1) at (0, 1)\n"
      "def spring(p, q) = 0.5*max(0, dist(p, q) - 1)^2\n"
      "potential web: spring(a, b) + spring(b, c) + 2*spring(c, a)\n"
      "force rope on a from c: -0.1*(a.vel - c.vel)\nforce tail on a from b: -0.2*(a.vel - b.vel)\nparticle d(1) at "
      "(2, 2)\nforce long on a from d: d.pos - a.pos\n" +
      kFree);
  CHECK(kinds(m.scene()) == "SSSF");
  CHECK(m.scene().up == Vector{0, 1, 0});
  CHECK_FALSE(m.scene().has_gravity);
}

TEST_CASE("distances from fixed places, written out") {
  const Made m = made("space 2\nparticle a(1) at (0, 0)\nconstraint bar: (a.x + 3)^2 + (a.y - 4)^2 == 25\n" + kFree);
  REQUIRE(kinds(m.scene()) == "R");
  const SceneLink& bar = m.scene().links[0];
  CHECK((bar.a.part == SceneEnd::kGround ? bar.a : bar.b).offset == Vector{-3, 4, 0});
}

TEST_CASE("what is no distance is no link") {
  const Made m = made(
      "particle a(1) at (1, 0, 0) \nparticle b(1) at (0, 1, 0)\n"
      "constraint plane: a.z == 0\nconstraint both: a.x + b.x == 1\npotential well: 0.5*(a.x^2 + 4*a.y^2)\n"
      "potential attraction: -3/dist(a, b)\n" +
      kFree);
  CHECK(m.scene().links.empty());
}

TEST_CASE("joints join points of bodies, and both ends are one place along the motion") {
  Made m = made(
      "use joints, bodies\ngravity (0, 0, -9.81)\n"
      "body upper(mass = 1, inertia = cylinder_inertia(1, 0.02, 0.4, axis = ex)) at (0.2, 0, 0)\n"
      "body lower(mass = 1, inertia = cuboid_inertia(1, 0.3, 0.05, 0.02)) at (0.55, 0, 0)\n"
      "Revolute shoulder(ground, upper.at(-0.2, 0, 0), axis = ey)\n"
      "Revolute elbow(upper.at(0.2, 0, 0), lower.at(-0.15, 0, 0), axis = ey)\n"
      "frame tip on lower at (0.15, 0, 0)\n" +
      kFree);
  const Scene& s = m.scene();
  CHECK(kinds(s) == "JJ");
  CHECK(s.up == Vector{0, 0, 1});
  CHECK(s.has_gravity);
  const SceneLink elbow = link(s, "elbow.pos"), shoulder = link(s, "shoulder.pos");
  CHECK(std::max(elbow.a.part, elbow.b.part) == 1);
  CHECK(std::any_of(s.points.begin(), s.points.end(), [](const ScenePoint& p) {
    return p.name == "tip" && p.at.part == 1 && apart(p.at.offset, {0.15, 0, 0}) < 1e-15;
  }));
  std::vector<double> poses(m.view.pose_size());
  std::size_t rows = 0;
  Made* made = &m;
  const RunResult result = m.simulation.run({}, [&](const Row& row) {
    REQUIRE(made->view.poses(row.time, row.state, poses));
    CHECK(apart(place(poses, elbow.a), place(poses, elbow.b)) < 1e-9);
    CHECK(apart(place(poses, shoulder.a), place(poses, shoulder.b)) < 1e-9);
    CHECK(poses[0] == row.state[0]);
    ++rows;
    return true;
  });
  CHECK(result.status == Status::complete);
  CHECK(rows == 101);
}

TEST_CASE("sizes of bodies are those the library's functions were given") {
  using Kind = SceneShape::Kind;
  const std::vector<std::tuple<std::string, Kind, Vector>> all = {
      {"cylinder_inertia(2, 0.1, 0.7, axis = (1, 2, -2))", Kind::cylinder, {0.1, 0.7, 0}},
      {"cylinder_inertia(2, 0.3, 0.1)", Kind::cylinder, {0.3, 0.1, 0}},
      {"disc_inertia(2, 0.3, axis = ex)", Kind::cylinder, {0.3, 0, 0}},
      {"ring_inertia(2, 0.3)", Kind::torus, {0.3, 0, 0}},
      {"torus_inertia(2, 0.3, 0.05)", Kind::torus, {0.3, 0.05, 0}},
      {"cone_inertia(2, 0.3, 0.5)", Kind::cone, {0.3, 0.5, 0}},
      {"cuboid_inertia(2, 0.1, 0.2, 0.3)", Kind::box, {0.1, 0.2, 0.3}},
      {"plate_inertia(2, 0.1, 0.2)", Kind::box, {0.1, 0.2, 0}},
      {"sphere_inertia(2, 0.3)", Kind::ellipsoid, {0.3, 0.3, 0.3}},
      {"shell_inertia(2, 0.3)", Kind::ellipsoid, {0.3, 0.3, 0.3}},
      {"ellipsoid_inertia(2, 0.1, 0.2, 0.3)", Kind::ellipsoid, {0.1, 0.2, 0.3}}};
  for (const auto& [inertia, kind, size] : all) {
    const std::string& body = inertia;
    CAPTURE(body);
    const Made m = made("use bodies\nbody b(mass = 2, inertia = " + inertia + ") at (0, 0, 0)\n" + kFree);
    check_size(m.scene().parts[0].shape, kind, size);
  }
}

TEST_CASE("the axis of a cylinder is the one it was given") {
  const Made m =
      made("use bodies\nbody b(mass = 2, inertia = cylinder_inertia(2, 0.1, 0.7, axis = (1, 2, -2))) at (0, 0, 0)\n" +
           kFree);
  const Vector axis = turned(m.scene().parts[0].shape.axes.data(), {0, 0, 1});
  CHECK(std::fabs(std::fabs(axis[0] + 2 * axis[1] - 2 * axis[2]) - 3) < 1e-12);
}

TEST_CASE("another inertia is drawn as the uniform ellipsoid that has it") {
  const Made m = made("body b(mass = 2, inertia = diag(0.3, 0.4, 0.5)) at (0, 0, 0)\n" + kFree);
  const SceneShape& s = m.scene().parts[0].shape;
  CHECK_FALSE(s.known);
  CHECK(s.kind == SceneShape::Kind::ellipsoid);
  const auto [a, b, c] = s.size;
  CHECK(0.2 * 2 * (b * b + c * c) == doctest::Approx(0.3));
  CHECK(0.2 * 2 * (a * a + c * c) == doctest::Approx(0.4));
  CHECK(0.2 * 2 * (a * a + b * b) == doctest::Approx(0.5));
}

TEST_CASE("in the plane") {
  Made m = made(
      "use bodies, planar_joints\nspace 2\ngravity (0, -9.81)\nparam l = 0.5\n"
      "body b(mass = 3, inertia = planar_rod_inertia(3, l)) at (l/2, 0)\n"
      "body w(mass = 3, inertia = planar_disc_inertia(3, 0.2)) at (1, 0)\n"
      "Pin hinge(ground, b.at(-l/2, 0))\n" +
      kFree);
  const Scene& s = m.scene();
  check_size(s.parts[0].shape, SceneShape::Kind::cylinder, {0, 0.5, 0});
  check_size(s.parts[1].shape, SceneShape::Kind::cylinder, {0.2, 0, 0});
  CHECK(kinds(s) == "J");
  std::vector<double> poses(m.view.pose_size());
  const std::vector<double> y = m.simulation.initial_state();
  REQUIRE(m.view.poses(0, y, poses));
  CHECK(apart(place(poses, s.links[0].a), {0, 0, 0}) < 1e-15);
  CHECK(apart(place(poses, s.links[0].b), {0, 0, 0}) < 1e-15);
}

TEST_CASE("frames and points that move by themselves have a pose") {
  Made m = made(
      "use math, forces\nspace 2\nparticle p(1) at (0, 1)\n"
      "frame road follows frame(origin = (0, 0.1*t), rotation = rot(0))\n"
      "Spring tyre(road, p, stiffness = 10, length = 1)\n" +
      kFree);
  const Scene& s = m.scene();
  REQUIRE(s.parts.size() == 2);
  CHECK(s.parts[1].kind == ScenePart::Kind::place);
  CHECK(s.parts[1].name == "road");
  CHECK(kinds(s) == "S");
  std::vector<double> poses(m.view.pose_size());
  REQUIRE(m.view.poses(3, m.simulation.initial_state(), poses));
  CHECK(poses[7 + 1] == doctest::Approx(0.3));
}

TEST_CASE("energies and the largest residual") {
  Made m = made(
      "gravity (0, 0, -10)\nparticle p(2) at (1, 0, 0) moving (0, 0.5, 0)\nconstraint rod: dist(ground, p) == 1\n"
      "output total = energy.total\n" +
      kFree);
  REQUIRE(m.scene().curves.size() == 4);
  CHECK(m.scene().curves[0].name == "energy.total");
  std::vector<double> values(4);
  const std::vector<double> y = m.simulation.initial_state();
  REQUIRE(m.view.curves(0, y, values));
  CHECK(values[1] == doctest::Approx(0.25));
  CHECK(values[0] == m.simulation.output("total").value());
  CHECK(values[2] == doctest::Approx(values[0] - 0.25));
  CHECK(values[3] < 1e-15);
  CHECK_FALSE(m.view.curves(0, std::vector<double>(1), values));
  CHECK_FALSE(m.view.poses(0, y, values));
}

TEST_CASE("rank and smallest singular value of the rows") {
  // The two unit rows have the angle a between them; the singular value is sqrt(1 - cos a).
  Made m = made(
      "particle p(2) at (0, 0, 0) moving (0, 0, 1)\nconstraint one: p.x == 0\n"
      "constraint two: p.x + 0.1*p.y == 0\nconstraint three: 2*p.x == 0\n" +
      kFree);
  const std::vector<double> y = m.simulation.initial_state();
  const std::optional<SceneView::Rank> found = m.view.rank(0, y);
  REQUIRE(found);
  CHECK(found->rank == 2);
  CHECK(found->smallest > 0);
  Made two = made(
      "particle p(2) at (0, 0, 0) moving (0, 0, 1)\nconstraint one: p.x == 0\n"
      "constraint two: p.x + 0.1*p.y == 0\n" +
      kFree);
  const std::optional<SceneView::Rank> pair = two.view.rank(0, two.simulation.initial_state());
  REQUIRE(pair);
  CHECK(pair->rank == 2);
  CHECK(pair->smallest == doctest::Approx(std::sqrt(1 - 1 / std::sqrt(1.01))));
  CHECK_FALSE(two.view.rank(0, std::vector<double>(1)));
  Made none = made("particle p(2) at (0, 0, 0)\n" + kFree);
  CHECK_FALSE(none.view.rank(0, none.simulation.initial_state()));
}

TEST_CASE("parameters that were set count, and a model without places has an empty scene") {
  CompileOptions how;
  how.interpret = true;
  how.set = {"l = 2"};
  const Model model = Model::from_string(
      "mbd 1\nuse bodies\nparam l = 1\nbody b(mass = 1, inertia = cuboid_inertia(1, l, l, l)) at (0, 0, 0)\n" + kFree,
      "a.mbd", how);
  REQUIRE(model.ok());
  Simulation simulation = Simulation::create(model).value();
  check_size(SceneView::of(simulation).value().scene().parts[0].shape, SceneShape::Kind::box, {2, 2, 2});
  const Made none = made("coord x = 1\nkinetic T: 0.5*x'^2\npotential V: 0.5*x^2\n" + kFree);
  CHECK(none.scene().parts.empty());
  CHECK(none.view.pose_size() == 0);
}

namespace {

const SceneArrow& arrow(const Scene& scene, const std::string& name, std::size_t& index) {
  for (index = 0; index < scene.arrows.size(); ++index)
    if (scene.arrows[index].name == name) return scene.arrows[index];
  FAIL(name);
  return scene.arrows[0];
}

}  // namespace

TEST_CASE("arrows of reactions are those of closed forms, and act at the points that constraints speak of") {
  // The tension T = m (g cos(phi) + v^2/L) acts towards the pin. The rod is written twice, so that neither reaction is
  // unique and each carries one half.
  Made m = made(
      "particle p(2) at (1, 0, 0)\ngravity (0, 0, -10)\nconstraint rod: dist(ground, p) == 1\n"
      "constraint twin: 2*dist(ground, p) == 2\nforce wind on p: (0, 3*p.x, 0)\nconstraint slot: p.y == 0\n"
      "simulate { time = 0 .. 1 step 0.01; integrator = dop853 }\n");
  std::vector<double> poses(m.view.pose_size()), arrows(3 * m.scene().arrows.size());
  std::size_t rod = 0, twin = 0, wind = 0, slot = 0;
  CHECK(arrow(m.scene(), "rod", rod).kind == SceneArrow::Kind::reaction);
  CHECK(arrow(m.scene(), "wind", wind).kind == SceneArrow::Kind::force);
  static_cast<void>(arrow(m.scene(), "twin", twin));
  static_cast<void>(arrow(m.scene(), "slot", slot));
  RunOptions options;
  options.multipliers = true;
  std::size_t rows = 0;
  const RunResult result = m.simulation.run(options, [&](const Row& row) {
    REQUIRE(m.view.poses(row.time, row.state, poses));
    REQUIRE(row.multipliers.size() == 3);
    REQUIRE(m.view.arrows(row.time, row.state, row.multipliers, arrows));
    const double x = poses[0], z = poses[2], speed2 = -2 * 10 * z, tension = 2 * (-10 * z + speed2);
    for (std::size_t i = 0; i < 3; ++i) {
      const double both = arrows[3 * rod + i] + arrows[3 * twin + i];
      CHECK(both == doctest::Approx(-tension * (i == 0 ? x : i == 2 ? z : 0)).epsilon(1e-7).scale(60));
    }
    CHECK(arrows[3 * wind + 1] == doctest::Approx(3 * x));
    CHECK(arrows[3 * slot + 1] == doctest::Approx(-3 * x).scale(1));
    ++rows;
    return true;
  });
  CHECK(result.status == Status::complete);
  CHECK(rows == 101);
  CHECK(m.view.arrows(0, std::vector<double>(8, 1.0), {}, arrows));
  CHECK(std::isnan(arrows[3 * rod]));  // The multipliers are not known here.
}

TEST_CASE("the reaction of a joint acts at its point, and balances the weight of what hangs on it") {
  Made m = made(
      "use joints\ngravity (0, 0, -10)\nbody b(mass = 3, inertia = diag(1, 1, 1)) at (0, 0, -0.5)\n"
      "Spherical pin(a = ground.at(0, 0, 0), b = b.at(0, 0, 0.5))\nsimulate { time = 0 .. 0.1 step 0.01 }\n");
  std::size_t pin = 0;
  const SceneArrow& at = arrow(m.scene(), "pin.pos", pin);
  CHECK(at.at.part == 0);
  CHECK(at.at.offset == Vector{0, 0, 0.5});
  std::vector<double> arrows(3 * m.scene().arrows.size());
  RunOptions options;
  options.multipliers = true;
  const RunResult result = m.simulation.run(options, [&](const Row& row) {
    REQUIRE(m.view.arrows(row.time, row.state, row.multipliers, arrows));
    CHECK(arrows[3 * pin] == doctest::Approx(0).scale(30));
    CHECK(arrows[3 * pin + 2] == doctest::Approx(30));
    return true;
  });
  CHECK(result.status == Status::complete);
}

TEST_CASE("a contact has a reaction as long as it pushes") {
  Made m = made(
      "gravity (0, 0, -10)\nparticle p(2) at (0, 0, 1)\nconstraint deck: p.z >= 0 restitution 0\n"
      "simulate { time = 0 .. 1 step 0.01 }\n");
  std::vector<double> arrows(3 * m.scene().arrows.size());
  RunOptions options;
  options.multipliers = true;
  const double landing = std::sqrt(0.2);
  const RunResult result = m.simulation.run(options, [&](const Row& row) {
    m.view.set_inputs(row.inputs);  // The inputs tell whether the contact is active.
    REQUIRE(m.view.arrows(row.time, row.state, row.multipliers, arrows));
    CHECK(arrows[2] == doctest::Approx(row.time < landing ? 0 : 20).scale(20));
    return true;
  });
  CHECK(result.status == Status::complete);
}

TEST_CASE("`hide` leaves particles, bodies, points, links and arrows out, `show` takes them back") {
  const std::string model = R"(use joints
model Pair() {
  particle p[i in 1..2](1) at (i, 0, 0)
  constraint rod: dist(p[1], p[2]) == 1
  potential spring: norm(p[1].pos)^2
  force push on p[2]: ex
}
Pair left()
Pair right()
body b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 5)
point tip on b at (0, 0, 1)
shape hull on b: box(1, 2, 3)
)";
  const auto names = [](const Scene& scene) {
    std::string all;
    for (const ScenePart& p : scene.parts)
      if (p.shown) all += p.name + " ";
    for (const ScenePoint& p : scene.points) all += p.name + " ";
    for (const SceneLink& l : scene.links) all += l.name + " ";
    for (const SceneArrow& a : scene.arrows) all += a.name + " ";
    return all;
  };
  const auto seen = [&](const std::string& choices) { return names(made(model + choices + kFree).scene()); };
  const std::string right = "right.p[1] right.p[2] ";
  CHECK(seen("hide left, hull") == right + "b tip right.rod right.spring right.push right.rod right.rod ");
  CHECK(seen("hide left\nshow left.rod\nhide right, tip") == "b hull.place left.rod left.rod left.rod ");
  CHECK(seen("hide right, left\nshow right.p, left\nhide left.rod, left.push, b, tip") ==
        "left.p[1] left.p[2] " + right + "hull.place left.spring ");
}

TEST_CASE("a hidden body still carries what is on it; a hidden shape gives way to the next one") {
  const std::string model = R"(body b(mass = 1, inertia = diag(1, 1, 1)) at (1, 2, 3) rotated rotz(0.3)
point tip on b at (1, 0, 0)
particle p(1) at (5, 0, 0)
shape hull on b: box(1, 2, 3)
shape ball on b: sphere(0.4)
constraint rod: dist(tip, p) == 4.2
)";
  const Made all = made(model + kFree), hidden = made(model + "hide b" + kFree),
             second = made(model + "hide hull" + kFree);
  REQUIRE(hidden.scene().parts.size() == all.scene().parts.size());
  const ScenePart& body = hidden.scene().parts[1];
  CHECK(body.kind == ScenePart::Kind::place);
  CHECK(body.name.empty());
  CHECK(body.shape.kind == SceneShape::Kind::none);
  CHECK(link(hidden.scene(), "rod").a.offset == link(all.scene(), "rod").a.offset);
  CHECK(all.scene().parts[1].shape.kind == SceneShape::Kind::box);
  CHECK(second.scene().parts[1].shape.kind == SceneShape::Kind::ellipsoid);
}
