// SPDX-License-Identifier: Apache-2.0
// Tests `mbc import` of SDF with loops: accelerations from rest against the equations of all bodies with rows for all
// joints, written apart from mbc; motions that keep their energy and their loops closed.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/tools/robot_motion.h"
#include "tests/tools/sdf_texts.h"

namespace mbc::test {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Solid {
  std::string name;
  Vector3d at;  // of the link, in space
  Matrix3d axes;
  Vector3d com;  // in the link
  double mass, moment;
};

// A joint holds b against a at a point, but for turns and moves along some directions in space. A torque or force acts
// on b along the last of them.
struct Held {
  int a, b;  // -1: the ground
  Vector3d at;
  std::vector<Vector3d> turns, moves;
  double load = 0;
};

// Robots of equal balls of inertia, as bodies with joints and as SDF.
class Mechanism {
 public:
  int body(const std::string& name, const Vector3d& at, const Matrix3d& axes, const Vector3d& com, double mass,
           double moment) {
    solids_.push_back({name, at, axes, com, mass, moment});
    const std::string j = shown(moment);
    text_ += "<link name=\"" + name + "\"><pose>" + three(at) + " " + three(angles_of(axes)) +
             "</pose><inertial><pose>" + three(com) + " 0 0 0</pose><mass>" + shown(mass) + "</mass><inertia><ixx>" +
             j + "</ixx><iyy>" + j + "</iyy><izz>" + j + "</izz></inertia></inertial></link>\n";
    return static_cast<int>(solids_.size()) - 1;
  }
  // `directions` are the axes of the joint in space, `load` acts along the last one, a drive or a spring.
  void hold(const std::string& name, const std::string& type, int a, int b, const Vector3d& at,
            const std::vector<Vector3d>& directions = {}, double load = 0, const std::string& inside = "") {
    const Solid& child = solids_[static_cast<std::size_t>(b)];
    text_ += "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" +
             (a < 0 ? "world" : solids_[static_cast<std::size_t>(a)].name) + "</parent><child>" + child.name +
             "</child><pose>" + three(child.axes.transpose() * (at - child.at)) + " 0 0 0</pose>";
    for (std::size_t k = 0; k < directions.size(); ++k)
      text_ += axis(three(child.axes.transpose() * directions[k]), k + 1 == directions.size() ? inside : "",
                    k == 0 ? "axis" : "axis2");
    text_ += "</joint>\n";
    Held h{a, b, at, {}, {}, load};
    if (type == "prismatic")
      h.moves = directions;
    else if (type == "ball")
      h.turns = {Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()};
    else
      h.turns = directions;
    held_.push_back(h);
  }
  [[nodiscard]] std::string sdf() const { return in_model(text_); }
  [[nodiscard]] const std::vector<Solid>& solids() const { return solids_; }

  // Accelerations of the links, linear and angular, in space: M a = f + J^T lambda, J a = 0.
  [[nodiscard]] VectorXd accelerations() const {
    const auto n = static_cast<Eigen::Index>(6 * solids_.size());
    MatrixXd mass = MatrixXd::Zero(n, n);
    VectorXd force = VectorXd::Zero(n);
    for (std::size_t k = 0; k < solids_.size(); ++k) {
      const Solid& s = solids_[k];
      const auto at = static_cast<Eigen::Index>(6 * k);
      MatrixXd of_centre(3, 6);
      of_centre << Matrix3d::Identity(), -cross(s.axes * s.com);
      mass.block(at, at, 6, 6) = s.mass * of_centre.transpose() * of_centre;
      mass.block(at + 3, at + 3, 3, 3) += s.moment * Matrix3d::Identity();
      force.segment(at, 6) += of_centre.transpose() * (s.mass * Vector3d(0, 0, -9.8));
    }
    MatrixXd rows = MatrixXd::Zero(static_cast<Eigen::Index>(6 * held_.size()), n);
    for (std::size_t k = 0; k < held_.size(); ++k) {
      const Held& h = held_[k];
      MatrixXd moves = MatrixXd::Zero(3, n), turns = MatrixXd::Zero(3, n);
      for (const auto& [body, sign] : {std::pair{h.a, -1.0}, std::pair{h.b, 1.0}}) {
        if (body < 0) continue;
        const Vector3d arm = h.at - solids_[static_cast<std::size_t>(body)].at;
        moves.block(0, 6 * body, 3, 6) << sign * Matrix3d::Identity(), -sign * cross(arm);
        turns.block(0, 6 * body + 3, 3, 3) = sign * Matrix3d::Identity();
      }
      if (h.load != 0)
        force += h.load * (h.moves.empty() ? turns.transpose() * h.turns.back().normalized()
                                           : moves.transpose() * h.moves.back().normalized());
      rows.middleRows(static_cast<Eigen::Index>(6 * k), 3) = without(h.moves) * moves;
      rows.middleRows(static_cast<Eigen::Index>(6 * k) + 3, 3) = without(h.turns) * turns;
    }
    const MatrixXd inverse = mass.inverse();
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> schur;
    schur.setThreshold(1e-11);
    schur.compute(rows * inverse * rows.transpose());
    return inverse * (force - rows.transpose() * schur.solve(rows * inverse * force));
  }

 private:
  static Matrix3d cross(const Vector3d& v) {
    Matrix3d m;
    m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
    return m;
  }
  // The projection that leaves out these directions.
  static Matrix3d without(const std::vector<Vector3d>& free) {
    Matrix3d left = Matrix3d::Identity();
    for (const Vector3d& direction : free) {
      const Vector3d rest = left * direction;
      if (rest.norm() > 1e-12) left -= rest * rest.transpose() / rest.squaredNorm();
    }
    return left;
  }

  std::vector<Solid> solids_;
  std::vector<Held> held_;
  std::string text_;
};

std::string looked_at(const Mechanism& m, const std::string& text) {
  std::string outputs;
  for (const Solid& s : m.solids())
    outputs += "output a_" + s.name + " = " + s.name + ".acc\noutput w_" + s.name + " = " + s.name + ".rot*" + s.name +
               ".alpha\n";
  const std::size_t end = text.find("\nsimulate");
  return text.substr(0, end) + "\noutput E = energy.total\n" + outputs + text.substr(end);
}

void check_start(const Mechanism& m, const std::vector<double>& drives, int freedoms) {
  const std::string text = looked_at(m, imported_robot(m.sdf()));
  CAPTURE(text);
  const Model model = model_of(text);
  Simulation simulation = Simulation::create(model).value();
  for (std::size_t k = 0; k < drives.size(); ++k) REQUIRE(simulation.set_input(k, drives[k]).ok());
  const VectorXd expected = m.accelerations();
  const double size = expected.cwiseAbs().maxCoeff();
  for (std::size_t k = 0; k < m.solids().size(); ++k)
    for (int i = 0; i < 6; ++i) {
      const std::string name = (i < 3 ? "a_" : "w_") + m.solids()[k].name + "." + std::string(1, "xyz"[i % 3]);
      const double found = simulation.output(name).value();
      CHECK_MESSAGE(std::fabs(found - expected[static_cast<Eigen::Index>(6 * k) + i]) <= 1e-10 * size,
                    name << " " << found << " " << expected[static_cast<Eigen::Index>(6 * k) + i]);
    }
  RunOptions brief;
  brief.span = {0.0, 0.001};
  const RunResult run = simulation.run(brief);
  CHECK_MESSAGE(run.status == Status::complete, run.rendered);
  CHECK(run.freedoms == freedoms);
}

// Runs without drives: the energy is kept.
void check_run(const Mechanism& m, double until) {
  Simulation simulation = Simulation::create(model_of(looked_at(m, imported_robot(m.sdf())))).value();
  const double begun = simulation.output("E").value();
  RunOptions brief;
  brief.span = {0.0, until};
  const RunResult run = simulation.run(brief);
  CHECK_MESSAGE(run.status == Status::complete, run.rendered);
  CHECK(std::fabs(simulation.output("E").value() - begun) <= 1e-6 * (1 + std::fabs(begun)));
}

Vector3d polar(double radius, double degrees, double z) {
  const double angle = degrees * std::numbers::pi / 180;
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

const std::string kDrive = "<limit><effort>100</effort></limit>";

// Six legs with universal joints below and ball joints above.
Mechanism stewart(const Vector3d& at, const Matrix3d& axes, const std::vector<double>& drives) {
  Mechanism m;
  const int platform = m.body("platform", at, axes, {0.02, 0.01, 0.05}, 10, 0.5);
  for (int k = 0; k < 6; ++k) {
    const double side = k % 2 == 0 ? -1 : 1, third = 120.0 * (k / 2);
    const Vector3d below = polar(1, third + 10 * side, 0), above = at + axes * polar(0.6, third + 50 * side, 0);
    const Vector3d leg = (above - below).normalized();
    const Matrix3d turn = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), leg).toRotationMatrix();
    const std::string number = std::to_string(k);
    const int lower = m.body("lower" + number, below, turn, {0, 0, 0.2}, 1, 0.02),
              upper = m.body("upper" + number, above, turn, {0, 0, -0.2}, 0.8, 0.015);
    m.hold("base" + number, "universal", -1, lower, below, {turn.col(0), turn.col(1)});
    m.hold("leg" + number, "prismatic", lower, upper, below, {leg}, drives[static_cast<std::size_t>(k)], kDrive);
    m.hold("ball" + number, "ball", platform, upper, above);
  }
  return m;
}

}  // namespace

TEST_CASE("SDF loops: a Stewart platform") {
  std::mt19937 random(5);
  const auto number = [&](double size) { return std::uniform_real_distribution<double>(-size, size)(random); };
  for (int trial = 0; trial < 6; ++trial) {
    CAPTURE(trial);
    std::vector<double> drives;
    for (int k = 0; k < 6; ++k) drives.push_back(number(60));
    const Vector3d at(number(0.1), number(0.1), 0.9 + number(0.1));
    const Matrix3d axes = turned({number(0.2), number(0.2), number(0.2)});
    check_start(stewart(at, axes, drives), drives, 6);
    if (trial == 0) check_run(stewart(at, axes, std::vector<double>(6, 0.0)), 0.3);
  }
}

TEST_CASE("SDF loops: a leg like Cassie's, with a rod from the thigh to a spring at the heel") {
  std::mt19937 random(7);
  const auto number = [&](double size) { return std::uniform_real_distribution<double>(-size, size)(random); };
  for (int trial = 0; trial < 6; ++trial) {
    CAPTURE(trial);
    Mechanism m;
    const auto somewhere = [&](const Vector3d& near) {
      return Vector3d(near + 0.05 * Vector3d(number(1), number(1), number(1)));
    };
    const Vector3d across = Vector3d::UnitY();
    const auto turn = [&] { return turned({0, number(1), 0}); };
    const Matrix3d leaning = turned({number(0.3), number(0.3), number(0.3)});
    const int pelvis = m.body("pelvis", {0, 0, 1}, leaning, {0.01, 0, 0.05}, 10, 0.3);
    std::vector<double> drives{number(20), number(20)};
    for (int side = 0; side < 2; ++side) {
      const std::string s = side == 0 ? "left_" : "right_";
      const Vector3d hip = somewhere({0, side == 0 ? 0.13 : -0.13, 0.95}), knee = somewhere({0.1, hip[1], 0.55}),
                     ankle = somewhere({-0.15, hip[1], 0.25}), heel = ankle + Vector3d(-0.05, 0, 0.02),
                     tip = somewhere({-0.2, hip[1], 0.3});
      const int thigh = m.body(s + "thigh", hip, turn(), {0.02, 0, -0.2}, 3, 0.05);
      const int shin = m.body(s + "shin", knee, turn(), {0, 0.01, -0.1}, 1, 0.02);
      const int tarsus = m.body(s + "tarsus", ankle, turn(), {0.1, 0, -0.1}, 0.8, 0.015);
      const int spring = m.body(s + "spring", heel, turn(), {-0.03, 0, 0}, 0.1, 0.001);
      const Vector3d top = hip + Vector3d(0.02, 0.03, -0.05);
      const int rod = m.body(s + "rod", top, turn(), {0, 0, -0.2}, 0.2, 0.003);
      m.hold(s + "hip", "universal", pelvis, thigh, hip, {Vector3d::UnitX(), across},
             drives[static_cast<std::size_t>(side)], kDrive);
      m.hold(
          s + "knee", "revolute", thigh, shin, knee, {across}, 1500 * 0.002,
          "<dynamics><spring_stiffness>1500</spring_stiffness><spring_reference>0.002</spring_reference></dynamics>");
      m.hold(s + "ankle", "revolute", shin, tarsus, ankle, {across});
      m.hold(
          s + "leaf", "revolute", tarsus, spring, heel, {across}, 1250 * -0.003,
          "<dynamics><spring_stiffness>1250</spring_stiffness><spring_reference>-0.003</spring_reference></dynamics>");
      m.hold(s + "rod_top", "universal", thigh, rod, top, {Vector3d::UnitX(), Vector3d::UnitY()});
      m.hold(s + "rod_end", "ball", spring, rod, tip);
    }
    check_start(m, drives, 6 + 2 * (2 + 1 + 1 + 1 + 2 - 3));
  }
}

TEST_CASE("SDF loops: a parallel gripper keeps its fingers straight") {
  // Each finger hangs on a crank and a rocker of equal lengths; the right side mimics the left one. With the mass
  // centres of cranks in their pivots and without gravity: torque = 2*(2*J + m*L^2)*angle''.
  constexpr double kLength = 0.08, kMoment = 0.002, kMass = 0.3, kTorque = 0.05;
  const auto side = [&](const std::string& s, double sign, const std::string& more) {
    const auto at = [&](double x, double z) { return "<pose>" + shown(sign * x) + " 0 " + shown(z) + " 0 0 0</pose>"; };
    return link(s + "crank", at(0.02, 0.1), 0.1, kMoment) + link(s + "rocker", at(0.05, 0.1), 0.1, kMoment) +
           link(s + "finger", at(0.02, 0.1 + kLength), kMass, 0.01) +
           joint(s + "drive", "revolute", "palm", s + "crank", axis("0 1 0", more)) +
           joint(s + "follow", "revolute", "palm", s + "rocker", axis("0 1 0")) +
           joint(s + "tip", "revolute", s + "crank", s + "finger", axis("0 1 0")) +
           joint(s + "close", "revolute", s + "rocker", s + "finger",
                 "<pose>" + shown(sign * 0.03) + " 0 0 0 0 0</pose>" + axis("0 1 0"));
  };
  const std::string file =
      in_sdf("<world name=\"w\"><gravity>0 0 0</gravity><model name=\"m\">" + link("palm") +
             joint("hold", "fixed", "world", "palm") + side("l_", 1, "<limit><effort>1</effort></limit>") +
             side("r_", -1, "<mimic joint=\"l_drive\"><multiplier>-1</multiplier></mimic>") + "</model></world>");
  const std::string text = imported_robot(file);
  CAPTURE(text);
  const std::size_t end = text.find("\nsimulate");
  const Model model =
      model_of(text.substr(0, end) +
               "\noutput turn = norm(l_finger.rot*ez - ez) + norm(r_finger.rot*ez - ez)\noutput gap = "
               "l_finger.x + r_finger.x\noutput open = l_finger.x - 0.02 [m] - 0.08 [m]*sin(l_drive.angle)" +
               text.substr(end));
  Simulation simulation = Simulation::create(model).value();
  REQUIRE(simulation.set_input(0, kTorque).ok());
  std::vector<double> y(simulation.state().begin(), simulation.state().end()), rates(y.size());
  REQUIRE(simulation.rhs(0, y, rates).ok());
  const double expected = kTorque / (2 * (2 * kMoment + kMass * kLength * kLength));
  CHECK(rates[model.coordinates().size() + place_of(model.speeds(), "l_drive.angle'")] ==
        doctest::Approx(expected).epsilon(1e-11));
  RunOptions brief;
  brief.span = {0.0, 0.3};
  const RunResult run = simulation.run(brief);
  CHECK_MESSAGE(run.status == Status::complete, run.rendered);
  CHECK(run.freedoms == 1);
  for (const char* name : {"turn", "gap", "open"}) CHECK(std::fabs(simulation.output(name).value()) <= 1e-10);
}

}  // namespace mbc::test
