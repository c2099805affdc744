// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/drawn_robot.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/tools/robot_texts.h"

namespace mbc::test {

using Eigen::Vector3d;
using Eigen::VectorXd;

RobotMotion DrawnRobot::motion() {
  RobotMotion m{VectorXd::Zero(speeds), VectorXd::Zero(speeds), VectorXd::Zero(speeds), {}};
  for (int k = 0; k < speeds; ++k) m.q[k] = number(1.4), m.rate[k] = number(2);
  for (std::size_t k = 0; k < parts.size(); ++k) m.rotations.emplace_back(turned(vector(3)));
  for (const Coordinate& c : coordinates)
    if (!c.input.empty()) m.drive[c.speed] = number(5);
  return m;
}

void DrawnRobot::free_joint(const std::string& name) {
  for (int axis = 0; axis < 3; ++axis) {
    Part slide;
    slide.kind = PartKind::prismatic;
    slide.axis = Vector3d::Unit(axis);
    slide.coordinate = speeds++;
    add(slide, top());
  }
  Part ball;
  ball.kind = PartKind::ball;
  ball.coordinate = speeds;
  speeds += 3;
  add(ball, top());
  turning.push_back({name, top(), true});
}

void check_motion(DrawnRobot& robot, const Model& model, int states) {
  Simulation simulation = Simulation::create(model).value();
  const std::size_t nq = model.coordinates().size();
  REQUIRE(model.speeds().size() == static_cast<std::size_t>(robot.speeds));
  for (int trial = 0; trial < states; ++trial) {
    RobotMotion m = robot.motion();
    const RobotAnswer a = newton_euler(robot.parts, robot.speeds, m);
    std::vector<double> y(simulation.state().begin(), simulation.state().end()), rates(y.size());
    const auto coordinate = [&](const std::string& name) -> double& { return y[place_of(model.coordinates(), name)]; };
    const auto speed = [&](const std::string& name) { return nq + place_of(model.speeds(), name); };
    for (const DrawnRobot::Coordinate& c : robot.coordinates) {
      coordinate(c.name) = m.q[c.speed];
      y[speed(c.name + "'")] = m.rate[c.speed];
      if (!c.input.empty()) REQUIRE(simulation.set_input(place_of(model.inputs(), c.input), m.drive[c.speed]).ok());
    }
    for (const DrawnRobot::Turning& t : robot.turning) {
      const auto part = static_cast<std::size_t>(t.part);
      const Eigen::Quaterniond q(a.axes[part]);
      const double parameters[] = {q.w(), q.x(), q.y(), q.z()};
      for (int k = 0; k < 4; ++k) coordinate(t.link + ".p" + std::to_string(k)) = parameters[k];
      for (int k = 0; k < 3; ++k) {
        const std::string axis(1, "xyz"[k]);
        y[speed(t.link + ".omega" + axis)] = a.omega[part][k];
        if (!t.moves) continue;
        coordinate(t.link + "." + axis) = a.at[part][k];
        y[speed(t.link + ".v" + axis)] = a.velocity[part][k];
      }
    }
    REQUIRE(simulation.rhs(0, y, rates).ok());
    const double size = 1 + a.accelerations.cwiseAbs().maxCoeff();
    for (const DrawnRobot::Coordinate& c : robot.coordinates)
      CHECK(std::fabs(rates[speed(c.name + "'")] - a.accelerations[c.speed]) <= 1e-9 * size);
    for (const DrawnRobot::Turning& t : robot.turning)
      for (int k = 0; k < 3; ++k) {
        const std::string axis(1, "xyz"[k]);
        const auto part = static_cast<std::size_t>(t.part);
        CHECK(std::fabs(rates[speed(t.link + ".omega" + axis)] - a.alpha[part][k]) <= 1e-9 * size);
        if (t.moves) CHECK(std::fabs(rates[speed(t.link + ".v" + axis)] - a.acceleration[part][k]) <= 1e-9 * size);
      }
  }
}

}  // namespace mbc::test
