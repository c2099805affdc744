#include "bench/models.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace mbc::bench {
namespace {

struct Vec {
  double x = 0, y = 0, z = 0;
};

Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
std::string text_of(Vec a) { return fmt::format("({:.17g}, {:.17g}, {:.17g})", a.x, a.y, a.z); }

// A helix of unit rods. Each turns with its own angular velocity, so that w x d is a velocity the rods allow.
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
      "simulate {{ time = 0 .. 1 step 0.001 }}\n",
      kPendulumMass, kPendulumLength, kPendulumDrag, kGravity);
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
  return text + "simulate { time = 0 .. 1 step 0.001 }\n";
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
