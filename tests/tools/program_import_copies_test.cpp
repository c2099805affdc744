// SPDX-License-Identifier: Apache-2.0
// Tests `mbc import` of MJCF that asks for copies, and for springs by their time constants: against files that are
// written out, and against the inverse of a mass matrix in closed form.
#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "tests/tools/robot_texts.h"

namespace mbc::test {
namespace {

std::string refusal(const std::string& file) {
  const Ran ran = run_mbc({"import", "-"}, {.input = file});
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  return ran.err;
}

const std::string kBall = "<geom size=\"0.1\" mass=\"1\"/>";

}  // namespace

TEST_CASE("MJCF: copies are those of a file that is written out") {
  const auto arm = [](const std::string& suffix) {
    return "<body name=\"a" + suffix + "\" pos=\"0.5 0 0\"><joint name=\"j" + suffix + "\" axis=\"0 1 0\"/>" + kBall;
  };
  const auto hand = [](const std::string& suffix) {
    return "<body name=\"h" + suffix + "\"><joint name=\"k" + suffix + "\"/>" + kBall + "<site name=\"s" + suffix +
           "\"/></body>";
  };
  // The third copy is moved along the axes of the second one, which are turned by 90 degrees.
  const auto acting = [](const std::string& suffix) {
    return "<motor name=\"m" + suffix + "\" joint=\"j" + suffix + "\"/>";
  };
  const auto tendon = [](const std::string& suffix) {
    return "<fixed name=\"t" + suffix + "\" stiffness=\"2\"><joint joint=\"j" + suffix +
           "\" coef=\"1\"/><joint joint=\"base\" coef=\"2\"/></fixed>";
  };
  const auto drive = [](const std::string& suffix) {
    return "<motor name=\"u" + suffix + "\" tendon=\"t" + suffix + "\"/>";
  };
  const auto file = [&](const std::string& bodies, const std::string& tendons, const std::string& motors,
                        const std::string& sensors) {
    return in_mujoco("<worldbody><body name=\"c\"><joint name=\"base\"/>" + kBall + bodies +
                     "</body></worldbody><tendon>" + tendons + "</tendon><actuator>" + motors + "</actuator><sensor>" +
                     sensors + "</sensor>");
  };
  const auto placed = [](const std::string& sensor) {
    return "<framepos name=\"p" + sensor + "\" objtype=\"site\" objname=\"s" + sensor + "\"/>";
  };
  const std::string copies = imported_robot(file(
      "<replicate count=\"3\" offset=\"1 0 0\" euler=\"0 0 90\" sep=\"_\">" + arm("") +
          "<replicate count=\"2\" offset=\"0 0 1\">" + hand("") + "</replicate></body></replicate>",
      tendon(""), "<motor name=\"m\" joint=\"j\"/><motor name=\"u\" tendon=\"t\"/><motor name=\"b\" joint=\"base\"/>",
      placed("")));
  std::string bodies, tendons, motors = "<motor name=\"b\" joint=\"base\"/>", sensors;
  const char* frames[] = {"<frame>", "<frame pos=\"1 0 0\" euler=\"0 0 90\">",
                          "<frame pos=\"1 1 0\" euler=\"0 0 180\">"};
  for (int k = 0; k < 3; ++k) {
    const std::string outer = "_" + std::to_string(k);
    bodies += frames[k] + arm(outer) + hand("0" + outer) + "<frame pos=\"0 0 1\">" + hand("1" + outer) +
              "</frame></body></frame>";
    tendons += tendon(outer);
    motors += acting(outer) + drive(outer);
    sensors += placed("0" + outer) + placed("1" + outer);
  }
  const std::string by_hand = imported_robot(file(bodies, tendons, motors, sensors));
  CHECK(copies == by_hand);
  CHECK(model_of(copies).ok());
}

TEST_CASE("MJCF: copies are turned by multiples of the angles") {
  const auto body = [](const std::string& number) {
    return "<body name=\"b" + number + "\" pos=\"1 0 0\"><joint name=\"j" + number + "\"/>" + kBall + "</body>";
  };
  CHECK(imported_robot(in_world("<replicate count=\"3\" euler=\"10 20 30\">" + body("") + "</replicate>")) ==
        imported_robot(in_world(body("0") + "<frame euler=\"10 20 30\">" + body("1") +
                                "</frame><frame euler=\"20 40 60\">" + body("2") + "</frame>")));
}

TEST_CASE("MJCF: copies that are refused, with the line") {
  const auto copied = [](const std::string& attributes, const std::string& rest = "") {
    return in_mujoco("<worldbody>\n<body name=\"w\"><joint name=\"k\"/>" + kBall + "</body>\n<replicate " + attributes +
                     "><body name=\"b\"><joint name=\"j\"/>" + kBall + "</body></replicate></worldbody>\n" + rest);
  };
  for (const char* count : {"", "count=\"0\"", "count=\"-1\"", "count=\"1.5\""})
    CHECK(has(refusal(copied(count)), "<stdin>:4: <replicate> needs a `count`, a whole number from 1 on"));
  CHECK(has(refusal(copied("count=\"1e9\"")), "<stdin>:4: the copies of <replicate> are more than 20000 elements"));
  CHECK(has(refusal(copied("count=\"two\"")), "<stdin>:4: `count` of <replicate> is `two`"));
  CHECK(has(refusal(copied("count=\"2\"", "<equality>\n<joint joint1=\"j\" joint2=\"k\"/></equality>")),
            "<stdin>:6: this <joint> joins a copy of <replicate> with what is not copied"));
  CHECK(has(refusal(copied("count=\"2\"", "<actuator>\n<muscle joint=\"j\"/></actuator>")),
            "<stdin>:6: muscles are not taken over"));
  CHECK(has(refusal(in_world("<replicate count=\"2\">\n<body name=\"b\"><joint axis=\"0 0 0\"/></body></replicate>")),
            "<stdin>:4: the axis of joint `b0_joint` is zero"));
  std::string nested = "<body name=\"b\"><joint/>" + kBall + "</body>";
  for (int k = 0; k < 40; ++k) nested = "<replicate count=\"10\">" + nested + "</replicate>";
  CHECK(has(refusal(in_world(nested)), "more than 20000 elements"));
}

TEST_CASE("MJCF: springs and dampers by their time constants") {
  // Two balls of moment i about their centres, at 1 from the second joint and at 1 and 2 from the first one.
  const auto chain = [](const std::string& one, const std::string& rest = "") {
    const std::string ball = "<geom size=\"0.1\" mass=\"1\" pos=\"1 0 0\"/>";
    return in_mujoco("<worldbody><body name=\"b\"><joint name=\"j\" " + one + "/>" + ball +
                     "<body name=\"c\" pos=\"1 0 0\"><joint name=\"k\" springdamper=\"0.2 1\"/>" + ball +
                     "</body></body></worldbody>" + rest);
  };
  const double i = 0.4 * 0.01;
  const auto number = [](const std::string& text, const std::string& before) {
    const std::size_t at = text.find(before);
    REQUIRE_MESSAGE(at != std::string::npos, text);
    return std::stod(text.substr(at + before.size()));
  };
  for (const double armature : {0.0, 3.0}) {
    Eigen::Matrix2d m;
    m << (1 + i) + (4 + i) + armature, 2 + i, 2 + i, 1 + i;
    const double determinant = m(0, 0) * m(1, 1) - m(0, 1) * m(0, 1);
    const double first = determinant / m(1, 1), time = 0.3, ratio = 0.7;  // 1/(M^-1)_11
    const std::string text = imported_robot(chain("springdamper=\"0.3 0.7\" damping=\"9\" stiffness=\"9\"",
                                                  "<tendon><fixed armature=\"" + std::to_string(armature) +
                                                      "\"><joint joint=\"j\" coef=\"1\"/></fixed></tendon>"));
    CAPTURE(text);
    CHECK(number(text, "potential j_spring: ") ==
          doctest::Approx(first / (2 * time * time * ratio * ratio)).epsilon(1e-12));
    CHECK(number(text, "load j_damping on j.angle: ") == doctest::Approx(-2 * first / time).epsilon(1e-12));
  }
  for (const char* wrong : {"0.3 0", "0 1", "-1 1", "1 -1"})
    CHECK(has(refusal(chain("springdamper=\"" + std::string(wrong) + "\"")),
              "`springdamper` has a time constant and a damping ratio above 0"));
  CHECK(imported_robot(chain("springdamper=\"0 0\"")) == imported_robot(chain("")));
}

}  // namespace mbc::test
