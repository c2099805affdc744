// SPDX-License-Identifier: Apache-2.0
// Statics: determinate trusses, whose rods leave no direction free, and whose tensions follow node by node from the
// balance of forces. Nothing moves, however flat the angle between two rods, and whatever the masses.
// MBC_RANDOM_MODELS=n tests n/10 trusses.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using mbc::test::number;
using mbc::test::random_models;
using mbc::test::Run;

namespace {

constexpr double kGravity = 9.81;

// Two supports at (-1, 0) and (1, 0), then nodes that two rods tie to two earlier points.
struct Truss {
  struct Node {
    double x, y, mass;
    std::array<std::size_t, 2> tied{};
  };
  std::vector<Node> nodes;

  [[nodiscard]] std::array<double, 2> along(std::size_t node, int rod) const {
    const Node &a = nodes[node], &b = nodes[a.tied[static_cast<std::size_t>(rod)]];
    const double length = std::hypot(a.x - b.x, a.y - b.y);
    return {(a.x - b.x) / length, (a.y - b.y) / length};
  }
  // Forces in the rods that balance these forces on the nodes (x, y of each), from the last node back: the two rods of
  // a node carry its load and what later rods hand on to it.
  [[nodiscard]] std::vector<double> tensions(std::vector<double> load) const {
    std::vector<double> out(2 * nodes.size());
    for (std::size_t k = nodes.size() - 1; k > 1; --k) {
      const auto p = along(k, 0), q = along(k, 1);
      const double determinant = p[0] * q[1] - p[1] * q[0];
      out[2 * k] = (load[2 * k] * q[1] - load[2 * k + 1] * q[0]) / determinant;
      out[2 * k + 1] = (p[0] * load[2 * k + 1] - p[1] * load[2 * k]) / determinant;
      for (int rod = 0; rod < 2; ++rod)
        for (std::size_t c = 0; c < 2; ++c)
          load[2 * nodes[k].tied[static_cast<std::size_t>(rod)] + c] +=
              out[2 * k + static_cast<std::size_t>(rod)] * along(k, rod)[c];
    }
    return out;
  }
  // Of the rows in the metric of the masses, in the norm of Frobenius.
  [[nodiscard]] double condition() const {
    double rows = 0, inverse = 0;
    for (std::size_t k = 2; k < nodes.size(); ++k)
      for (std::size_t c = 0; c < 2; ++c) {
        std::vector<double> load(2 * nodes.size());
        load[2 * k + c] = std::sqrt(nodes[k].mass);
        for (const double x : tensions(load)) inverse += x * x;
        rows += 1 / nodes[k].mass;
        if (const std::size_t other = nodes[k].tied[c]; other > 1) rows += 1 / nodes[other].mass;
      }
    return std::sqrt(rows * inverse);
  }
  [[nodiscard]] std::string point(std::size_t k) const {
    return k < 2 ? "ground.at(" + number(nodes[k].x) + ", 0)" : "p" + std::to_string(k);
  }
  [[nodiscard]] std::string text(const std::string& more) const {
    std::string out = "mbd 1\nspace 2\ngravity (0, -9.81)\n", outputs;
    for (std::size_t k = 2; k < nodes.size(); ++k)
      out += "particle " + point(k) + "(" + number(nodes[k].mass) + ") at (" + number(nodes[k].x) + ", " +
             number(nodes[k].y) + ")\n";
    for (std::size_t k = 2; k < nodes.size(); ++k)
      for (std::size_t rod = 0; rod < 2; ++rod) {
        const Node& other = nodes[nodes[k].tied[rod]];
        const std::string name = std::to_string(2 * k + rod);
        out += "constraint r" + name + ": dist(" + point(k) + ", " + point(nodes[k].tied[rod]) +
               ") == " + number(std::hypot(nodes[k].x - other.x, nodes[k].y - other.y)) + "\n";
        outputs += (outputs.empty() ? "output f" : ", f") + name + " = r" + name + ".lambda";
      }
    return out + outputs + "\nsimulate {\n  time = 0 .. 1 step 0.1\n" + more + "}\n";
  }
};

Truss random_truss(std::mt19937_64& random) {
  const auto between = [&](double a, double b) { return a + (b - a) * static_cast<double>(random() >> 11) * 0x1p-53; };
  Truss truss{{{-1, 0, 0}, {1, 0, 0}}};
  const auto count = 3 + random() % 4;
  const double ratio = std::pow(10.0, 3.0 * static_cast<double>(random() % 3));
  const double flat = std::pow(10.0, -static_cast<double>(random() % 4));
  while (truss.nodes.size() < count) {
    const std::size_t a = random() % truss.nodes.size(),
                      b = (a + 1 + random() % (truss.nodes.size() - 1)) % truss.nodes.size();
    const Truss::Node &from = truss.nodes[a], &to = truss.nodes[b];
    const double part = between(0.25, 0.75), height = flat * between(0.3, 1) * (random() % 2 == 0 ? 1 : -1);
    const double dx = to.x - from.x, dy = to.y - from.y;
    truss.nodes.push_back({from.x + part * dx - height * dy,
                           from.y + part * dy + height * dx,
                           std::pow(ratio, between(-0.5, 0.5)),
                           {a, b}});
  }
  return truss;
}

void check_tensions(const Truss& truss, const Run& r) {
  std::vector<double> weights(2 * truss.nodes.size());
  for (std::size_t k = 2; k < truss.nodes.size(); ++k) weights[2 * k + 1] = kGravity * truss.nodes[k].mass;
  const std::vector<double> exact = truss.tensions(weights);
  double largest = 0;
  for (const double x : exact) largest = std::max(largest, std::fabs(x));
  REQUIRE(r.code() == "");
  CHECK(r.result.warnings.empty());
  REQUIRE(r.rows() == 11);
  for (std::size_t row = 0; row < r.rows(); ++row)
    for (std::size_t k = 4; k < exact.size(); ++k)
      CHECK(std::fabs(r.at(row, "f" + std::to_string(k)) - exact[k]) <= 1e-10 * truss.condition() * largest);
}

}  // namespace

TEST_CASE("random determinate trusses hold their loads, flat ones and of masses a million apart") {
  std::mt19937_64 random(1);
  const std::vector<std::string> ways{"",
                                      "  integrator = rk4\n",
                                      "  integrator = bdf\n",
                                      "  stabilise = none\n",
                                      "  stabilise = partition\n",
                                      "  formulation = augmented\n",
                                      "  formulation = kane\n",
                                      "  formulation = volterra\n",
                                      "  formulation = maggi\n"};
  const int count = random_models(120, 10);
  for (int k = 0; k < count; ++k) {
    const Truss truss = random_truss(random);
    const std::string text = truss.text(ways[static_cast<std::size_t>(k) % ways.size()]);
    CAPTURE(text);
    check_tensions(truss, mbc::test::run(text));
  }
}

TEST_CASE("a flat truss beside a motion stands as still") {
  for (const double h : {0.05, 0.003, 0.001, 1e-4}) {
    CAPTURE(h);
    const Truss truss{{{-1, 0, 0}, {1, 0, 0}, {0, -h, 1, {0, 1}}}};
    const Run r = mbc::test::run(
        truss.text("") + "particle w(1) at (10, -1) moving (3, 0)\nconstraint ww: dist(w, ground.at(10, 0)) == 1\n");
    check_tensions(truss, r);
    CHECK(r.last("p2.vy") == 0);
    CHECK(std::fabs(r.last("p2.y") + h) <= 1e-14 / h);
    CHECK(std::fabs(r.last("w.x") - 10) > 0.01);
  }
}
