// SPDX-License-Identifier: Apache-2.0
// Tests `mbc import`: accelerations of random robots against the Newton-Euler equations of this file, names, remarks,
// and files that are refused.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "mbc/mbc.h"
#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"
#include "tests/tools/robot_motion.h"

namespace mbc::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

using Kind = PartKind;

// A tree of 2 to 9 links with joints of all kinds in any frames.
class RandomRobot {
 public:
  explicit RandomRobot(unsigned seed) : random_(seed) {
    const int count = 2 + static_cast<int>(random_() % 8);
    for (int k = 0; k < count; ++k) add(k);
  }
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] int coordinates() const { return coordinates_; }
  double number(double size = 1) { return std::uniform_real_distribution<double>(-size, size)(random_); }

  [[nodiscard]] std::string urdf() const {
    std::ostringstream out;
    out.precision(17);
    const auto triple = [](const Vector3d& v) {
      std::ostringstream text;
      text.precision(17);
      text << v[0] << " " << v[1] << " " << v[2];
      return text.str();
    };
    out << "<?xml version=\"1.0\"?>\n<robot name=\"drawn\">\n<link name=\"root\"/>\n";
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const Part& p = parts_[k];
      out << "<link name=\"l" << k << "\">";
      if (p.mass > 0)
        out << "<inertial><origin xyz=\"" << triple(p.com) << "\" rpy=\"" << triple(p.inertial_turn)
            << "\"/><mass value=\"" << p.mass << "\"/><inertia ixx=\"" << p.inertia(0, 0) << "\" ixy=\""
            << p.inertia(0, 1) << "\" ixz=\"" << p.inertia(0, 2) << "\" iyy=\"" << p.inertia(1, 1) << "\" iyz=\""
            << p.inertia(1, 2) << "\" izz=\"" << p.inertia(2, 2) << "\"/></inertial>";
      out << "</link>\n<joint name=\"j" << k << "\" type=\""
          << (p.kind == Kind::fixed       ? "fixed"
              : p.kind == Kind::prismatic ? "prismatic"
              : k % 2 == 0                ? "revolute"
                                          : "continuous")
          << "\"><origin xyz=\"" << triple(p.at) << "\" rpy=\"" << triple(p.turn) << "\"/><parent link=\""
          << (p.parent < 0 ? "root" : "l" + std::to_string(p.parent)) << "\"/><child link=\"l" << k << "\"/>";
      if (p.kind != Kind::fixed) {
        out << "<axis xyz=\"" << triple(p.axis) << "\"/><limit lower=\"-2\" upper=\"3.5\" effort=\"" << p.effort
            << "\"/><dynamics damping=\"" << p.damping << "\" friction=\"" << p.friction << "\"/>";
        if (p.leader >= 0)
          out << "<mimic joint=\"j" << p.leader << "\" multiplier=\"" << p.factor << "\" offset=\"" << p.offset
              << "\"/>";
      }
      out << "</joint>\n";
    }
    out << "</robot>\n";
    return out.str();
  }

 private:
  Vector3d vector(double size = 1) { return {number(size), number(size), number(size)}; }
  void add(int k) {
    Part p;
    p.parent = k == 0 ? -1 : static_cast<int>(random_() % static_cast<unsigned>(k + 1)) - 1;
    p.kind = static_cast<Kind>(random_() % 3);
    if (k == 0) p.kind = Kind::revolute;
    p.at = random_() % 4 == 0 ? Vector3d::Zero() : vector();
    p.turn = random_() % 4 == 0 ? Vector3d::Zero() : vector(3);
    p.axis = random_() % 2 == 0 ? Vector3d::Unit(static_cast<int>(random_() % 3)) : vector();
    p.com = vector(0.3);
    p.inertial_turn = random_() % 2 == 0 ? Vector3d::Zero() : vector(3);
    if (p.kind != Kind::fixed || random_() % 2 == 0) {
      p.mass = 0.5 + std::fabs(number());
      const Vector3d moments = Vector3d::Constant(0.05) + 0.04 * vector().cwiseAbs();
      const Matrix3d axes = turned(vector(3));
      p.inertia = axes * moments.asDiagonal() * axes.transpose();
    }
    if (p.kind != Kind::fixed) {
      p.coordinate = coordinates_++;
      p.damping = random_() % 2 == 0 ? 0 : std::fabs(number());
      p.friction = random_() % 4 == 0 ? std::fabs(number()) : 0;
      p.effort = random_() % 2 == 0 ? 0 : 5;
      for (int leader = 0; leader < k && random_() % 3 == 0 && p.leader < 0; ++leader)
        if (parts_[static_cast<std::size_t>(leader)].coordinate >= 0 &&
            parts_[static_cast<std::size_t>(leader)].leader < 0)
          p.leader = leader, p.factor = number(), p.offset = number(0.5);
    }
    parts_.push_back(p);
  }

  std::mt19937 random_;
  std::vector<Part> parts_;
  int coordinates_ = 0;
};

// A state inside the limits in which followers follow; drives act on joints that have an effort and do not follow.
RobotMotion drawn_motion(RandomRobot& robot) {
  const int n = robot.coordinates();
  RobotMotion m{VectorXd::Zero(n), VectorXd::Zero(n), VectorXd::Zero(n), {}};
  for (const Part& p : robot.parts()) {
    if (p.coordinate < 0) continue;
    if (p.leader >= 0) {
      const int leader = robot.parts()[static_cast<std::size_t>(p.leader)].coordinate;
      m.q[p.coordinate] = p.factor * m.q[leader] + p.offset;
      m.rate[p.coordinate] = p.factor * m.rate[leader];
      continue;
    }
    m.q[p.coordinate] = robot.number(1.4);
    m.rate[p.coordinate] = robot.number(2);
    if (p.effort > 0) m.drive[p.coordinate] = robot.number(5);
  }
  return m;
}

std::string imported(const std::string& urdf, const std::vector<std::string>& more = {}) {
  std::vector<std::string> line{"import", "-", "--quiet"};
  line.insert(line.end(), more.begin(), more.end());
  const Ran ran = run_mbc(line, {.input = urdf});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  return ran.out;
}

std::size_t place_of(const std::vector<Quantity>& list, const std::string& name) {
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k].name == name) return k;
  return list.size();
}

std::string in_robot(const std::string& inside) { return "<robot name=\"r\">\n" + inside + "\n</robot>\n"; }
const std::string kLinks =
    "<link name=\"a\"/>\n<link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
    "izz=\"1\"/></inertial></link>\n";
std::string joined_by(const std::string& joint) { return in_robot(kLinks + joint); }

}  // namespace

TEST_CASE("imported robots move by the Newton-Euler equations") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    RandomRobot robot(seed);
    const std::string urdf = robot.urdf(), text = imported(urdf);
    CAPTURE(seed);
    CAPTURE(text);
    CompileOptions options;
    options.interpret = true;
    const Model model = Model::from_string(text, "robot.mbd", options);
    REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
    Simulation simulation = Simulation::create(model).value();
    if (seed <= 20) {  // The start satisfies what the text says, and the motion goes on from there.
      RunOptions brief;
      brief.span = {0.0, 0.01};
      const RunResult begun = simulation.run(brief);
      CHECK_MESSAGE(begun.status == Status::complete, begun.rendered);
      simulation.reset();
    }
    for (int trial = 0; trial < 3; ++trial) {
      const RobotMotion m = drawn_motion(robot);
      std::vector<double> y(simulation.state().begin(), simulation.state().end());
      const std::size_t n = model.coordinates().size();
      REQUIRE(n == static_cast<std::size_t>(robot.coordinates()));
      std::vector<std::size_t> places;
      for (std::size_t k = 0; k < robot.parts().size(); ++k) {
        const Part& p = robot.parts()[k];
        if (p.coordinate < 0) continue;
        const std::string name = "j" + std::to_string(k);
        const std::size_t at =
            place_of(model.coordinates(), name + (p.kind == Kind::prismatic ? ".displacement" : ".angle"));
        REQUIRE(at < n);
        places.push_back(at);
        y[at] = m.q[p.coordinate];
        y[n + at] = m.rate[p.coordinate];
        if (p.effort > 0 && p.leader < 0)
          REQUIRE(simulation.set_input(place_of(model.inputs(), name + "_drive"), m.drive[p.coordinate]).ok());
      }
      const VectorXd right = newton_euler(robot.parts(), robot.coordinates(), m).accelerations;
      std::vector<double> rates(y.size());
      REQUIRE(simulation.rhs(0, y, rates).ok());
      for (int k = 0; k < robot.coordinates(); ++k)
        CHECK(std::fabs(rates[n + places[static_cast<std::size_t>(k)]] - right[k]) <=
              1e-9 * (1 + right.cwiseAbs().maxCoeff()));
    }
  }
}

TEST_CASE("import: a text as a person would have written it") {
  const std::string urdf = in_robot(
      "<link name=\"world\"/>\n"
      "<link name=\"2 arm\"><inertial><origin xyz=\"0 0 0.1\"/><mass value=\"2\"/><inertia ixx=\"0.02\" iyy=\"0.02\" "
      "izz=\"0.001\"/></inertial>\n"
      "<visual><geometry><cylinder radius=\"0.05\" length=\"0.2\"/></geometry></visual></link>\n"
      "<link name=\"tool\"/>\n"
      "<joint name=\"body\" type=\"revolute\"><origin xyz=\"0 0 1\" rpy=\"1.5707963267948966 0 0\"/><parent "
      "link=\"world\"/>\n"
      "<child link=\"2 arm\"/><axis xyz=\"0 1 0\"/><limit lower=\"0.5\" upper=\"1\" effort=\"10\" "
      "velocity=\"3\"/><dynamics damping=\"0.1\"/></joint>\n"
      "<joint name=\"mount\" type=\"fixed\"><origin xyz=\"0 0 0.2\"/><parent link=\"2 arm\"/><child "
      "link=\"tool\"/></joint>");
  const Ran ran = run_mbc({"import", "-"}, {.input = urdf});
  CHECK(ran.out ==
        "mbd 1\n"
        "/// r, from <stdin>\n"
        "/// Its root is part of the ground.\n"
        "use joints, contact\n"
        "param g = 9.81 [m/s^2]\n"
        "gravity (0, 0, -g)\n"
        "\n"
        "/// `2 arm`\n"
        "body link_2_arm(mass = 2 [kg], inertia = diag(0.02, 0.02, 0.001) [kg*m^2], com = (0, 0, 0.1) [m]) at "
        "(0, 0, 1) [m] rotated rotx(pi/2)\n"
        "/// `body`\n"
        "Revolute body_joint(ground.at((0, 0, 1) [m], rotx(pi/2)), link_2_arm, axis = ey)\n"
        "shape link_2_arm_shape on link_2_arm: cylinder(0.05 [m], 0.2 [m])\n"
        "frame tool on link_2_arm at (0, 0, 0.2) [m]\n"
        "\n"
        "/// at most 10 N*m\n"
        "input body_joint_drive [N*m] = 0\n"
        "load body_joint_motor on body_joint.angle: body_joint_drive\n"
        "load body_joint_damping on body_joint.angle: -0.1 [N*m*s]*body_joint.rate\n"
        "Limits body_joint_limits(body_joint.angle, low = 0.5, high = 1)\n"
        "\n"
        "// not at zero: the middle of limits that do not hold it, and couplings\n"
        "init {\n"
        "  body_joint.angle = 0.75\n"
        "}\n"
        "\n"
        "simulate motion { bodies = tree; time = 0 [s] .. 1 [s] step 1 [ms] }\n");
  CHECK(has(ran.err, "<stdin>:7: not taken over: the limit of velocity\n"));
  CHECK(has(ran.err, "<stdin>:6: not taken over: the limit of effort, which the text only names\n"));
  const Folder folder;
  const std::string model = folder / "arm.mbd";
  const Ran names = run_mbc({"import", "-", "-o", model, "--names", "--quiet"}, {.input = urdf});
  CHECK(names.out == "2 arm  link_2_arm\nbody  body_joint\n");
  CHECK(names.err.empty());
  CHECK(run_mbc({"run", model, "-o", folder / "arm.csv", "--quiet", "--set", "motion.time.end = 0.1"}).code == 0);
  CHECK(run_mbc({"import", "-", "-o", model}, {.input = urdf}).code == 2);  // replaces no model unasked
  const nlohmann::json told = nlohmann::json::parse(run_mbc({"import", "-", "--json"}, {.input = urdf}).out);
  CHECK(told.at("text") == ran.out);
  CHECK(told.at("names").size() == 2);
  CHECK(told.at("not_taken_over").size() == 2);
}

TEST_CASE("import: free roots, tensors to repair, couplings, wide limits, joints without limits") {
  const std::string heavy = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>";
  const std::string two = "<link name=\"a\">" + heavy + "</link><link name=\"b\">" + heavy + "</link>";
  const auto with = [&](const std::string& joint, const std::vector<std::string>& more = {}) {
    return imported(in_robot(two + joint), more);
  };
  const std::string ends = "<parent link=\"a\"/><child link=\"b\"/>";
  CHECK(has(with("<joint name=\"j\" type=\"planar\">" + ends + "<axis xyz=\"0 0 1\"/></joint>"),
            "Planar j(ground, b, normal = ez)"));
  CHECK(!has(with("<joint name=\"j\" type=\"floating\">" + ends + "</joint>"), " j("));
  const std::string free = with("<joint name=\"j\" type=\"continuous\">" + ends + "</joint>", {"--base", "free"});
  CHECK(has(free, "body a("));
  CHECK(has(free, "Revolute j(a, b, axis = ex)"));
  CHECK(has(with("<joint name=\"j\" type=\"revolute\">" + ends + "<limit lower=\"0\" upper=\"4\"/></joint>"),
            "Limits j_limits(j.angle, low = 0, high = 4)"));
  CHECK(has(with("<joint name=\"j\" type=\"revolute\">" + ends + "<limit lower=\"-7\" upper=\"7\"/></joint>"),
            "Limits j_limits(j.angle, low = -7, high = 7)"));
  const std::string flat = in_robot(
      "<link name=\"w\"/><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"2\" "
      "izz=\"4\"/></inertial></link>"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"w\"/><child link=\"b\"/></joint>");
  const Ran refused = run_mbc({"import", "-"}, {.input = flat});
  CHECK(refused.code == 1);
  CHECK(has(refused.err, "no body has the inertia of link `b`, principal moments 1, 2 and 4 kg*m^2"));
  const Ran repaired = run_mbc({"import", "-", "--repair"}, {.input = flat});
  CHECK(has(repaired.out, "inertia = diag(1, 2, 3) [kg*m^2]"));
  CHECK(has(repaired.err, "<stdin>:2: repaired: the inertia of `b`"));
}

TEST_CASE("import: files that are refused, with the line") {
  struct Refused {
    std::string text, message;
  };
  const std::string ends = "<parent link=\"a\"/><child link=\"b\"/>";
  const auto joint = [&](const std::string& type, const std::string& inside) {
    return joined_by("<joint name=\"j\" type=\"" + type + "\">" + inside + "</joint>");
  };
  const Refused kFiles[] = {
      {"", "this is no XML"},
      {"hello", "this is no XML"},
      {"<robot name=\"r\">\n<link name=\"a\">\n</robot>", "<stdin>:3: this is no XML"},
      {"<gazebo/>", "<stdin>:1: a URDF begins with <robot>, this with <gazebo>"},
      {"<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<gazebo>&b;</gazebo>", "this with <gazebo>"},
      {in_robot("<xacro:macro/>"), "<stdin>:2: this is xacro"},
      {"<robot/>", "<stdin>:1: <robot> has no name"},
      {in_robot(""), "the robot has no link"},
      {in_robot("<link/>"), "<stdin>:2: <link> has no name"},
      {in_robot("<link name=\"a\"/>\n<link name=\"a\"/>"), "<stdin>:3: there are two links `a`"},
      {in_robot("<link name=\"a\"/>\n<link name=\"b\"/>"), "<stdin>:3: link `b` hangs on nothing, and `a` is the root"},
      {joint("hinge", ends), "<stdin>:4: `hinge` of joint `j` is no type of URDF"},
      {joint("revolute", ends), "<stdin>:4: joint `j` has no <limit>; a joint that turns freely is `continuous`"},
      {joint("revolute", ends + "<limit lower=\"2\" upper=\"1\"/>"),
       "the lower limit of joint `j` is above the upper one"},
      {joint("continuous", "<parent link=\"a\"/>"), "joint `j` has the child ``, which is no link"},
      {joint("continuous", "<parent link=\"c\"/><child link=\"b\"/>"),
       "joint `j` has the parent `c`, which is no link"},
      {joint("continuous", "<parent link=\"b\"/><child link=\"b\"/>"), "joint `j` is part of a cycle"},
      {joint("continuous", ends + "<axis xyz=\"0 0 0\"/>"), "the axis of joint `j` is zero"},
      {joint("continuous", ends + "<axis xyz=\"0 0\"/>"), "`xyz` of <axis> is `0 0`: 3 finite numbers are wanted"},
      {joint("continuous", ends + "<origin xyz=\"0 0 0 1\"/>"), "`xyz` of <origin> is `0 0 0 1`"},
      {joint("continuous", ends + "<origin rpy=\"0 0 nan\"/>"), "`rpy` of <origin> is `0 0 nan`"},
      {joint("continuous", ends + "<origin rpy=\"0 0 1e999\"/>"), "`rpy` of <origin> is `0 0 1e999`"},
      {joint("continuous", ends + "<dynamics damping=\"-1\"/>"), "damping and friction are not negative"},
      {joint("continuous", ends + "<mimic joint=\"k\"/>"), "joint `j` mimics `k`, which is no joint"},
      {joint("continuous", ends + "<mimic joint=\"j\"/>"), "joint `j` mimics itself, over others or not"},
      {joint("planar", ends + "<mimic joint=\"j\"/>"), "joint `j` has no single coordinate that could mimic another"},
      {joint("prismatic", ends + "<limit lower=\"x\" upper=\"1\"/>"),
       "`lower` of <limit> is `x`: a finite number is wanted"},
      {joined_by("<joint type=\"fixed\">" + ends + "</joint>"), "<stdin>:4: <joint> has no name"},
      {joined_by("<joint name=\"j\" type=\"fixed\">" + ends + "</joint>\n<joint name=\"j\" type=\"fixed\">" + ends +
                 "</joint>"),
       "<stdin>:5: there are two joints `j`"},
      {joined_by("<joint name=\"j\" type=\"fixed\">" + ends + "</joint>\n<joint name=\"k\" type=\"fixed\">" + ends +
                 "</joint>"),
       "<stdin>:5: joint `k`: link `b` has a parent already, by joint `j` in line 4"},
      {joined_by("<joint name=\"j\" type=\"fixed\">" + ends +
                 "</joint><joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>"),
       "the joints are a cycle"},
      {in_robot("<link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"continuous\">" + ends + "</joint>"),
       "link `b` has no mass and moves by joint `j`"},
      {in_robot("<link name=\"a\"><inertial><mass value=\"-1\"/></inertial></link>"), "the mass of `a` is negative"},
      {in_robot("<link name=\"a\"><inertial><mass value=\"1e400\"/></inertial></link>"),
       "`value` of <mass> is `1e400`"},
      {in_robot("<link name=\"a\"><inertial><inertia ixx=\"1\"/></inertial></link>"),
       "`a` has a tensor of inertia and no mass"},
      {in_robot("<link name=\"a\">\n<inertial><mass value=\"1\"/></inertial>\n<inertial><mass "
                "value=\"2\"/></inertial>\n</link>"),
       "<stdin>:4: <link> has two <inertial>"},
      {in_robot("<link name=\"a\"><inertial><mass value=\"1\"/>\n<mass value=\"2\"/></inertial></link>"),
       "<stdin>:3: <inertial> has two <mass>"},
      {in_robot("<link name=\"a\" name=\"b\"/>"), "<link> has `name` twice"},
      {in_robot("<link name=\"a\"><visual><geometry><box size=\"1 1 0\"/></geometry></visual></link>"),
       "a size of the shape is not positive"},
      {in_robot("<link name=\"a\"><visual><geometry><sphere/></geometry></visual></link>"),
       "a size of the shape is not positive"},
  };
  for (const Refused& file : kFiles) {
    const Ran ran = run_mbc({"import", "-"}, {.input = file.text});
    CAPTURE(file.text);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK_MESSAGE(has(ran.err, file.message), ran.err);
  }
  std::string deep = "<robot name=\"r\">", ends_of_deep;
  for (int k = 0; k < 100'000; ++k) deep += "<link name=\"x\">", ends_of_deep += "</link>";
  CHECK(has(run_mbc({"import", "-"}, {.input = deep + ends_of_deep + "</robot>"}).err, "nested too deeply"));
  CHECK(run_mbc({"import", "gone.urdf"}).code == 1);
  CHECK(has(run_mbc({"compare", "gone.urdf"}).err, "`mbc import gone.urdf -o robot.mbd` makes a model of it"));
  CHECK(run_mbc({"import", "-", "--base", "loose"}).code == 2);
  CHECK(run_mbc({"import", "-", "--names"}).code == 2);
  CHECK(run_mbc({"import"}).code == 2);
}

// Nothing crashes, and every answer is a text or a message.
TEST_CASE("import: names of any characters, and bytes changed at random") {
  const std::string nasty = in_robot(
      "<link name=\"a&quot;;rm -rf /&#10;\"/><link name=\"-\"/><joint name=\"t\" type=\"fixed\"><parent "
      "link=\"a&quot;;rm -rf /&#10;\"/><child link=\"-\"/></joint>");
  const std::string text = imported(nasty);
  CHECK(has(text, "frame link on ground"));
  CHECK(!has(text, "\nrm"));
  const RandomRobot robot(5);
  const std::string whole = robot.urdf();
  std::mt19937 random(7);
  for (int trial = 0; trial < 100; ++trial) {
    std::string changed = whole;
    for (int k = 0; k < 4; ++k) changed[random() % changed.size()] = static_cast<char>(random() % 256);
    const Ran ran = run_mbc({"import", "-", "--quiet"}, {.input = changed});
    CHECK(ran.signal == 0);
    CHECK((ran.code == 0) == ran.err.empty());
  }
}

TEST_CASE("robot files are run, checked and asked as their imported texts") {
  const Folder folder;
  const std::string file = folder / "arm.urdf", model = folder / "arm.mbd";
  const RandomRobot robot(4);
  write_file(file, robot.urdf());
  REQUIRE(run_mbc({"import", file, "-o", model, "--quiet"}).code == 0);
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"run", "", "--quiet"},
                                               {"info", ""},
                                               {"doctor", ""},
                                               {"equations", "", "--of", "M"},
                                               {"linearize", "", "--json"},
                                               {"compile", "", "--emit=system"}}) {
    std::vector<std::string> given = verb, imported = verb;
    given[1] = file, imported[1] = model;
    const Ran direct = run_mbc(given), by_text = run_mbc(imported);
    CAPTURE(verb[0]);
    CAPTURE(direct.err);
    CHECK(direct.code == by_text.code);
    CHECK(!direct.out.empty());
    std::string out = direct.out;
    if (const std::size_t title = out.find("arm.urdf as a model"); title == 0) out.replace(0, 19, "arm.mbd");
    for (std::size_t at = 0; (at = out.find(file, at)) != std::string::npos;) out.replace(at, file.size(), model);
    CHECK(out == by_text.out);
  }
  CHECK(has(run_mbc({"check", file}).out, "arm.urdf: ok ("));
  CHECK(has(run_mbc({"run", file, "--set", "none=1"}).err, "none"));
  // What is not taken over is told, whatever goes to stdout.
  std::string text = robot.urdf();
  write_file(file, text.insert(text.find("<link"), "<gazebo/>\n"));
  const Ran json = run_mbc({"info", file, "--json"});
  CHECK(has(json.err, "arm.urdf:3: not taken over: <gazebo>\n"));
  const Ran lines = run_mbc({"run", file, "--quiet", "--diagnostics", "json"});
  const nlohmann::json said = nlohmann::json::parse(lines.err.substr(0, lines.err.find('\n')));
  CHECK(said["kind"] == "not_taken_over");
  CHECK(said["message"] == "<gazebo>");
  CHECK(said["line"] == 3);
  CHECK(has(run_mbc({"sweep", file, "--vary", "g = (1, 2)"}).err, "is a robot file, not a model"));
  CHECK(has(run_mbc({"run", file, "-o", folder / "a.csv", "--checkpoint", folder / "a.check"}).err,
            "--checkpoint needs a model: `mbc import` makes one of the robot file"));
  CHECK(run_mbc({"run", file, "-o", file}).code == 2);
  write_file(file, "<robot name=\"a\"><link name=\"b\"/>\n<joint name=\"j\" type=\"fixed\"/></robot>");
  const Ran broken = run_mbc({"run", file});
  CHECK(broken.code == 1);
  CHECK(has(broken.err, "arm.urdf:2: "));
}

}  // namespace mbc::test
