// SPDX-License-Identifier: Apache-2.0
// Robots that are drawn at random, as parts for the Newton-Euler equations and as the text of a file.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tests/tools/robot_motion.h"

namespace mbc::test {

class DrawnRobot {
 public:
  struct Coordinate {
    std::string name;  // of the value
    int speed;
    std::string input = {};  // that drives it
  };
  struct Turning {  // a link that turns by itself
    std::string link;
    int part = 0;
    bool moves = false;  // has coordinates of its place too
  };
  std::vector<Part> parts;
  std::vector<Coordinate> coordinates;
  std::vector<Turning> turning;
  int speeds = 0;

  explicit DrawnRobot(unsigned seed) : random_(seed) {}
  double number(double size = 1) { return std::uniform_real_distribution<double>(-size, size)(random_); }
  Eigen::Vector3d vector(double size = 1) { return {number(size), number(size), number(size)}; }
  RobotMotion motion();

 protected:
  [[nodiscard]] int top() const { return static_cast<int>(parts.size()) - 1; }
  void add(Part p, int parent) {
    p.parent = parent;
    parts.push_back(std::move(p));
  }
  // Adds a link that moves freely on the last part: three slides and a ball joint.
  void free_joint(const std::string& name);

  std::mt19937 random_;
};

// Compares accelerations at drawn states with the Newton-Euler equations, to 1e-9 of the largest.
void check_motion(DrawnRobot& robot, const Model& model, int states);

}  // namespace mbc::test
