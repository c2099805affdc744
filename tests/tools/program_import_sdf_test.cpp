// SPDX-License-Identifier: Apache-2.0
// Tests `mbc import` of SDF: accelerations of random robots against the Newton-Euler equations, each element against a
// closed form, the text, names.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "tests/support/scratch.h"
#include "tests/tools/drawn_robot.h"
#include "tests/tools/sdf_texts.h"

namespace mbc::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

// ---- random robots

struct Place {
  std::string name;
  Vector3d at = Vector3d::Zero();
  Matrix3d axes = Matrix3d::Identity();
};

// Links with joints of all kinds. Each pose is written as seen from any frame that the version allows; the parts hold
// what this file computes from the places in space.
class RandomSdf : public DrawnRobot {
 public:
  RandomSdf(unsigned seed, int minor) : DrawnRobot(seed), minor_(minor) {
    model_ = drawn("__model__");
    text_ = "<sdf version=\"1." + std::to_string(minor) + "\"><world name=\"w\">" +
            (minor == 5 ? "<physics><gravity>0 0 -9.81</gravity></physics>" : "<gravity>0 0 -9.81</gravity>") +
            "<model name=\"m\">" + pose(model_, {"", Vector3d::Zero(), Matrix3d::Identity()}) + "\n";
    frames_.push_back(model_);
    const bool free = random_() % 3 == 0;
    const int count = 2 + static_cast<int>(random_() % 4);
    for (int k = 0; k < count; ++k) {
      if (minor_ >= 7 && random_() % 2 == 0) frame(k);
      link(k, free);
    }
    text_ += joints_ + "</model></world></sdf>\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Place drawn(const std::string& name) { return {name, vector(), turned(vector(3))}; }

  // The <pose> of a place, as seen from another one or from any frame.
  std::string pose(const Place& p, const Place& usual) {
    Place from = usual;
    std::string attributes;
    if (minor_ >= 7 && !usual.name.empty() && random_() % 2 == 0) {
      from = frames_[random_() % frames_.size()];
      attributes = " relative_to=\"" + from.name + "\"";
    }
    const Vector3d at = from.axes.transpose() * (p.at - from.at);
    const Matrix3d axes = from.axes.transpose() * p.axes;
    std::string turn = three(angles_of(axes));
    if (minor_ == 9 && random_() % 3 == 0) {
      attributes += " degrees=\"true\"";
      turn = three(angles_of(axes) * (180 / std::numbers::pi));
    } else if (minor_ == 9 && random_() % 2 == 0) {
      const Quaterniond q(axes);
      attributes += " rotation_format=\"quat_xyzw\"";
      turn = three(q.vec()) + " " + shown(q.w());
    }
    return "<pose" + attributes + ">" + three(at) + "  " + turn + "</pose>";
  }

  void frame(int k) {
    const Place on = frames_[random_() % frames_.size()];
    Place p = drawn("f" + std::to_string(k));
    text_ += "<frame name=\"" + p.name + "\" attached_to=\"" + on.name + "\">" + pose(p, on) + "</frame>\n";
    frames_.push_back(p);
  }

  void link(int k, bool free) {
    const Place p = drawn("l" + std::to_string(k));
    text_ += "<link name=\"" + p.name + "\">" + pose(p, model_);
    frames_.push_back(p);
    places_.push_back(p);
    if (k == 0 && free) {
      add({}, -1);
      free_joint(p.name);
    } else {
      joint(k, free);
    }
    tops_.push_back(top());
    inertia(parts.back());
    text_ += "</link>\n";
  }

  void inertia(Part& p) {
    p.com = vector(0.3);
    p.inertial_turn = vector(3);
    p.mass = 0.5 + std::fabs(number());
    const Matrix3d axes = turned(vector(3));
    p.inertia = axes * (Vector3d::Constant(0.05) + 0.04 * vector().cwiseAbs()).asDiagonal() * axes.transpose();
    const auto entry = [&](const char* name, int i, int j) {
      return std::string("<") + name + ">" + shown(p.inertia(i, j)) + "</" + name + ">";
    };
    text_ += "<inertial><pose>" + three(p.com) + " " + three(p.inertial_turn) + "</pose><mass>" + shown(p.mass) +
             "</mass><inertia>" + entry("ixx", 0, 0) + entry("ixy", 0, 1) + entry("ixz", 0, 2) + entry("iyy", 1, 1) +
             entry("iyz", 1, 2) + entry("izz", 2, 2) + "</inertia></inertial>";
  }

  // The joint is anywhere; the child turns about it, and is drawn where its pose says.
  void joint(int k, bool free) {
    static constexpr const char* kTypes[] = {"revolute",  "continuous", "prismatic", "ball",
                                             "universal", "revolute2",  "fixed"};
    const std::string name = "j" + std::to_string(k), type = kTypes[random_() % 7];
    const Place child = places_.back(), at = drawn(name);
    const int parent =
        k == 0 || (!free && random_() % 4 == 0) ? -1 : static_cast<int>(random_() % static_cast<unsigned>(k));
    const Place on = parent < 0 ? Place{} : places_[static_cast<std::size_t>(parent)];
    joints_ += "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" + (parent < 0 ? "world" : on.name) +
               "</parent><child>" + child.name + "</child>" + pose(at, child);
    Part seat, back;
    seat.at = on.axes.transpose() * (at.at - on.at);
    seat.turn = angles_of(on.axes.transpose() * child.axes);
    back.at = child.axes.transpose() * (child.at - at.at);
    add(seat, parent < 0 ? -1 : tops_[static_cast<std::size_t>(parent)]);
    if (type == "ball") {
      Part ball;
      ball.kind = PartKind::ball;
      ball.coordinate = speeds;
      speeds += 3;
      add(ball, top());
    } else if (type != "fixed") {
      axis("axis", name, type, at, child);
      if (type == "universal" || type == "revolute2") axis("axis2", name + "_axis2", type, at, child);
    }
    add(back, top());
    if (type == "ball") turning.push_back({child.name, top(), false});
    joints_ += "</joint>\n";
  }

  void axis(const char* tag, const std::string& name, const std::string& type, const Place& at, const Place& child) {
    Part j;
    j.kind = type == "prismatic" ? PartKind::prismatic : PartKind::revolute;
    const Vector3d axis = vector();
    Matrix3d from = at.axes;
    std::string attribute, element;
    if (minor_ >= 7 && random_() % 2 == 0) {
      const Place& in = frames_[random_() % frames_.size()];
      attribute = " expressed_in=\"" + in.name + "\"";
      from = in.axes;
    } else if (minor_ < 7 && random_() % 2 == 0) {
      element = "<use_parent_model_frame>true</use_parent_model_frame>";
      from = model_.axes;
    }
    j.axis = child.axes.transpose() * from * axis;
    j.damping = random_() % 2 == 0 ? 0 : std::fabs(number());
    j.friction = random_() % 4 == 0 ? std::fabs(number()) : 0;
    j.stiffness = random_() % 2 == 0 ? 0 : std::fabs(number(3));
    j.spring_at = number();
    j.effort = random_() % 2 == 0 ? 0 : 5;
    j.coordinate = speeds;
    joints_ += std::string("<") + tag + "><xyz" + attribute + ">" + three(axis) + "</xyz>" + element +
               "<dynamics><damping>" + shown(j.damping) + "</damping><friction>" + shown(j.friction) +
               "</friction><spring_stiffness>" + shown(j.stiffness) + "</spring_stiffness><spring_reference>" +
               shown(j.spring_at) + "</spring_reference></dynamics><limit><lower>-1e16</lower><upper>1e16</upper>" +
               (j.effort > 0 ? "<effort>5</effort>" : "") + "</limit></" + tag + ">";
    coordinates.push_back(
        {name + (type == "prismatic" ? ".displacement" : ".angle"), speeds++, j.effort > 0 ? name + "_drive" : ""});
    add(j, top());
  }

  int minor_;
  Place model_;
  std::vector<Place> frames_, places_;  // what poses can be relative to; links
  std::vector<int> tops_;               // parts of the links
  std::string text_, joints_;
};

}  // namespace

TEST_CASE("SDF: imported robots move by the Newton-Euler equations") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    RandomSdf robot(seed, 5 + static_cast<int>(seed % 5));
    const std::string text = imported_robot(robot.text());
    CAPTURE(seed);
    CAPTURE(robot.text());
    CAPTURE(text);
    check_motion(robot, model_of(text), 3);
  }
}

// ---- the text

namespace {

// Accelerations of coordinates where the motion begins, with the first input.
class Begun {
 public:
  explicit Begun(const std::string& file, double input = 0, const std::vector<std::string>& more = {})
      : text(imported_robot(file, more)), model(model_of(text)), simulation(Simulation::create(model).value()) {
    if (!model.inputs().empty()) REQUIRE(simulation.set_input(0, input).ok());
    y.assign(simulation.state().begin(), simulation.state().end());
  }
  double acceleration(const std::string& coordinate) {
    std::vector<double> rates(y.size());
    REQUIRE(simulation.rhs(0, y, rates).ok());
    return rates[model.coordinates().size() + place_of(model.speeds(), coordinate + "'")];
  }
  std::string text;
  Model model;
  Simulation simulation;
  std::vector<double> y;
};

Vector3d position_in(const std::string& text, const std::string& what) {
  const std::size_t end = text.find("\nsimulate");
  const Model model = model_of(text.substr(0, end) + "\noutput looked_at = " + what + text.substr(end));
  Simulation simulation = Simulation::create(model).value();
  Vector3d out;
  for (int k = 0; k < 3; ++k) out[k] = simulation.output("looked_at." + std::string(1, "xyz"[k])).value();
  return out;
}

}  // namespace

TEST_CASE("SDF: a text as a person would have written it") {
  const std::string file = in_model(
      "<frame name=\"tool\" attached_to=\"upper\"><pose degrees=\"true\">0 0 0.4 90 0 0</pose></frame>\n"
      "<link name=\"lower\"><pose>0 0 0.5 0 0 0</pose><inertial><pose>0 0 0.1 0 0 0</pose><mass>2</mass>\n"
      "<inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.001</izz></inertia></inertial>\n"
      "<visual name=\"v\"><geometry><cylinder><radius>0.05</radius><length>0.2</length></cylinder></geometry>\n"
      "<material/></visual><collision name=\"c\"><geometry><box><size>1 1 1</size></box></geometry></collision>\n"
      "<sensor name=\"s\" type=\"imu\"/></link>\n"
      "<link name=\"upper\"><pose relative_to=\"elbow\"/>" +
      inertial(1, 0.02) +
      "</link>\n"
      "<joint name=\"base\" type=\"revolute\"><parent>world</parent><child>lower</child>\n"
      "<axis><xyz>0 1 "
      "0</xyz><limit><lower>0.5</lower><upper>1</upper><effort>10</effort><velocity>3</velocity></limit>\n"
      "<dynamics><damping>0.1</damping></dynamics></axis></joint>\n"
      "<joint name=\"elbow\" type=\"universal\"><pose relative_to=\"lower\">0 0 0.4 0 0 0</pose>\n"
      "<parent>lower</parent><child>upper</child>\n"
      "<axis><xyz>1 0 0</xyz><limit><lower>-1e16</lower><upper>2</upper></limit></axis><axis2><xyz>0 1 "
      "0</xyz></axis2>\n"
      "</joint><plugin name=\"p\" filename=\"f\"/>");
  const Ran ran = run_mbc({"import", "-"}, {.input = file});
  CHECK(ran.out ==
        "mbd 1\n"
        "/// m, from <stdin>\n"
        "use joints, contact\n"
        "param g = 9.8 [m/s^2]\n"
        "gravity (0, 0, -g)\n"
        "\n"
        "body lower(mass = 2 [kg], inertia = diag(0.02, 0.02, 0.001) [kg*m^2], com = (0, 0, 0.1) [m]) at (0, 0, 0.5) "
        "[m]\n"
        "Revolute base(ground.at((0, 0, 0.5) [m]), lower, axis = ey)\n"
        "shape lower_shape on lower: cylinder(0.05 [m], 0.2 [m])\n"
        "body elbow_carrier(mass = 0 [kg], inertia = diag(0, 0, 0) [kg*m^2]) on lower at (0, 0, 0.4) [m]\n"
        "Revolute elbow(lower.at((0, 0, 0.4) [m]), elbow_carrier, axis = ex)\n"
        "body upper(mass = 1 [kg], inertia = diag(0.02, 0.02, 0.02) [kg*m^2]) on elbow_carrier at (0, 0, 0) [m]\n"
        "Revolute elbow_axis2(elbow_carrier, upper, axis = ey)\n"
        "frame tool on upper at (0, 0, 0.4) [m] rotated rotx(pi/2)\n"
        "\n"
        "/// at most 10 N*m\n"
        "input base_drive [N*m] = 0\n"
        "load base_motor on base.angle: base_drive\n"
        "load base_damping on base.angle: -0.1 [N*m*s]*base.rate\n"
        "Limits base_limits(base.angle, low = 0.5, high = 1)\n"
        "constraint elbow_limit: elbow.angle <= 2\n"
        "\n"
        "// not at zero: the middle of limits that do not hold it, and couplings\n"
        "init {\n"
        "  base.angle = 0.75\n"
        "  elbow.angle = 0\n"
        "  elbow_axis2.angle = 0\n"
        "}\n"
        "\n"
        "simulate motion { bodies = tree; time = 0 [s] .. 1 [s] step 1 [ms] }\n");
  CHECK(ran.err ==
        "mbc: <stdin>:16: not taken over: <plugin> in <model>\n"
        "mbc: <stdin>:8: not taken over: <sensor> in <link>\n"
        "mbc: <stdin>:6: not taken over: colours and other looks of <visual>\n"
        "mbc: <stdin>:7: not taken over: <collision>: contacts are chosen by hand, with `shape` and `Contact`\n"
        "mbc: <stdin>:11: not taken over: the limit of velocity\n"
        "mbc: <stdin>:10: not taken over: the limit of effort, which the text only names\n");
  const Folder folder;
  const std::string model = folder / "arm.mbd";
  CHECK(run_mbc({"import", "-", "-o", model, "--quiet"}, {.input = file}).code == 0);
  const Ran run = run_mbc({"run", model, "-o", folder / "arm.csv", "--quiet", "--set", "motion.time.end = 0.1"});
  CHECK_MESSAGE(run.code == 0, run.err);
}

TEST_CASE("SDF: worlds, static models, what a link is without <inertial>, gravity, shapes of collisions") {
  const std::string ground =
      "<model name=\"floor\"><static>true</static><link name=\"link\"><visual name=\"v\"><geometry><plane><normal>0 1 "
      "0</normal></plane></geometry></visual></link></model>\n";
  const std::string arm =
      "<model name=\"arm\"><pose>0 0 2 0 0 0</pose><link name=\"link\"><gravity>false</gravity>"
      "<collision name=\"c\"><geometry><capsule><radius>0.1</radius><length>0.3</length></capsule></geometry>"
      "</collision></link></model>\n";
  const auto world = [](const std::string& inside) { return in_sdf("<world name=\"w\">\n" + inside + "</world>"); };
  const Ran one = run_mbc({"import", "-"}, {.input = world("<gravity>1 2 3</gravity><physics><max_step_size>0.004"
                                                           "</max_step_size></physics>\n" +
                                                           ground + arm)});
  CHECK_MESSAGE(one.code == 0, one.err);
  for (const char* line : {"gravity (1, 2, 3) [m/s^2]\n", "frame floor__link on ground at (0, 0, 0) [m]\n",
                           "shape floor__link_shape on floor__link rotated rotx(-pi/2): plane(ez)\n",
                           "body link(mass = 1 [kg], inertia = diag(1, 1, 1) [kg*m^2]) at (0, 0, 2) [m]\n",
                           "shape link_shape on link: capsule(0.1 [m], 0.3 [m])\n",
                           "force link_gravcomp on link: -1*link.mass*(1, 2, 3) [m/s^2]\n", "step 4 [ms] }\n"})
    CHECK_MESSAGE(has(one.out, line), one.out << line);
  CHECK(has(one.err, "<stdin>:5: assumed: a mass of 1 kg and moments of 1 kg*m^2 for links without <inertial>\n"));
  const std::string two = imported_robot(world(ground + arm + "<model name=\"other\"><link name=\"link\"/></model>"));
  for (const char* line : {"/// `arm::link`\nbody arm__link(", "/// `other::link`\nbody other__link("})
    CHECK_MESSAGE(has(two, line), two);
  CHECK(position_in(two, "arm__link.pos").isApprox(Vector3d(0, 0, 2), 1e-15));
}

// ---- joints

TEST_CASE("SDF: the thread of a screw by both elements") {
  // (J + m k^2) angle'' = torque - m g k, where the nut rises by k for each radian of a right-handed thread.
  const auto acceleration = [](const std::string& pitch) {
    Begun b(in_model(link("nut") +
                     joint("s", "screw", "world", "nut", axis("0 0 1", "<limit><effort>9</effort></limit>") + pitch)),
            1.5);
    const double a = b.acceleration("s.angle");
    CHECK(b.acceleration("s.displacement") / a != 0);
    return std::pair{a, b.acceleration("s.displacement") / a};
  };
  for (const auto& [pitch, k] :
       {std::pair{"<thread_pitch>4</thread_pitch>", -0.25}, std::pair{"<thread_pitch>-4</thread_pitch>", 0.25},
        std::pair{"", -1.0}, std::pair{"<screw_thread_pitch>0.5</screw_thread_pitch>", 0.25 / std::numbers::pi}}) {
    const auto [a, ratio] = acceleration(pitch);
    CHECK(a == doctest::Approx((1.5 - 2 * 9.8 * k) / (0.5 + 2 * k * k)).epsilon(1e-12));
    CHECK(ratio == doctest::Approx(k).epsilon(1e-12));
  }
  CHECK(acceleration("<thread_pitch>4</thread_pitch><screw_thread_pitch>-1.5707963267948966</screw_thread_pitch>")
            .second == doctest::Approx(-0.25).epsilon(1e-12));
  // Where the limits do not hold zero the nut begins on its thread.
  const std::string moved =
      imported_robot(in_model(link("nut") + joint("s", "screw", "world", "nut",
                                                  axis("0 0 1", "<limit><lower>1</lower><upper>3</upper></limit>") +
                                                      "<thread_pitch>4</thread_pitch>")));
  CHECK(has(moved, "  s.angle = 2\n  s.displacement = -0.5 [m]\n"));
  CHECK(position_in(moved, "nut.pos").isApprox(Vector3d(0, 0, -0.5), 1e-14));
}

TEST_CASE("SDF: a gearbox couples two joints of its reference body") {
  // theta_2 = -3 theta_1; the drive turns the first wheel.
  const auto file = [](const std::string& first, const std::string& second_axis) {
    return in_model(
        link("frame") + link("a") + link("b", "", 1, 0.2) + joint("hold", "fixed", "world", "frame") + first +
        joint("jb", "revolute", "frame", "b", axis(second_axis)) +
        joint("gear", "gearbox", "a", "b",
              axis("0 0 1") + axis("0 0 2", "", "axis2") +
                  "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>frame</gearbox_reference_body>"));
  };
  const std::string drive = "<limit><effort>9</effort></limit>";
  Begun b(file(joint("ja", "revolute", "frame", "a", axis("0 0 1", drive)), "0 0 1"), 1.5);
  CHECK(has(b.text, "constraint gear: jb.angle == -3*ja.angle\n"));
  const double expected = 1.5 / (0.5 + 9 * 0.2);
  CHECK(b.acceleration("ja.angle") == doctest::Approx(expected).epsilon(1e-12));
  CHECK(b.acceleration("jb.angle") == doctest::Approx(-3 * expected).epsilon(1e-12));
  // The same with the axis of one joint turned over, and with one that is written from the wheel to the frame.
  CHECK(has(imported_robot(file(joint("ja", "revolute", "frame", "a", axis("0 0 1", drive)), "0 0 -1")),
            "constraint gear: jb.angle == 3*ja.angle\n"));
  CHECK(has(imported_robot(file(joint("ja", "revolute", "a", "frame", axis("0 0 1", drive)), "0 0 1")),
            "constraint gear: jb.angle == 3*ja.angle\n"));
}

TEST_CASE("SDF: <mimic> of a joint and of a second axis") {
  const std::string drive = "<limit><effort>9</effort></limit>",
                    mimic = "<multiplier>2</multiplier><offset>0.5</offset><reference>0.125</reference></mimic>";
  Begun b(
      in_model(link("a") + link("b", "", 1, 0.2) +
               joint("ja", "revolute2", "world", "a", axis("0 0 1") + axis("0 0 1", drive, "axis2")) +
               joint("jb", "revolute", "world", "b", axis("0 0 1", "<mimic joint=\"ja\" axis=\"axis2\">" + mimic))));
  CHECK(has(b.text, "constraint jb_mimic: jb.angle == 2*ja_axis2.angle + 0.25\n"));
  CHECK(has(b.text, "jb.angle = 0.25"));
}

TEST_CASE("SDF: springs, starts, one-sided limits") {
  Begun b(
      in_model(link("a") + joint("j", "prismatic", "world", "a",
                                 axis("1 0 0",
                                      "<initial_position>0.2</initial_position><dynamics><spring_stiffness>8"
                                      "</spring_stiffness><spring_reference>0.5</spring_reference></dynamics>"
                                      "<limit><lower>-inf</lower><upper>1</upper><stiffness>1</stiffness></limit>")),
               "1.8"));
  CHECK(has(b.text, "constraint j_limit: j.displacement <= 1 [m]\n"));
  CHECK(has(b.text, "potential j_spring: 4 [N/m]*(j.displacement - 0.5 [m])^2\n"));
  CHECK(b.acceleration("j.displacement") == doctest::Approx(8 * (0.5 - 0.2) / 2).epsilon(1e-13));
  const auto start = [](const std::string& limit) {
    return imported_robot(
        in_model(link("a") + joint("j", "revolute", "world", "a", axis("1 0 0", "<limit>" + limit + "</limit>"))));
  };
  CHECK(has(start("<lower>0.25</lower>"), "j.angle = 0.25\n"));
  CHECK(has(start("<upper>-0.25</upper>"), "j.angle = -0.25\n"));
  CHECK(!has(start("<lower>-0.25</lower>"), "init"));
}

TEST_CASE("SDF: a joint whose parent hangs on its child, as a pendulum") {
  // The bob is the parent of the joint: the joint is written as in the file, and the bob swings.
  const double mass = 2, moment = 0.5, arm = 0.3;
  Begun b(in_model(link("top") + link("bob", "<pose>0.3 0 0 0 0 0</pose>", mass, moment) +
                   joint("hold", "fixed", "world", "top") + joint("pin", "revolute", "bob", "top", axis("0 1 0"))));
  CHECK(has(b.text, "Revolute pin(bob.at((-0.3, 0, 0) [m]), top, axis = ey)\n"));
  // Against the bob the top turns back: the bob falls about +y, its joint angle goes the other way.
  CHECK(b.acceleration("pin.angle") == doctest::Approx(-mass * 9.8 * arm / (moment + mass * arm * arm)).epsilon(1e-12));
  CHECK(b.model.speeds().size() == 1);
}

TEST_CASE("SDF: a joint attaches frames and nested models") {
  const std::string file = in_model(
      "<model name=\"inner\" placement_frame=\"grip\"><pose relative_to=\"hand\">0 0 1 0 0 0</pose>" + link("base") +
      "<frame name=\"grip\" attached_to=\"base\"><pose>0 0.25 0 0 0 0</pose></frame></model>\n" +
      link("arm", "<pose>1 0 0 0 0 0</pose>") +
      "<frame name=\"hand\" attached_to=\"arm\"><pose>0 0 0.5 0 0 0</pose></frame>\n" +
      joint("hold", "fixed", "hand", "inner::grip") + joint("shoulder", "revolute", "world", "arm", axis("0 1 0")));
  const std::string text = imported_robot(file);
  CHECK(position_in(text, "inner__base.pos").isApprox(Vector3d(1, -0.25, 1.5), 1e-14));
  CHECK(position_in(text, "inner__grip.pos").isApprox(Vector3d(1, 0, 1.5), 1e-14));
  CHECK(has(text, "/// `inner::base`\nbody inner__base("));
  CHECK(has(text, "Fixed hold(arm.at((0, -0.25, 1.5) [m]), inner__base)\n"));
  CHECK(model_of(text).speeds().size() == 1);
}

// ---- files

TEST_CASE("SDF: included models lie in the folder of the file or in those that are given") {
  const Folder folder;
  const auto make = [&](const std::string& path, const std::string& text) {
    const std::string whole = folder / path;
    std::filesystem::create_directories(whole.substr(0, whole.rfind('/')));
    std::ofstream(whole) << text;
  };
  make("models/wheel/model.config",
       "<model><sdf version=\"1.5\">old.sdf</sdf><sdf version=\"1.7\">wheel.sdf</sdf><sdf "
       "version=\"1.11\">new.sdf</sdf></model>");
  make("models/wheel/wheel.sdf",
       in_sdf("<model name=\"wheel\"><pose>9 9 9 0 0 0</pose>" + link("rim") + "</model>", "1.7"));
  make("models/plain/model.sdf", in_sdf("<model name=\"plain\"><include><uri>model://wheel</uri></include>" +
                                        link("rim") + "<frame name=\"f\"><pose>0 0 1 0 0 0</pose></frame></model>"));
  make("models/self/model.sdf", in_model(link("a") + "<include><uri>model://self</uri></include>"));
  make("models/two/model.sdf", in_sdf("<model name=\"a\"/><model name=\"b\"/>"));
  make("world/beside.sdf", in_sdf("<model name=\"beside\">" + link("post") + "</model>"));
  make("outside.sdf", in_sdf("<model name=\"outside\">" + link("post") + "</model>"));
  const auto with = [&](const std::string& inside, bool given = true) {
    make("world/main.sdf", in_sdf("<world name=\"w\">\n" + inside + "</world>"));
    std::vector<std::string> line{"import", folder / "world/main.sdf", "--quiet"};
    if (given) line.insert(line.end(), {"--models", folder / "models"});
    return run_mbc(line);
  };
  const auto include = [](const std::string& uri, const std::string& more = "") {
    return "<include><uri>" + uri + "</uri>" + more + "</include>\n";
  };
  const Ran wheels =
      with(include("model://wheel", "<name>left</name><pose>1 0 0 0 0 0</pose>") + include("model://wheel"));
  CHECK_MESSAGE(wheels.code == 0, wheels.err);
  CHECK(position_in(wheels.out, "left__rim.pos").isApprox(Vector3d(1, 0, 0), 1e-15));
  CHECK(position_in(wheels.out, "wheel__rim.pos").isApprox(Vector3d(9, 9, 9), 1e-15));
  const Ran plain = with(include("model://plain", "<placement_frame>f</placement_frame><pose>0 0 3 0 0 0</pose>"));
  CHECK_MESSAGE(plain.code == 0, plain.err);
  CHECK(position_in(plain.out, "rim.pos").isApprox(Vector3d(0, 0, 2), 1e-15));
  CHECK(position_in(plain.out, "wheel__rim.pos").isApprox(Vector3d(9, 9, 11), 1e-15));
  CHECK(with(include("beside.sdf"), false).code == 0);
  CHECK(with(include("file://beside.sdf"), false).code == 0);
  CHECK(has(with(include("beside.sdf", "<static>true</static>")).out, "frame post on ground"));
  const Ran merged = with("<model name=\"car\">" + link("body") +
                          "<include merge=\"true\"><uri>model://wheel</uri>"
                          "<pose>0 0 4 0 0 0</pose></include>" +
                          joint("axle", "fixed", "body", "rim") + "</model>");
  CHECK_MESSAGE(merged.code == 0, merged.err);
  CHECK(position_in(merged.out, "rim.pos").isApprox(Vector3d(0, 0, 4), 1e-15));
  for (const auto& refused :
       {std::pair{"model://gone", "main.sdf:3: `model://gone` is not in `" + folder / "models" + "`, `"},
        std::pair{"../outside.sdf", std::string("main.sdf:3: `../outside.sdf` is not in `")},
        std::pair{"file:///etc/passwd", std::string("main.sdf:3: `file:///etc/passwd` is not in `")},
        std::pair{"model://../outside.sdf", std::string("is not in `")},
        std::pair{"https://fuel.org/x",
                  std::string("main.sdf:3: `https://fuel.org/x` is not a file: nothing is fetched")},
        std::pair{"model://self", std::string("`model://self` includes itself")},
        std::pair{"model://two", std::string("main.sdf:3: <include> names a file with several models")},
        std::pair{"", std::string("main.sdf:3: <include> has no <uri>")}}) {
    const Ran ran = with(include(refused.first));
    CHECK(ran.code == 1);
    CHECK_MESSAGE(has(ran.err, refused.second), ran.err << refused.second);
  }
  CHECK(has(run_mbc({"import", "-"}, {.input = in_sdf("<world name=\"w\">" + include("model://a") + "</world>")}).err,
            "standard input has no folder, give one by `--models`"));
  make("models/doubles/model.sdf", in_model(link("a") + include("model://wheel/wheel.sdf") +
                                            include("model://wheel/wheel.sdf", "<name>other</name>")));
  CHECK(with(include("model://doubles")).code == 0);
}

}  // namespace mbc::test
