// SPDX-License-Identifier: Apache-2.0
#include "bench/models.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "bench/small_yardstick.h"

namespace mbc::bench {
namespace {

struct Vec {
  double x = 0, y = 0, z = 0;
};

Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
std::string text_of(Vec a) { return fmt::format("({:.17g}, {:.17g}, {:.17g})", a.x, a.y, a.z); }

// Unit rods form a helix. Each one has its own angular velocity w, so that w x d is a velocity that the rods allow.
Vec rod_direction(int i) {
  const double azimuth = 0.4 + 0.35 * i, slope = 0.6 * std::cos(0.9 * i);
  return {std::cos(azimuth) * std::cos(slope), std::sin(azimuth) * std::cos(slope), std::sin(slope)};
}
Vec rod_velocity(int i) { return cross({0.15, 0.3 * std::sin(0.7 * i), 0.25}, rod_direction(i)); }

std::string read_text(const std::string& path) {
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string pendulum_text() {
  return fmt::format(
      "mbd 1\nspace 2\n"
      "param m = {}, L = {}, c = {}, g = {}\n"
      "gravity (0, -g)\n"
      "particle bob(m) at (L*sin(0.7), -L*cos(0.7)) moving (1.3*cos(0.7), 1.3*sin(0.7))\n"
      "force drag on bob: -c*bob.vel\n"
      "constraint rod: dist(ground, bob) == L\n"
      "simulate {{ time = 0 .. 1 step 0.001; integrator = rk4 }}\n",
      kPendulumMass, kPendulumLength, kPendulumDrag, kGravity);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::string chain_text(int count, bool doubled) {
  std::string text = fmt::format("mbd 1\ngravity (0, 0, -{})\n", kGravity);
  Vec position, velocity;
  for (int i = 1; i <= count; ++i) {
    position = position + rod_direction(i);
    velocity = velocity + rod_velocity(i);
    text += fmt::format("particle p{}(1) at {} moving {}\n", i, text_of(position), text_of(velocity));
  }
  for (int i = 1; i <= count; ++i) {
    const std::string distance = i == 1 ? "dist(ground, p1)" : fmt::format("dist(p{}, p{})", i - 1, i);
    text += fmt::format("constraint rod{}: {} == 1\n", i, distance);
    if (doubled) text += fmt::format("constraint again{}: {}^2 == 1\n", i, distance);
  }
  return text + "simulate { time = 0 .. 1 step 0.001; integrator = rk4 }\n";
}

std::string chain_with_params(int count) {
  std::string text = replaced(chain_text(count, false), fmt::format("(0, 0, -{})", kGravity), "(0, 0, -g)");
  std::string params = fmt::format("mbd 1\nparam g = {}\n", kGravity);
  for (int i = 1; i <= count; ++i) {
    params += fmt::format("param m{0} = 1, L{0} = 1\n", i);
    text = replaced(text, fmt::format("particle p{}(1)", i), fmt::format("particle p{0}(m{0})", i));
    const std::string before = i == 1 ? "ground, p1" : fmt::format("p{}, p{}", i - 1, i);
    text = replaced(text, fmt::format("dist({}) == 1\n", before), fmt::format("dist({}) == L{}\n", before, i));
  }
  return replaced(text, "mbd 1\n", params);
}

std::string looped_chain_text(int count, int steps) {
  return fmt::format(
      "mbd 1\ngravity (0, 0, -9.81)\nparticle p[i in 1..{0}](1) at (i, 0.3*(i - 2*floor(i/2)), 0)\n"
      "constraint first: dist(ground, p[1]) == sqrt(1.09)\n"
      "constraint rod[i in 2..{0}]: dist(p[i-1], p[i]) == sqrt(1.09)\n"
      "simulate {{ time = 0 .. {1} step 0.001; integrator = rk4 }}\n",
      count, 0.001 * steps);
}

std::string rotary_pendulum_text() {
  return fmt::format(
      "mbd 1\ncoord th = 0 rate 0.5\ncoord al = 0.4 rate -0.3\ngravity (0, 0, -{0})\n"
      "body arm(mass = 1, inertia = diag({1}, {1}, {1})) follows frame(origin = (0, 0, 0), rotation = rotz(th))\n"
      "body rod(mass = {2}, inertia = diag({3}, {3}, 0)) follows frame(\n"
      "  origin = rotz(th)*((-{4}, 0, 0) + rotx(al)*(0, 0, {5})), rotation = rotz(th)*rotx(al))\n"
      "simulate {{ time = 0 .. 1 step 0.001; integrator = rk4 }}\n",
      kGravity, kArmInertia, kRodMass, kRodInertia, kArm, kRodCentre);
}

std::string sleigh_text() {
  return fmt::format(
      "mbd 1\nspace 2\n"
      "body sleigh(mass = {}, inertia = {}) at (0, 0) rotated rot(0.4) moving ({:.17g}, {:.17g}) spinning 0.5\n"
      "point blade on sleigh at (-{}, 0)\n"
      "constraint edge: dot(blade.vel, sleigh.rot*ey) == 0\n"
      "force thrust on sleigh: {}*(sleigh.rot*ex)\n"
      "torque drag on sleigh: -{}*sleigh.angle'\n"
      "simulate {{ time = 0 .. 1 step 0.001; integrator = rk4 }}\n",
      kSleighMass, kSleighInertia, std::cos(0.4) * 0.8 - std::sin(0.4) * kBlade * 0.5,
      std::sin(0.4) * 0.8 + std::cos(0.4) * kBlade * 0.5, kBlade, kThrust, kSpinDrag);
}

std::string triple_pendulum_text(const std::string& bodies) {
  return fmt::format(
      "mbd 1\ngravity (0, 0, -9.81)\n"
      "body b1(mass = 2, inertia = diag(0.053, 2.693, 2.693)) at (2, 0, 0)\n"
      "body b2(mass = 3, inertia = diag(0.080, 4.040, 4.040)) at (4, 2, 0) rotated rotz(pi/2)\n"
      "body b3(mass = 4, inertia = diag(0.107, 5.387, 5.387)) at (6, 4, 0)\n"
      "point a1 on b1 at (-2, 0, 0)\npoint e1 on b1 at (2, 0, 0)\n"
      "point a2 on b2 at (-2, 0, 0)\npoint e2 on b2 at (2, 0, 0)\npoint a3 on b3 at (-2, 0, 0)\n"
      "constraint A: a1.pos == ground.pos\nconstraint B: e1.pos == a2.pos\nconstraint C: e2.pos == a3.pos\n"
      "simulate {{ time = 0 .. 1 step 0.01; bodies = {}; integrator = dopri5(rtol = 1e-12, atol = 1e-13) }}\n",
      bodies);
}

std::string example_path(const std::string& file) { return std::string(MBC_EXAMPLES_DIR) + "/" + file; }

std::vector<BenchModel> bench_models() {
  std::vector<BenchModel> models{
      {"two_particles", read_text(example_path("two_particles.mbd")), Shape::two_particles, 0, 0.3},
      {"pendulum", pendulum_text(), Shape::pendulum, 0, 0.0}};
  for (const int count : {1, 3, 10, 30, 100})
    models.push_back({fmt::format("chain_{}", count), chain_text(count, false), Shape::chain, count, 0.0});
  models.push_back({"redundant_10", chain_text(10, true), Shape::redundant_chain, 10, 0.0});
  return models;
}

}  // namespace mbc::bench
