// SPDX-License-Identifier: Apache-2.0
// Tests `mbc import` of MJCF: accelerations of random robots against the Newton-Euler equations, the text, masses of
// geoms by integration.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <random>
#include <sstream>

#include "mbc/mbc.h"
#include "tests/support/scratch.h"
#include "tests/tools/drawn_robot.h"
#include "tests/tools/robot_texts.h"

namespace mbc::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// ---- random robots

// Bodies with one to three joints at anchors of their own, with references, springs, damping and inertia of drives. A
// body in MJCF is several parts: its frame, then for each joint the way to the anchor, the joint, and the way back.
class RandomMjcf : public DrawnRobot {
 public:
  explicit RandomMjcf(unsigned seed) : DrawnRobot(seed) {
    const int count = 2 + static_cast<int>(random_() % 4);
    text_ = "<mujoco model=\"drawn\"><compiler angle=\"radian\" eulerseq=\"XYZ\"/><worldbody>\n";
    std::vector<int> last;  // the part of each body
    bool free = random_() % 3 == 0;
    for (int k = 0; k < count; ++k) body(k, k == 0 ? -1 : last.back(), k == 0 && free), last.push_back(top());
    for (int k = 0; k < count; ++k) text_ += "</body>";
    text_ += "</worldbody></mujoco>\n";
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void body(int k, int parent, bool free) {
    const std::string name = "b" + std::to_string(k);
    Part seat;
    seat.at = vector();
    seat.turn = random_() % 3 == 0 ? Vector3d::Zero() : vector(2);
    text_ += "<body name=\"" + name + "\" pos=\"" + three(seat.at) + "\" euler=\"" + three(seat.turn) + "\">\n";
    if (free) seat.at = seat.turn = Vector3d::Zero();
    add(seat, parent);
    if (free) {
      text_ += "<freejoint/>\n";
      free_joint(name);
    } else {
      joints(k, name);
    }
    Part& p = parts.back();
    p.com = vector(0.3);
    p.inertial_turn = vector(3);
    p.mass = 0.5 + std::fabs(number());
    const Vector3d moments = Vector3d::Constant(0.05) + 0.04 * vector().cwiseAbs();
    p.inertia = moments.asDiagonal();
    text_ += "<inertial pos=\"" + three(p.com) + "\" euler=\"" + three(p.inertial_turn) + "\" mass=\"" +
             std::to_string(p.mass) + "\" diaginertia=\"" + three(moments) + "\"/>\n";
    p.mass = std::stod(std::to_string(p.mass));
  }

  void joints(int body, const std::string& name) {
    const int count = 1 + static_cast<int>(random_() % 3);
    const bool ball = random_() % 4 == 0;
    for (int k = 0; k < count; ++k) {
      const bool turns = ball ? k == count - 1 : random_() % 3 != 0;
      Part way, j, back;
      way.at = random_() % 3 == 0 ? Vector3d::Zero() : vector(0.3);
      back.at = -way.at;
      const std::string joint = "j" + std::to_string(body) + "_" + std::to_string(k);
      text_ += "<joint name=\"" + joint + "\" pos=\"" + three(way.at) + "\" ";
      j.kind = ball && turns ? PartKind::ball : turns ? PartKind::revolute : PartKind::prismatic;
      j.coordinate = speeds;
      j.damping = random_() % 2 == 0 ? 0 : std::fabs(number());
      j.armature = random_() % 2 == 0 ? 0 : 0.1 + std::fabs(number());
      if (j.kind == PartKind::ball) {
        text_ += "type=\"ball\"";
        speeds += 3;
      } else {
        j.axis = vector();
        j.reference = random_() % 2 == 0 ? 0 : number();
        j.stiffness = random_() % 2 == 0 ? 0 : std::fabs(number(3));
        j.spring_at = number();
        text_ += std::string("type=\"") + (turns ? "hinge" : "slide") + "\" axis=\"" + three(j.axis) + "\" ref=\"" +
                 shown(j.reference) + "\" stiffness=\"" + shown(j.stiffness) + "\" springref=\"" + shown(j.spring_at) +
                 "\"";
        coordinates.push_back({joint + (turns ? ".angle" : ".displacement"), speeds++});
      }
      text_ += " damping=\"" + shown(j.damping) + "\" armature=\"" + shown(j.armature) + "\"/>\n";
      add(way, top());
      add(j, top());
      add(back, top());
    }
    if (ball) turning.push_back({name, top(), false});
  }

  static std::string shown(double x) {
    std::ostringstream text;
    text.precision(17);
    text << x;
    return text.str();
  }

  std::string text_;
};

}  // namespace

TEST_CASE("MJCF: imported robots move by the Newton-Euler equations") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    RandomMjcf robot(seed);
    const std::string text = imported_robot(robot.text());
    CAPTURE(seed);
    CAPTURE(text);
    check_motion(robot, model_of(text), 3);
  }
}

TEST_CASE("MJCF: a text as a person would have written it") {
  const std::string file = in_mujoco(
      "<option timestep=\"0.005\"/>\n"
      "<default><joint damping=\"0.1\"/><default class=\"arm\"><joint axis=\"0 1 0\" range=\"-90 "
      "90\"/></default></default>\n"
      "<worldbody>\n"
      "<light/>\n"
      "<body name=\"arm\" pos=\"0 0 1\" euler=\"90 0 0\" childclass=\"arm\">\n"
      "<joint name=\"yaw\" axis=\"0 0 1\" armature=\"0.02\"/>\n"
      "<joint name=\"pitch\" pos=\"0.1 0 0\" ref=\"30\" stiffness=\"4\" frictionloss=\"0.5\" solreflimit=\"0.1 1\"/>\n"
      "<inertial pos=\"0 0 0.1\" mass=\"2\" diaginertia=\"0.02 0.02 0.001\"/>\n"
      "<geom type=\"capsule\" size=\"0.05 0.1\" friction=\"1 0 0\"/>\n"
      "<site name=\"tip\" pos=\"0 0 0.2\"/>\n"
      "</body></worldbody>\n"
      "<actuator><motor joint=\"pitch\" gear=\"20\" ctrlrange=\"-1 1\"/></actuator>\n"
      "<sensor><framepos objtype=\"site\" objname=\"tip\" name=\"tip\"/></sensor>\n"
      "<keyframe><key name=\"home\" qpos=\"0.2 0.4\"/><key name=\"rest\"/></keyframe>");
  const Ran ran = run_mbc({"import", "-"}, {.input = file});
  CHECK(ran.out ==
        "mbd 1\n"
        "/// m, from <stdin>\n"
        "use joints, contact, math\n"
        "param g = 9.81 [m/s^2]\n"
        "gravity (0, 0, -g)\n"
        "\n"
        "body arm_carrier(mass = 0 [kg], inertia = diag(0, 0, 0) [kg*m^2]) at (0, 0, 1) [m] rotated rotx(pi/2)\n"
        "Revolute yaw(ground.at((0, 0, 1) [m], rotx(pi/2)), arm_carrier, axis = ez)\n"
        "body arm(mass = 2 [kg], inertia = diag(0.02, 0.02, 0.001) [kg*m^2], com = (0, 0, 0.1) [m]) on arm_carrier at "
        "(0, 0, 0) [m]\n"
        "Revolute pitch(arm_carrier.at((0.1, 0, 0) [m], roty(-pi/6)), arm.at((0.1, 0, 0) [m]), axis = ey)\n"
        "shape arm_shape on arm: capsule(0.05 [m], 0.2 [m])\n"
        "frame tip on arm at (0, 0, 0.2) [m]\n"
        "\n"
        "load yaw_damping on yaw.angle: -0.1 [N*m*s]*yaw.rate\n"
        "kinetic yaw_armature: 0.5*0.02 [kg*m^2]*yaw.angle'^2\n"
        "Limits yaw_limits(yaw.angle, low = -pi/2, high = pi/2)\n"
        "load pitch_damping on pitch.angle: -0.1 [N*m*s]*pitch.rate\n"
        "potential pitch_spring: 2 [N*m]*pitch.angle^2\n"
        "JointFriction pitch_friction(pitch.rate, torque = 0.5 [N*m])\n"
        "Limits pitch_limits(pitch.angle, low = -pi/2, high = pi/2)\n"
        "/// from -1 to 1 [N*m]\n"
        "input motor [N*m] = 0\n"
        "let motor_force = saturate(motor, -1 [N*m], 1 [N*m])\n"
        "load motor_load on pitch.angle: 20*motor_force\n"
        "\n"
        "// the keyframe `home`\n"
        "init {\n"
        "  yaw.angle = 0.2\n"
        "  pitch.angle = 0.4\n"
        "}\n"
        "\n"
        "/// `tip`\n"
        "output tip_sensor = tip.pos\n"
        "\n"
        "simulate motion { bodies = tree; time = 0 [s] .. 1 [s] step 5 [ms] }\n");
  for (const char* told :
       {"<stdin>:5: not taken over: cameras and lights\n",
        "<stdin>:8: not taken over: solref, solimp, margin and the like: rows are exact and have no softness\n",
        "<stdin>:10: not taken over: contacts of geoms: they are chosen by hand, with `shape` and `Contact`\n",
        "<stdin>:15: not taken over: other keyframes: `--keyframe NAME` begins there\n"})
    CHECK_MESSAGE(has(ran.err, told), ran.err);
  const Folder folder;
  const std::string model = folder / "arm.mbd";
  CHECK(run_mbc({"import", "-", "-o", model, "--quiet"}, {.input = file}).code == 0);
  const Ran run = run_mbc({"run", model, "-o", folder / "arm.csv", "--quiet", "--set", "motion.time.end = 0.1"});
  CHECK_MESSAGE(run.code == 0, run.err);
  CHECK(!has(imported_robot(file, {"--keyframe", "rest"}), "0.4"));
}

// ---- masses

namespace {

struct Body {
  double mass = 0;
  Vector3d centre = Vector3d::Zero();
  Matrix3d tensor = Matrix3d::Zero();  // about the origin
};

// Mass and inertia of a shape by the midpoint rule on a grid of points.
template <class Inside>
Body by_points(const Vector3d& half, const Inside& inside, double density) {
  constexpr int kPoints = 80;
  Body out;
  const Vector3d step = 2 * half / kPoints;
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j)
      for (int k = 0; k < kPoints; ++k) {
        const Vector3d p = -half + step.cwiseProduct(Vector3d(i + 0.5, j + 0.5, k + 0.5));
        if (!inside(p)) continue;
        const double m = density * step.prod();
        out.mass += m;
        out.tensor += m * (p.squaredNorm() * Matrix3d::Identity() - p * p.transpose());
      }
  return out;
}

// The mass, mass centre and tensor about the origin of the only body of a model.
Body body_of(const std::string& text) {
  const Model model = model_of(text);
  Simulation simulation = Simulation::create(model).value();
  Body out;
  const std::size_t n = model.coordinates().size();
  const auto energy = [&](const Vector3d& v, const Vector3d& w) {
    std::vector<double> y(simulation.state().begin(), simulation.state().end());
    for (int k = 0; k < 3; ++k) {
      y[n + static_cast<std::size_t>(k)] = v[k];
      y[n + 3 + static_cast<std::size_t>(k)] = w[k];
    }
    REQUIRE(simulation.set_state(0, y).ok());
    return simulation.output("T").value();
  };
  const auto axis = [](int k) { return Vector3d(Vector3d::Unit(k)); };
  const Vector3d none = Vector3d::Zero();
  out.mass = 2 * energy(axis(0), none);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      out.tensor(i, k) = energy(none, axis(i) + axis(k)) - energy(none, axis(i)) - energy(none, axis(k));
    }
  return out;
}

std::string weighed(const std::string& inside, const std::string& compiler = "") {
  return imported_robot(in_mujoco("<compiler " + compiler + "/><worldbody><body name=\"b\"><freejoint/>" + inside +
                                  "</body></worldbody><sensor><e_kinetic name=\"T\"/></sensor>"));
}

}  // namespace

TEST_CASE("MJCF: geoms weigh what an integral over their points gives") {
  struct Case {
    const char* geom;
    Vector3d half;
    std::function<bool(const Vector3d&)> inside;
  };
  const Case kCases[] = {
      {"type=\"box\" size=\"0.1 0.2 0.3\"", {0.1, 0.2, 0.3}, [](const Vector3d&) { return true; }},
      {"size=\"0.2\"", {0.2, 0.2, 0.2}, [](const Vector3d& p) { return p.norm() < 0.2; }},
      {"type=\"ellipsoid\" size=\"0.1 0.2 0.3\"",
       {0.1, 0.2, 0.3},
       [](const Vector3d& p) { return p.cwiseQuotient(Vector3d(0.1, 0.2, 0.3)).norm() < 1; }},
      {"type=\"cylinder\" size=\"0.1 0.3\"",
       {0.1, 0.1, 0.3},
       [](const Vector3d& p) { return p.head<2>().norm() < 0.1; }},
      {"type=\"capsule\" size=\"0.1 0.2\"",
       {0.1, 0.1, 0.3},
       [](const Vector3d& p) { return Vector3d(p[0], p[1], std::fmax(std::fabs(p[2]) - 0.2, 0)).norm() < 0.1; }},
  };
  for (const Case& c : kCases) {
    CAPTURE(c.geom);
    const Body wanted = by_points(c.half, c.inside, 700);
    const Body found = body_of(weighed(std::string("<geom density=\"700\" ") + c.geom + "/>"));
    CHECK(found.mass == doctest::Approx(wanted.mass).epsilon(2e-3));
    CHECK((found.tensor - wanted.tensor).norm() <= 4e-3 * wanted.tensor.norm());
    const Body given = body_of(weighed(std::string("<geom mass=\"3\" ") + c.geom + "/>"));
    CHECK(given.mass == doctest::Approx(3).epsilon(1e-14));
    CHECK((given.tensor / 3 - found.tensor / found.mass).norm() <= 1e-14);
  }
}

TEST_CASE("MJCF: the compiler's rules of masses") {
  // Two balls: sums, the mass centre between them, and Steiner's parts.
  const std::string two = "<geom size=\"0.1\" mass=\"1\"/><geom size=\"0.1\" mass=\"3\" pos=\"1 0 0\" group=\"3\"/>";
  const Body sum = body_of(weighed(two));
  CHECK(sum.mass == doctest::Approx(4));
  CHECK(sum.tensor(0, 0) == doctest::Approx(4 * 0.004));
  CHECK(sum.tensor(1, 1) == doctest::Approx(4 * 0.004 + 3));
  CHECK(body_of(weighed(two, "inertiagrouprange=\"0 2\"")).mass == doctest::Approx(1));
  const std::string both = "<inertial pos=\"0 0 0\" mass=\"7\" diaginertia=\"1 2 4\"/>" + two;
  CHECK(has(run_mbc({"import", "-"}, {.input = in_world("<body><freejoint/>" + both + "</body>")}).err,
            "no body has the inertia of link `body`"));
  const Body balanced = body_of(weighed(both, "balanceinertia=\"true\""));
  CHECK(balanced.mass == doctest::Approx(7));
  CHECK((balanced.tensor - 7.0 / 3 * Matrix3d::Identity()).norm() < 1e-12);
  CHECK(body_of(weighed(both, "inertiafromgeom=\"true\"")).mass == doctest::Approx(4));
  // Where no geom is in the groups that count, <inertial> stays.
  const std::string groups = "inertiafromgeom=\"true\" inertiagrouprange=\"4 5\"";
  const std::string physical = "<inertial pos=\"0 0 0\" mass=\"7\" diaginertia=\"2 3 4\"/>" + two;
  CHECK(body_of(weighed(physical, groups)).mass == doctest::Approx(7));
  CHECK(body_of(weighed(physical, groups + " boundmass=\"0.001\"")).mass == doctest::Approx(7));
  CHECK(has(run_mbc({"import", "-"}, {.input = in_mujoco("<compiler inertiafromgeom=\"false\"/><worldbody><body>"
                                                         "<joint/>" +
                                                         two + "</body></worldbody>")})
                .err,
            "link `body` has no mass and moves"));
  const Body bounded = body_of(weighed("<geom size=\"0.1\" mass=\"1\"/>", "boundmass=\"2\" boundinertia=\"0.5\""));
  CHECK(bounded.mass == doctest::Approx(2));
  CHECK((bounded.tensor - 0.5 * Matrix3d::Identity()).norm() < 1e-14);
  const Body scaled = body_of(weighed(two, "settotalmass=\"2\""));
  CHECK(scaled.mass == doctest::Approx(2));
  CHECK((scaled.tensor - sum.tensor / 2).norm() < 1e-14);
  const Body full = body_of(weighed("<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"3 4 5 0.1 0.2 0.3\"/>"));
  CHECK(full.tensor(0, 1) == doctest::Approx(0.1));
  CHECK(full.tensor(0, 2) == doctest::Approx(0.2));
  CHECK(full.tensor(1, 2) == doctest::Approx(0.3));
}

TEST_CASE("MJCF: laws of actuators that defaults and damping ratios make") {
  const auto force = [](const std::string& defaults, const std::string& actuator) {
    const Ran ran = run_mbc(
        {"import", "-"},
        {.input = in_mujoco("<default>" + defaults +
                            "</default><worldbody><body name=\"a\"><joint name=\"j\" type=\"slide\" axis=\"0 0 1\"/>"
                            "<geom type=\"sphere\" size=\"0.1\" mass=\"4\"/></body></worldbody>"
                            "<actuator>" +
                            actuator + "</actuator>")});
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    const std::size_t at = ran.out.find("p_force = ");
    REQUIRE_MESSAGE(at != std::string::npos, ran.out);
    return ran.out.substr(at + 10, ran.out.find('\n', at) - at - 10);
  };
  const std::string by_ratio = "100 [N/m]*p - 100 [N/m]*j.displacement - 40 [N*s/m]*j.rate";  // 2 sqrt(100*4)
  CHECK(force("", "<general name=\"p\" joint=\"j\" gainprm=\"100\" biastype=\"affine\" biasprm=\"0 -100 1\"/>") ==
        by_ratio);
  CHECK(force("", "<position name=\"p\" joint=\"j\" kp=\"100\" dampratio=\"1\"/>") == by_ratio);
  CHECK(force("", "<general name=\"p\" joint=\"j\" gainprm=\"90\" biastype=\"affine\" biasprm=\"0 -100 1\"/>") ==
        "90 [N]*p - 100 [N/m]*j.displacement + 1 [N*s/m]*j.rate");
  const std::string inherited = "<general biastype=\"affine\" biasprm=\"5 -10 -1\"/>";
  CHECK(force(inherited, "<position name=\"p\" joint=\"j\" kp=\"100\"/>") ==
        "100 [N/m]*p - 100 [N/m]*j.displacement - 1 [N*s/m]*j.rate + 5 [N]");
  CHECK(force(inherited, "<velocity name=\"p\" joint=\"j\" kv=\"3\"/>") == "3 [N*s/m]*p - 3 [N*s/m]*j.rate");
}

TEST_CASE("MJCF: ropes, and what acts on nothing that moves") {
  const auto checked = [](const std::string& bodies, const std::string& rest) {
    const Ran made = run_mbc(
        {"import", "-"},
        {.input = in_mujoco("<worldbody><site name=\"w\" pos=\"0 0 2\"/><site name=\"v\" pos=\"1 0 2\"/>" + bodies +
                            "<body name=\"a\" pos=\"0 0 1\"><joint name=\"j\" type=\"slide\" axis=\"0 0 1\"/>"
                            "<geom type=\"sphere\" size=\"0.1\" mass=\"4\"/><site name=\"sa\"/></body></worldbody>" +
                            rest)});
    CAPTURE(made.err);
    REQUIRE(made.code == 0);
    const Ran check = run_mbc({"check", "-"}, {.input = made.out});
    CHECK_MESSAGE(check.code == 0, check.err);
    return made;
  };
  const auto tendon = [](const std::string& kind, const std::string& attributes, const std::string& path) {
    return "<tendon><" + kind + " name=\"rope\" " + attributes + ">" + path + "</" + kind + "></tendon>";
  };
  const std::string path = "<site site=\"w\"/><site site=\"sa\"/>";
  CHECK(has(checked("", tendon("spatial", "range=\"0 2\"", path)).out, "constraint rope_limit: rope <= 2 [m]\n"));
  CHECK(has(checked("", tendon("spatial", "range=\"0.5 2\"", path)).out,
            "Limits rope_limits(rope, low = 0.5 [m], high = 2 [m])\n"));
  const std::string nothing = "what a tendon does whose length never changes";
  for (const std::string& still :
       {tendon("spatial", "stiffness=\"3\" range=\"0 9\"", "<site site=\"w\"/><site site=\"v\"/>"),
        tendon("fixed", "damping=\"3\" frictionloss=\"1\"", "<joint joint=\"j\" coef=\"0\"/>")})
    CHECK(has(checked("", still).err, nothing));
  const Ran weld = checked("<body name=\"st\" pos=\"0 0 3\"><geom size=\"0.1\"/></body>",
                           "<equality><weld body1=\"st\"/></equality>");
  CHECK(has(weld.err, "the row `st_weld` between bodies that never move"));
  CHECK(!has(weld.out, "constraint"));
}

// Nothing crashes, and every answer is a text or a message.
TEST_CASE("MJCF: names of any characters, and bytes changed at random") {
  const std::string nasty = imported_robot(in_world(
      "<body name=\"a&quot;;rm -rf /&#10;\"><joint name=\"a&quot;;rm -rf /&#10;\"/><geom size=\"0.1\"/></body>"));
  CHECK(!has(nasty, "\nrm"));
  CHECK(Simulation::create(model_of(nasty)).ok());
  const RandomMjcf robot(5);
  std::string whole = robot.text();
  whole.insert(
      whole.find("</worldbody>") + 12,
      "<equality><connect body1=\"b0\" anchor=\"0 0 0\"/></equality><actuator><motor joint=\"j1_0\"/></actuator>"
      "<sensor><framepos objtype=\"xbody\" objname=\"b0\"/></sensor><keyframe><key ctrl=\"1\"/></keyframe>");
  std::mt19937 random(7);
  for (int trial = 0; trial < 100; ++trial) {
    std::string changed = whole;
    for (int k = 0; k < 4; ++k) changed[random() % changed.size()] = static_cast<char>(random() % 256);
    const Ran ran = run_mbc({"import", "-", "--quiet"}, {.input = changed});
    CHECK(ran.signal == 0);
    CHECK((ran.code == 0) == ran.err.empty());
  }
}

}  // namespace mbc::test
