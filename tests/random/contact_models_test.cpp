// SPDX-License-Identifier: Apache-2.0
// Tests random models with unilateral constraints: polygons, rods and balls that fall on a floor, against walls and on
// each other, held by ropes. Both engines and the members of a sweep must give the same bits. Contact forces add no
// energy, and no gap is negative. Another formulation gives the same motion through all impacts.
// MBC_RANDOM_MODELS=n tests n/20 models.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/split_mix64.h"
#include "tests/physics/run.h"
#include "tests/random/comparisons.h"
#include "tests/random/doors.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

int models() { return random_models(100, 20); }

class ContactText {
 public:
  explicit ContactText(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    out_ = "mbd 1\nspace 2\ngravity (0, -10)\nparam k = 1\n";
    bounce_ = one_in(3) ? "" : value(0, 0.9);
    const int parts = 1 + whole(3);
    for (int i = 1; i <= parts; ++i) part(i);
    std::string gaps;
    for (const std::string& name : rows_)
      gaps += (gaps.empty() ? "" : ", ") + ("gap_" + name + " = " + name + ".residual");
    out_ += "output E = energy.total, " + gaps + "\n";
    const char* methods[] = {"auto", "rk4", "dopri5(rtol = 1e-8, atol = 1e-9)"};
    out_ += std::string("simulate { time = 0 .. 1.5 step 0.01; integrator = ") + methods[whole(3)] + " }\n";
    return out_;
  }
  [[nodiscard]] const std::vector<std::string>& rows() const { return rows_; }

 private:
  // The previous part is below this one.
  void part(int i) {
    const std::string n = std::to_string(i), height = number(0.3 + i * 0.9);
    if (one_in(3)) {  // This is a ball, which may lie on the previous ball.
      out_ += "particle p" + n + "(" + value(0.5, 3) + ") at (" + value(-0.3, 0.3) + ", " + height + ") moving (k*" +
              value(-1, 1) + ", " + value(-2, 1) + ")\n";
      const std::string at = "p" + n;
      row("floor" + n, at + ".y - 0.2");
      if (one_in(2)) row("wall" + n, "1 - " + at + ".x");
      if (!ball_.empty()) row("pair" + n, "dist(" + ball_ + ", " + at + ") - 0.4");
      ball_ = at;
      rope(at);
      return;
    }
    const std::string b = "b" + n;
    out_ += "body " + b + "(mass = " + value(0.5, 3) + ", inertia = " + value(0.05, 0.3) + ") at (" + value(-0.3, 0.3) +
            ", " + height + ") moving (k*" + value(-1, 1) + ", " + value(-2, 1) + ") rotated rot(" + value(-1, 1) +
            ") spinning " + value(-3, 3) + "\n";
    const int corners = 2 + whole(3);
    for (int k = 0; k < corners; ++k) {
      const double angle = 6.283185307179586 * k / corners;
      const std::string c = "c" + n + "_" + std::to_string(k);
      out_ += "point " + c + " on " + b + " at (" + number(0.3 * std::cos(angle)) + ", " +
              number(0.2 * std::sin(angle)) + ")\n";
      row("foot" + n + "_" + std::to_string(k), c + ".y");
      if (one_in(4)) row("side" + n + "_" + std::to_string(k), c + ".x + 1.5");
    }
    rope("c" + n + "_0");
  }

  void rope(const std::string& at) {
    if (one_in(3)) row("rope_" + at, "4.5 - norm(" + at + ".pos - (0.1, 0.2))");
  }

  void row(const std::string& name, const std::string& expression) {
    out_ +=
        "constraint " + name + ": " + expression + " >= 0" + (bounce_.empty() ? "" : " restitution " + bounce_) + "\n";
    rows_.push_back(name);
  }

  int whole(int n) { return static_cast<int>(0.5 * (random_.next() + 1) * n) % n; }
  bool one_in(int n) { return whole(n) == 0; }
  std::string value(double low, double high) { return number(low + 0.5 * (random_.next() + 1) * (high - low)); }

  SplitMix64 random_;
  std::string out_, bounce_, ball_;
  std::vector<std::string> rows_;
};

constexpr const char* kPushingFormulations[] = {"augmented", "projection", "lagrange",       "maggi",
                                                "kane",      "volterra",   "boltzmann_hamel"};

std::string exactly(const std::string& text) {
  return text.substr(0, text.find("integrator = ")) + "integrator = auto(tol = 1e-12) }\n";
}

}  // namespace

TEST_CASE("random models with contact: bits of both engines, in a sweep, energy, gaps, other formulations") {
  std::map<std::string, int> ends;
  std::uint64_t events = 0;
  double most_apart = 0;
  for (int seed = 0; seed < models(); ++seed) {
    ContactText made(static_cast<std::uint64_t>(seed) + 1);
    const std::string text = made.text();
    CAPTURE(seed);
    CAPTURE(text);
    const Run r = run_both(text);
    ++ends[r.code()];
    CAPTURE(r.code());
    CHECK(r.result.status == Status::complete);
    events += r.result.events;
    double most = 0, grown = 0, missing = 0;
    for (std::size_t k = 0; k < r.rows(); ++k) {
      const double e = r.at(k, "E");
      most = std::max(most, std::fabs(e));
      if (k > 0) grown = std::max(grown, e - r.at(k - 1, "E"));
      for (const std::string& name : made.rows()) missing = std::min(missing, r.at(k, "gap_" + name));
    }
    CHECK(grown < 1e-6 * most);
    CHECK(missing > -1e-7);
    const std::string other = kPushingFormulations[seed % 7];
    CAPTURE(other);
    // All columns are compared, including accelerations. Over 1000 models the difference is 1e-12 if the state contains
    // all speeds, and 5e-11 with independent speeds because of step errors.
    const ByFormulations both = by_formulations(exactly(text), other);
    CHECK(both.same());
    CHECK(both.one.result.status == Status::complete);
    most_apart = std::max(most_apart, both.apart);
    if (seed % 4 == 0) sweep_as_single_runs(text, r, r.names, seed % 8 == 0);
  }
  MESSAGE("by another formulation ", most_apart, " apart");
  CHECK(events > static_cast<std::uint64_t>(models()) * 5);
  CHECK(ends.size() == 1);
}

TEST_CASE("random models with contact: queries at the states of a run say what its rows say") {
  int alike = 0, states = 0;
  for (int seed = 0; seed < models() / 4; ++seed) {
    ContactText made(static_cast<std::uint64_t>(seed) + 1);
    const std::string text = made.text();
    CAPTURE(seed);
    CAPTURE(text);
    alike += check_doors(text);
    states += 8;
  }
  CHECK(alike > states / 2);  // rows of instants aside, the state alone decides
}
