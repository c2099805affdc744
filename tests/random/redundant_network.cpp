// SPDX-License-Identifier: Apache-2.0
#include "tests/random/redundant_network.h"

#include <array>
#include <cmath>
#include <vector>

#include "tests/compiler/ad/rng.h"

namespace mbc::test {

namespace {

std::string number(double x) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), x < 0 ? "(%.17g)" : "%.17g", x);
  return text.data();
}

// A Base is one equation in four forms: its value, its square, its rate, and its acceleration. Each is an equation
// `left == right` that the initial state satisfies.
struct Base {
  std::string value, constant;  // value == constant
  std::string rate;             // rate == 0
  std::string acceleration;     // acceleration == 0, the second derivative of the square
};

class Writer {
 public:
  Writer(std::uint64_t seed, int chain) : rng_(seed), chain_(chain) {}

  Network write() {
    plane_ = rng_.chance(0.3);
    turning_ = rng_.chance(0.5) ? rng_.between(-2, 2) : 0;
    n_ = 2 + static_cast<int>(rng_.below(5u));
    text_ = std::string("mbd 1\n") + (plane_ ? "space 2\ngravity (0, -9.81)\n" : "gravity (0.3, 0, -9.81)\n");
    for (int i = 0; i < n_; ++i) particle(i);
    if (rng_.chance(0.3)) coupling();
    if (!plane_ && rng_.chance(0.25)) body();
    independent_rows();
    const int copies = 1 + static_cast<int>(rng_.below(4u));
    for (int k = 0; k < copies; ++k) repeat();
    if (rng_.chance(0.25)) contradict();
    long_chain();
    text_ += "simulate { time = 0 .. 0.003 step 0.001; integrator = rk4 }\n";
    out_.text = text_;
    return out_;
  }

 private:
  std::string name(int i) const { return "p" + std::to_string(i); }

  // All particles move as one rigid body that turns about the z axis, so that every distance is constant.
  void particle(int i) {
    x_.push_back({rng_.between(-2, 2) + 3 * i, rng_.between(-2, 2), plane_ ? 0 : rng_.between(-1, 1)});
    const auto& [x, y, z] = x_.back();
    const std::string rest = plane_ ? ")" : ", " + number(z) + ")";
    text_ += "particle " + name(i) + "(" + number(rng_.log_between(0.1, 10)) + ") at (" + number(x) + ", " + number(y) +
             rest;
    if (turning_ != 0)
      text_ += " moving (" + number(-turning_ * y) + ", " + number(turning_ * x) + (plane_ ? ")" : ", 0)");
    text_ += "\n";
  }

  // Adds inertia that couples two particles.
  void coupling() {
    const int i = static_cast<int>(rng_.below(static_cast<unsigned>(n_)));
    const int j = (i + 1) % n_;
    text_ += "kinetic between: " + number(rng_.between(0.1, 1)) + "*dot(" + name(i) + ".vel + " + name(j) + ".vel, " +
             name(i) + ".vel + " + name(j) + ".vel)\n";
  }

  // Adds a bar on a ball joint that is written twice, the second time with other points.
  void body() {
    text_ +=
        "body bar(mass = 2, inertia = diag(0.1, 0.6, 0.6)) at (1, 20, 0)\n"
        "point end on bar at (-1, 0, 0)\npoint fixed on ground at (0, 20, 0)\n"
        "constraint joint: end.pos == fixed.pos\n";
    out_.rows += 3;
    if (rng_.chance(0.5)) {
      text_ += "constraint joint_again: 2*(end.pos - fixed.pos).y == 0\n";
      ++out_.rows;
      out_.redundant = true;
    }
  }

  Base rod(int i, int j) const {
    Base b;
    const std::string r = "(" + name(j) + ".pos - " + name(i) + ".pos)",
                      v = "(" + name(j) + ".vel - " + name(i) + ".vel)",
                      a = "(" + name(j) + ".acc - " + name(i) + ".acc)";
    const auto at = [&](int k) { return x_[static_cast<std::size_t>(k)]; };
    std::string list;
    for (std::size_t k = 0; k < (plane_ ? 2u : 3u); ++k)
      list += (k ? ", " : "") + number(at(j)[k]) + " - " + number(at(i)[k]);
    b.value = "dist(" + name(i) + ", " + name(j) + ")";
    b.constant = "norm((" + list + "))";
    b.rate = "dot(" + r + ", " + v + ")";
    b.acceleration = "dot(" + r + ", " + a + ") + dot(" + v + ", " + v + ")";
    return b;
  }
  Base hanging(int i) const {
    Base b;
    const auto& [x, y, z] = x_[static_cast<std::size_t>(i)];
    b.value = "norm(" + name(i) + ".pos)";
    b.constant = "norm((" + number(x) + ", " + number(y) + (plane_ ? "" : ", " + number(z)) + "))";
    b.rate = "dot(" + name(i) + ".pos, " + name(i) + ".vel)";
    b.acceleration = "dot(" + name(i) + ".pos, " + name(i) + ".acc) + dot(" + name(i) + ".vel, " + name(i) + ".vel)";
    return b;
  }
  Base level(int i) const {
    Base b;
    b.value = name(i) + ".z";
    b.constant = number(x_[static_cast<std::size_t>(i)][2]);
    b.rate = name(i) + ".vz";
    b.acceleration = name(i) + ".az";
    return b;
  }

  void row(const std::string& equation) {
    text_ += "constraint r" + std::to_string(count_++) + ": " + equation + "\n";
    ++out_.rows;
  }

  // Adds a tree of rods, which are independent, and particles on planes. The first particle is on a rod from the
  // origin.
  void independent_rows() {
    for (int i = 1; i < n_; ++i) {
      if (!rng_.chance(0.8)) continue;
      bases_.push_back(rod(static_cast<int>(rng_.below(static_cast<unsigned>(i))), i));
    }
    if (rng_.chance(0.6) || bases_.empty()) bases_.push_back(hanging(0));
    if (!plane_)
      for (int i = 0; i < n_; ++i)
        if (rng_.chance(0.25)) bases_.push_back(level(i));
    for (const Base& b : bases_) {
      const double form = rng_.unit();
      if (form < 0.6)
        row(b.value + " == " + b.constant);
      else if (form < 0.8)
        row(b.rate + " == 0");
      else
        row(b.acceleration + " == 0");
    }
  }

  const Base& any() { return bases_[rng_.below(bases_.size())]; }

  // Repeats an existing equation in another form.
  void repeat() {
    out_.redundant = true;
    const Base b = any(), c = any();
    const std::string k = number(rng_.sign() * rng_.log_between(1e-3, 1e3));
    switch (rng_.below(8u)) {
      case 0:
        return row(b.value + " == " + b.constant);
      case 1:  // The equation is squared.
        return row("(" + b.value + ")^2 == (" + b.constant + ")^2");
      case 2:  // The equation is in another unit.
        return row(k + "*(" + b.value + ") == " + k + "*(" + b.constant + ")");
      case 3:
        return row(b.rate + " == 0");
      case 4:
        return row(b.acceleration + " == 0");
      case 5:
        return row(b.value + " + " + k + "*" + c.value + " == " + b.constant + " + " + k + "*" + c.constant);
      case 6:
        return row(k + "*(" + b.rate + ") - (" + c.rate + ") == 0");
      default:
        return row("(" + b.value + ")*(" + c.value + ") == (" + b.constant + ")*(" + c.constant + ")");
    }
  }

  void contradict() {
    out_.conflict = true;
    const Base b = any(), c = any();
    switch (rng_.below(4u)) {
      case 0:
        return row(b.acceleration + " == " + number(rng_.between(0.1, 2)));
      case 1:
        return row(b.acceleration + " + 2*(" + c.acceleration + ") == " + number(rng_.between(0.1, 2)));
      case 2:
        return row(b.rate + " == " + number(rng_.between(0.1, 2)) + "*t");
      default:
        return row(b.value + " == " + b.constant + " + 0.5*t^2");
    }
  }

  void long_chain() {
    if (chain_ == 0) return;
    const std::string n = std::to_string(chain_), third = plane_ ? "" : ", 0";
    text_ += "particle c[i in 1.." + n + "](1/" + n + ") at (i, 100 + 0.3*(i - 2*floor(i/2))" + third +
             ")\npoint hook on ground at (0, 100" + third + ")\nconstraint c1: dist(hook, c[1]) == sqrt(1.09)\n" +
             "constraint cr[i in 2.." + n + "]: dist(c[i-1], c[i]) == sqrt(1.09)\n";
    out_.rows += chain_;
    if (!rng_.chance(0.5)) return;
    out_.redundant = true;
    for (int k = 0; k < 3; ++k) {
      const int i = 2 + static_cast<int>(rng_.below(static_cast<unsigned>(chain_ - 1)));
      const std::string rod = "c[" + std::to_string(i - 1) + "], c[" + std::to_string(i) + "]";
      row("dist(" + rod + ")^2 == 1.09");
    }
  }

  Rng rng_;
  int chain_ = 0, n_ = 0, count_ = 0;
  bool plane_ = false;
  double turning_ = 0;
  std::vector<std::array<double, 3>> x_;
  std::vector<Base> bases_;
  std::string text_;
  Network out_;
};

}  // namespace

Network redundant_network(std::uint64_t seed, int chain) { return Writer(seed, chain).write(); }

}  // namespace mbc::test
