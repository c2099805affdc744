// SPDX-License-Identifier: Apache-2.0
// Tests `mbc import` of MJCF: places, included files, rows, actuators, tendons, keyframes and sensors.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <fstream>
#include <numbers>

#include "tests/support/scratch.h"
#include "tests/tools/robot_texts.h"

namespace mbc::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// ---- places

namespace {

// Origin and axes of the site `s`.
Eigen::Matrix4d site_of(const std::string& file) {
  const Model model = model_of(imported_robot(file));
  Simulation simulation = Simulation::create(model).value();
  Eigen::Matrix4d out = Eigen::Matrix4d::Identity();
  for (int k = 0; k < 3; ++k) {
    const std::string axis(1, "xyz"[k]);
    int column = 0;
    for (const char* sensor : {"sx", "sy", "sz", "sp"})
      out(k, column++) = simulation.output(sensor + ("." + axis)).value();
  }
  return out;
}

std::string with_site(const std::string& compiler, const std::string& tree) {
  std::string sensors;
  for (const char* what : {"framexaxis", "frameyaxis", "framezaxis", "framepos"})
    sensors += std::string("<") + what + " objtype=\"site\" objname=\"s\" name=\"s" +
               (std::string(what) == "framepos" ? "p" : std::string(1, what[5])) + "\"/>";
  return in_mujoco("<compiler " + compiler + "/><worldbody>" + tree + "</worldbody><sensor>" + sensors + "</sensor>");
}

}  // namespace

TEST_CASE("MJCF: frames by all their descriptions") {
  const double d = std::numbers::pi / 180;
  const auto about = [](double angle, const Vector3d& axis) {
    return Matrix3d(Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix());
  };
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const std::string held = "<body name=\"b\"><joint/><geom size=\"0.1\"/>", end = "</body>";
  const auto rotation = [&](const std::string& compiler, const std::string& attribute) {
    return Matrix3d(
        site_of(with_site(compiler, held + "<site name=\"s\" " + attribute + "/>" + end)).topLeftCorner<3, 3>());
  };
  const auto same = [](const Matrix3d& a, const Matrix3d& b) { return (a - b).norm() < 1e-14; };
  CHECK(same(rotation("", "euler=\"10 20 30\""), about(10 * d, x) * about(20 * d, y) * about(30 * d, z)));
  CHECK(
      same(rotation("eulerseq=\"zyx\"", "euler=\"10 20 30\""), about(10 * d, z) * about(20 * d, y) * about(30 * d, x)));
  CHECK(same(rotation("angle=\"radian\" eulerseq=\"XYZ\"", "euler=\"0.1 0.2 0.3\""),
             about(0.3, z) * about(0.2, y) * about(0.1, x)));
  // A turn about an axis that stays comes before all turns so far: x, then Y before it, then z after both.
  CHECK(
      same(rotation("eulerseq=\"xYz\"", "euler=\"10 20 30\""), about(20 * d, y) * about(10 * d, x) * about(30 * d, z)));
  CHECK(same(rotation("", "axisangle=\"1 2 3 40\""), about(40 * d, {1, 2, 3})));
  CHECK(same(rotation("", "quat=\"2 0 0 2\""), about(90 * d, z)));
  CHECK(same(rotation("", "quat=\"-0.5 0.5 0.1 0.2\""),
             Eigen::Quaterniond(-0.5, 0.5, 0.1, 0.2).normalized().toRotationMatrix()));
  Matrix3d axes;
  axes << Vector3d(1, 0, 1).normalized(), y, Vector3d(-1, 0, 1).normalized();
  CHECK(same(rotation("", "xyaxes=\"1 0 1  5 1 5\""), axes));
  const Matrix3d least = rotation("", "zaxis=\"1 1 0\"");
  CHECK((least * z - Vector3d(1, 1, 0).normalized()).norm() < 1e-14);
  CHECK((least * Vector3d(1, -1, 0) - Vector3d(1, -1, 0)).norm() < 1e-14);
  CHECK(same(rotation("", "zaxis=\"0 0 -2\""), about(180 * d, x)));
  // Frames around bodies, joints and sites; classes of defaults.
  const Eigen::Matrix4d nested = site_of(
      with_site("",
                "<frame pos=\"1 0 0\" euler=\"0 0 90\"><body name=\"a\" pos=\"0 1 0\"><joint/><geom size=\"0.1\"/>"
                "<frame pos=\"0 0 1\" euler=\"90 0 0\"><site name=\"s\" pos=\"0 0 2\"/></frame></body></frame>"));
  CHECK((Vector3d(nested.topRightCorner<3, 1>()) - Vector3d(2, 0, 1)).norm() < 1e-14);
  CHECK(same(nested.topLeftCorner<3, 3>(), about(90 * d, z) * about(90 * d, x)));
}

TEST_CASE("MJCF: included files lie in the folder of the model") {
  const Folder folder;
  std::ofstream(folder / "arm.xml")
      << "<mujocoinclude><body name=\"arm\"><joint name=\"j\"/><geom size=\"0.1\"/></body>\n"
         "<body name=\"bad\" quat=\"0 0 0 0\"/></mujocoinclude>\n";
  std::ofstream(folder / "good.xml")
      << "<mujocoinclude><body name=\"arm\"><joint name=\"j\"/><geom size=\"0.1\"/></body>"
         "</mujocoinclude>\n";
  const auto with = [&](const std::string& inside) {
    std::ofstream(folder / "main.xml") << in_world(inside);
    return run_mbc({"import", folder / "main.xml", "--quiet"}, {});
  };
  const Ran good = with("<include file=\"good.xml\"/>");
  CHECK_MESSAGE(has(good.out, "Revolute j(ground, arm, axis = ez)"), good.err);
  CHECK(has(with("<include file=\"arm.xml\"/>").err, "arm.xml:2: `quat` of <body> is no direction"));
  CHECK(has(with("\n<include file=\"../main.xml\"/>").err,
            "main.xml:4: the file `../main.xml` does not lie in the folder of the model"));
  CHECK(has(with("<include file=\"/etc/passwd\"/>").err, "does not lie in the folder of the model"));
  CHECK(has(with("<include file=\"good.xml\"/><include file=\"good.xml\"/>").err, "`good.xml` is included twice"));
  CHECK(has(with("<include file=\"gone.xml\"/>").err, "the file `gone.xml` cannot be read"));
  CHECK(has(with("<include/>").err, "does not lie in the folder of the model"));
  std::ofstream(folder / "self.xml") << "<mujocoinclude><include file=\"self.xml\"/></mujocoinclude>\n";
  CHECK(has(with("<include file=\"self.xml\"/>").err, "self.xml:1: the file `self.xml` is included twice"));
  CHECK(has(run_mbc({"import", "-"}, {.input = in_world("<include file=\"good.xml\"/>")}).err,
            "what comes from standard input has no folder"));
}

// ---- rows, actuators, keyframes, sensors

TEST_CASE("MJCF: rows hold where the file is drawn, and a polynomial holds at rest and in motion") {
  const std::string arms =
      "<body name=\"a\" pos=\"0 0 1\" euler=\"0 30 0\"><joint name=\"ja\" axis=\"0 1 0\" ref=\"20\"/><geom "
      "size=\"0.1\" pos=\"0.3 0 0\"/></body>"
      "<body name=\"b\" pos=\"0.5 0 1\" euler=\"10 0 20\"><joint name=\"jb\" axis=\"0 1 0\" ref=\"-10\"/><geom "
      "size=\"0.1\" pos=\"0.3 0 0\"/></body>"
      "<body name=\"c\" pos=\"0 1 0\"><freejoint/><geom size=\"0.1\"/></body>";
  const auto first_residual = [&](const std::string& equality) {
    const std::string text =
        imported_robot(in_mujoco("<worldbody>" + arms + "</worldbody><equality>" + equality + "</equality>"));
    const Model model = model_of(text);
    Simulation simulation = Simulation::create(model).value();
    RunOptions brief;
    brief.span = {0.0, 0.02};
    const RunResult run = simulation.run(brief);
    CHECK_MESSAGE(run.status == Status::complete, run.rendered << text);
    return text;
  };
  CHECK(
      has(first_residual("<connect body1=\"a\" body2=\"c\" anchor=\"0.1 0.2 0.3\"/>"), "constraint a_connect: a.at("));
  CHECK(has(first_residual("<weld body1=\"a\" body2=\"c\" name=\"w\"/>"), "Orientation w_turn("));
  CHECK(has(first_residual("<weld body1=\"c\" torquescale=\"0\"/>"), "constraint c_weld: c"));
  CHECK(has(first_residual("<connect body1=\"a\" anchor=\"0 0 0\" active=\"false\"/>"), "disable a_connect"));
  const std::string text = first_residual("<joint name=\"p\" joint1=\"ja\" joint2=\"jb\" polycoef=\"0 2 0.5 0 -1\"/>");
  CHECK(has(text,
            "constraint p: ja.angle == 2*(jb.angle + 0.17453292519943295) + 0.5*(jb.angle + "
            "0.17453292519943295)^2 + -1*(jb.angle + 0.17453292519943295)^4 + 0.3490658503988659"));
  CHECK(has(first_residual("<joint joint1=\"ja\" polycoef=\"0.25\"/>"),
            "constraint ja_joint: ja.angle == 0.599065850398866"));
}

TEST_CASE("MJCF: the force of each actuator") {
  // A mass of 2 kg on a slide: the acceleration is half of the force.
  const auto acceleration = [](const std::string& actuator, double x, double v, double u, const std::string& more = "",
                               double act = 0) {
    const std::string text = imported_robot(in_mujoco(
        "<worldbody><body name=\"b\"><joint name=\"s\" type=\"slide\" axis=\"1 0 0\" range=\"-1 3\" " + more +
        "/><geom size=\"0.1\" mass=\"2\"/></body></worldbody><tendon><fixed name=\"t\"><joint joint=\"s\" coef=\"2\"/>"
        "</fixed></tendon><actuator>" +
        actuator + "</actuator>"));
    CAPTURE(text);
    const Model model = model_of(text);
    Simulation simulation = Simulation::create(model).value();
    std::vector<double> y(simulation.state().begin(), simulation.state().end()), rates(y.size());
    y[0] = x;
    y[1] = v;
    if (!model.states().empty()) y[2] = act;
    REQUIRE(simulation.set_input(0, u).ok());
    REQUIRE(simulation.rhs(0, y, rates).ok());
    return 2 * rates[1];
  };
  const std::string on = " joint=\"s\" ", tendon = " tendon=\"t\" ";
  CHECK(acceleration("<motor" + on + "gear=\"3\"/>", 0.1, 0.2, 5) == doctest::Approx(15));
  CHECK(acceleration("<motor" + on + "gear=\"3\" ctrlrange=\"-1 2\"/>", 0.1, 0.2, 5) == doctest::Approx(6));
  CHECK(acceleration("<motor" + on + "gear=\"3\" ctrlrange=\"-1 2\" ctrllimited=\"false\"/>", 0, 0, 5) ==
        doctest::Approx(15));
  CHECK(acceleration("<motor" + on + "gear=\"3\" forcerange=\"-1 1\"/>", 0.1, 0.2, 5) == doctest::Approx(3));
  CHECK(acceleration("<motor" + on + "/>", 0, 0, 5, "actuatorfrcrange=\"-4 4\"") == doctest::Approx(4));
  CHECK(acceleration("<motor" + tendon + "gear=\"3\"/>", 0.1, 0.2, 5) == doctest::Approx(30));
  CHECK(acceleration("<motor" + tendon + "gear=\"3\"/>", 0, 0, 5, "actuatorfrcrange=\"-4 4\"") == doctest::Approx(4));
  // position: kp (u - g x) - kv g v, times the gear g
  CHECK(acceleration("<position" + on + "kp=\"7\" kv=\"0.5\" gear=\"2\"/>", 0.1, 0.2, 0.4) ==
        doctest::Approx(2 * (7 * (0.4 - 0.2) - 0.5 * 0.4)));
  CHECK(acceleration("<position" + on + "kp=\"8\" dampratio=\"1\"/>", 0.1, 0.2, 0.1) ==
        doctest::Approx(-2 * std::sqrt(8 * 2.0) * 0.2));
  CHECK(acceleration("<position" + on + "kp=\"8\" inheritrange=\"0.5\"/>", 0, 0, 9) == doctest::Approx(8 * 2.0));
  CHECK(acceleration("<velocity" + on + "kv=\"3\"/>", 0.1, 0.2, 0.4) == doctest::Approx(3 * (0.4 - 0.2)));
  CHECK(acceleration("<damper" + on + "kv=\"3\" ctrlrange=\"0 2\"/>", 0.1, 0.2, 1.5) ==
        doctest::Approx(-3 * 0.2 * 1.5));
  CHECK(acceleration("<general" + on + "biastype=\"affine\" gainprm=\"2\" biasprm=\"1 -3 -0.5\"/>", 0.1, 0.2, 0.4) ==
        doctest::Approx(2 * 0.4 + 1 - 3 * 0.1 - 0.5 * 0.2));
  CHECK(acceleration("<general" + on + "gaintype=\"affine\" gainprm=\"2 3 4\"/>", 0.1, 0.2, 0.4) ==
        doctest::Approx((2 + 3 * 0.1 + 4 * 0.2) * 0.4));
  CHECK(acceleration("<general" + on + "gainprm=\"2 3 4\" biasprm=\"9\"/>", 0.1, 0.2, 0.4) == doctest::Approx(0.8));
  CHECK(acceleration("<general" + on + "dyntype=\"filter\" gainprm=\"2\"/>", 0, 0, 9, "", 0.7) == doctest::Approx(1.4));
  CHECK(acceleration("<intvelocity" + on + "kp=\"2\"/>", 0.1, 0, 9, "", 0.7) == doctest::Approx(2 * 0.6));
  CHECK(acceleration("<motor" + on + "damping=\"3\" gear=\"2\"/>", 0, 0.2, 0) == doctest::Approx(-12 * 0.2));
  CHECK(acceleration("<motor" + on + "armature=\"0.5\" gear=\"2\"/>", 0, 0, 1) == doctest::Approx(2 * 2 / 4.0));
}

TEST_CASE("MJCF: a tendon from site to site pulls along its path") {
  // A mass of 2 kg slides along x; the tendon goes to a point beside the slide, over half a pulley to another one.
  const std::string text = imported_robot(in_mujoco(
      "<option gravity=\"0 0 0\"/><worldbody><site name=\"w\" pos=\"0 1 0\"/><site name=\"w2\" pos=\"0 0 2\"/>"
      "<body name=\"b\"><joint name=\"s\" type=\"slide\" axis=\"1 0 0\"/><geom size=\"0.1\" mass=\"2\"/><site "
      "name=\"m\"/>"
      "</body></worldbody><tendon><spatial name=\"t\" stiffness=\"5\" damping=\"3\"><site site=\"w\"/><site "
      "site=\"m\"/>"
      "<pulley divisor=\"2\"/><site site=\"m\"/><site site=\"w2\"/></spatial></tendon><actuator><motor tendon=\"t\" "
      "name=\"u\"/>"
      "</actuator><sensor><tendonpos tendon=\"t\" name=\"l\"/></sensor>"));
  CAPTURE(text);
  Simulation simulation = Simulation::create(model_of(text)).value();
  const double x = 0.7, v = 0.4, u = 1.3;
  const double length = std::hypot(x, 1) + std::hypot(x, 2) / 2,
               slope = x / std::hypot(x, 1) + x / std::hypot(x, 2) / 2;
  REQUIRE(simulation.set_input(0, u).ok());
  std::vector<double> y(simulation.state().begin(), simulation.state().end()), rates(y.size());
  y[0] = x;
  y[1] = v;
  REQUIRE(simulation.rhs(0, y, rates).ok());
  CHECK(2 * rates[1] == doctest::Approx(slope * (u - 5 * (length - 2) - 3 * slope * v)).epsilon(1e-12));
  REQUIRE(simulation.set_state(0, y).ok());
  CHECK(simulation.output("l").value() == doctest::Approx(length).epsilon(1e-14));
}

TEST_CASE("MJCF: shortcuts and classes of actuators, polynomial forces, tendons with springs, flags") {
  const auto text = [](const std::string& head, const std::string& joint, const std::string& more) {
    return imported_robot(in_mujoco(head + "<worldbody><body name=\"b\"><joint name=\"s\" " + joint +
                                    "/><geom size=\"0.1\" mass=\"2\"/></body></worldbody>" + more));
  };
  // The class sets a position servo; the element keeps its damping.
  CHECK(has(text("<default><position kp=\"5\" kv=\"2\"/></default>", "",
                 "<actuator><position joint=\"s\" kp=\"3\" name=\"u\"/></actuator>"),
            "let u_force = 3 [N*m]*u - 3 [N*m]*s.angle - 2 [N*m*s]*s.rate\n"));
  CHECK(has(text("<default><position kp=\"5\"/><default class=\"m\"><motor gear=\"2\"/></default></default>", "",
                 "<actuator><motor class=\"m\" joint=\"s\" name=\"u\"/></actuator>"),
            "load u_load on s.angle: 2*u_force"));
  CHECK(has(text("", "damping=\"1 2 3\" stiffness=\"4 6 8\" springref=\"90\"", ""),
            "load s_damping on s.angle: -(1 [N*m*s]*s.rate + 2 [N*m*s^2]*s.rate*abs(s.rate) + 3 [N*m*s^3]*s.rate^3)\n"
            "potential s_spring: 2 [N*m]*(s.angle - 1.5707963267948966)^2 + 2 [N*m]*(s.angle - 1.5707963267948966)^3 + "
            "2 [N*m]*(s.angle - 1.5707963267948966)^4\n"));
  const std::string tendon =
      text("", "type=\"slide\"",
           "<tendon><fixed name=\"cord\" stiffness=\"3\" springlength=\"0.1 0.2\" armature=\"0.5\" "
           "range=\"-1 1\" frictionloss=\"0.2\"><joint joint=\"s\" coef=\"-2\"/></fixed></tendon>");
  for (const char* line :
       {"let cord = -2*s.displacement\n", "let cord_stretch = max(cord - 0.2 [m], 0) + min(cord - 0.1 [m], 0)\n",
        "kinetic cord_armature: 0.5*0.5 [kg]*cord'^2\n", "Limits cord_limits(cord, low = -1 [m], high = 1 [m])\n",
        "JointFriction cord_friction(cord', torque = 0.2 [N])\n"})
    CHECK_MESSAGE(has(tendon, line), tendon);
  CHECK(Simulation::create(model_of(tendon)).ok());
  const std::string off = text(
      "<option><flag gravity=\"disable\" limit=\"disable\" frictionloss=\"disable\" spring=\"disable\" "
      "damper=\"disable\" "
      "clampctrl=\"disable\" actuation=\"enable\"/></option>",
      "range=\"-10 10\" frictionloss=\"1\" stiffness=\"1\" damping=\"1\"",
      "<actuator><motor joint=\"s\" ctrlrange=\"-1 1\" name=\"u\"/></actuator>");
  for (const char* gone : {"gravity", "Limits", "JointFriction", "potential", "damping", "saturate"})
    CHECK_MESSAGE(!has(off, gone), off);
  CHECK(!has(text("<option actuatorgroupdisable=\"2\"/>", "",
                  "<actuator><motor joint=\"s\" group=\"2\" name=\"u\"/></actuator>"),
             "input"));
}

TEST_CASE("MJCF: a keyframe puts every joint where it says") {
  const std::string file = in_mujoco(
      "<compiler angle=\"radian\"/><worldbody><body name=\"a\" pos=\"1 2 3\"><freejoint/><geom size=\"0.1\"/>"
      "<body name=\"b\" pos=\"0.5 0 0\"><joint name=\"h\" axis=\"0 0 1\" ref=\"0.4\"/><geom size=\"0.1\" pos=\"0.2 0 "
      "0\"/>"
      "<body name=\"c\" pos=\"0 0.5 0\"><joint name=\"k\" type=\"ball\"/><geom size=\"0.1\" pos=\"0.2 0 0\"/>"
      "<site name=\"s\" pos=\"0 0 1\"/></body></body></body></worldbody>"
      "<actuator><motor joint=\"h\" name=\"u\"/></actuator><sensor><framepos objtype=\"site\" objname=\"s\" "
      "name=\"p\"/>"
      "<framelinvel objtype=\"site\" objname=\"s\" name=\"v\"/><ballangvel joint=\"k\" name=\"w\"/><jointvel "
      "joint=\"h\" name=\"hv\"/></sensor>"
      "<keyframe><key name=\"k1\" qpos=\"0 0 1 2 0 0 2  1.2 1 1 0 0\" qvel=\"1 2 3 0.1 0.2 0.3 0.5 0.6 0.7 0.8\" "
      "ctrl=\"4\"/>"
      "</keyframe>");
  const std::string text = imported_robot(file);
  CAPTURE(text);
  CHECK(has(text, "input u [N*m] = 4\n"));
  Simulation simulation = Simulation::create(model_of(text)).value();
  const auto quarter = [](const Vector3d& axis) { return Eigen::AngleAxisd(std::numbers::pi / 2, axis); };
  const Matrix3d A = quarter(Vector3d::UnitZ()).toRotationMatrix(),
                 B = A * Eigen::AngleAxisd(0.8, Vector3d::UnitZ()).toRotationMatrix(),
                 C = B * quarter(Vector3d::UnitX()).toRotationMatrix();
  const Vector3d a(0, 0, 1), b = a + A * Vector3d(0.5, 0, 0), c = b + B * Vector3d(0, 0.5, 0),
                             s = c + C * Vector3d::UnitZ();
  const Vector3d wa = A * Vector3d(0.1, 0.2, 0.3), wb = wa + B * Vector3d(0, 0, 0.5),
                 wc = wb + C * Vector3d(0.6, 0.7, 0.8);
  const Vector3d v = Vector3d(1, 2, 3) + wa.cross(b - a) + wb.cross(c - b) + wc.cross(s - c);
  for (int k = 0; k < 3; ++k) {
    const std::string axis(1, "xyz"[k]);
    CHECK(simulation.output("p." + axis).value() == doctest::Approx(s[k]).epsilon(1e-13));
    CHECK(simulation.output("v." + axis).value() == doctest::Approx(v[k]).epsilon(1e-13));
    CHECK(simulation.output("w." + axis).value() == doctest::Approx(0.6 + 0.1 * k).epsilon(1e-13));
  }
  CHECK(simulation.output("hv").value() == doctest::Approx(0.5));
}

TEST_CASE("MJCF: a gyroscope, a velocimeter and an accelerometer at rest and in a fall") {
  const std::string file = in_mujoco(
      "<worldbody><body name=\"b\" euler=\"90 0 0\"><freejoint/><geom size=\"0.1\"/><site name=\"s\" pos=\"1 0 "
      "0\"/></body>"
      "</worldbody><sensor><gyro site=\"s\" name=\"gy\"/><velocimeter site=\"s\" name=\"ve\"/><accelerometer "
      "site=\"s\" name=\"ac\"/>"
      "<framelinacc objtype=\"site\" objname=\"s\" name=\"la\"/></sensor>"
      "<keyframe><key name=\"k\" qvel=\"0 0 1 0 0 2\"/></keyframe>");
  Simulation simulation = Simulation::create(model_of(imported_robot(file))).value();
  // Falls freely and turns about its z axis at 2 rad/s: v_s = v + w x r, a_s - g = w x (w x r).
  const auto check = [&](const std::string& name, const Vector3d& wanted) {
    for (int k = 0; k < 3; ++k)
      CHECK(simulation.output(name + "." + std::string(1, "xyz"[k])).value() ==
            doctest::Approx(wanted[k]).epsilon(1e-12));
  };
  check("gy", {0, 0, 2});
  check("ve", {0, 3, 0});
  check("ac", {-4, 0, 0});
  check("la", {-4, 0, 0});
}

}  // namespace mbc::test
