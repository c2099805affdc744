// SPDX-License-Identifier: Apache-2.0
// Tests the errors that runs tell, on random models: oscillators, linear and not, that decay, grow, start slowly, are
// hit late or are chaotic; pendulums as coordinates and with rows; orbits; decay that fixed steps do not resolve; up to
// three events and discontinuities: balls that bounce, loads that switch, springs that touch. The
// true error is the largest distance of a row from the same row by dop853 at a tolerance of 1e-13, relative to the size
// of the motion. It is known to the distance of that run from one by Taylor series. MBC_RANDOM_MODELS=n tests n models
// by each method.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Method {
  const char* name;
  double step;             // in units of the step that rk4 would have; 0: the method chooses its steps
  bool symmetric = false;  // it takes conservative models alone
  bool by_sizes = false;   // its tolerance is relative to the sizes of the model
};
constexpr Method kMethods[] = {{"rk4", 1},
                               {"ab4", 0.4},
                               {"dopri5(fixed)", 1.5},
                               {"dop853(fixed)", 4},
                               {"gauss4", 1, true},
                               {"gauss6", 2.5, true},
                               {"dopri5", 0},
                               {"dop853", 0},
                               {"auto", 0, false, true},
                               {"taylor", 0, false, true},
                               {"bdf", 0}};

// A Part is a list of columns that share one size. It is 1 for angles, the largest side of the box of the motion for
// places, and the largest value for speeds and states.
struct Part {
  enum class Kind { angle, place, value } kind;
  std::vector<std::string> columns;
};

struct Model {
  std::string kind, text;
  std::vector<Part> parts;
  bool conservative = false;     // symmetric methods take it
  double fast = 1;               // the shortest time of the motion
  double least = 5, most = 200;  // the span in these times
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : rng_(seed) {}

  Model model() {
    switch (rng_.below(20u)) {
      case 0:
        return coordinate("linear", "-" + num(w2()) + "*x - " + num(damping()) + "*x'");
      case 1:
        return coordinate("growing", "-x + " + num(rng_.log_between(1e-3, 0.5)) + "*x'");
      case 2:
        return duffing();
      case 3:
        return coordinate("van der pol", num(rng_.log_between(0.1, 5)) + "*(1 - x^2)*x' - x");
      case 4:
        return coordinate("driven",
                          "-x - " + num(rng_.log_between(0.02, 1)) + "*x' + cos(" + num(rng_.between(0.3, 3)) + "*t)");
      case 5:
        return slow_start();
      case 6:
        return burst();
      case 7:
        return coordinate("two wells", "x - x^3 - 0.25*x' + " + num(rng_.between(0.1, 0.45)) + "*cos(t)");
      case 8:
        return pendulum();
      case 9:
        return pendulum_with_row();
      case 10:
        return double_pendulum();
      case 11:
        return lorenz();
      case 12:
        return exponential();
      case 13:
        return unresolved();
      case 14:
        return orbit();
      case 15:
        return ball();
      case 16:
        return switched("relay",
                        "-" + num(rng_.log_between(0.1, 1)) + "*sign(x - " + num(rng_.between(-0.3, 0.3)) + ")");
      case 17:
        return switched("touch",
                        "-" + num(rng_.log_between(0.3, 30)) + "*max(x - " + num(rng_.between(0.05, 0.15)) + ", 0)");
      case 18:
        return struck();
      default:
        return two_oscillators();
    }
  }
  double steps_each_time() { return rng_.log_between(1.5, 100); }
  double tolerance() { return rng_.log_between(1e-11, 1e-4); }
  double span(const Model& m) { return m.fast * rng_.log_between(m.least, m.most); }

 private:
  static std::string num(double x) { return number(x); }
  double w2() { return rng_.log_between(0.25, 4); }
  double damping() { return rng_.chance(0.4) ? 0 : rng_.log_between(1e-3, 1); }

  Model coordinate(const char* kind, const std::string& force) {
    Model m;
    m.kind = kind;
    m.text = "coord x = " + num(rng_.between(0.2, 1)) + " rate " + num(rng_.between(-0.5, 0.5)) +
             "\nkinetic T: x'^2/2\nload f on x: " + force + "\noutput v = x'\n";
    m.parts = {{Part::Kind::place, {"x"}}, {Part::Kind::value, {"v"}}};
    return m;
  }
  Model duffing() {
    Model m = coordinate("duffing", "0");
    m.text = replaced(m.text, "load f on x: 0", "potential V: x^2/2 + " + num(rng_.log_between(0.03, 3)) + "*x^4");
    m.conservative = true;
    return m;
  }
  Model slow_start() {
    Model m = coordinate("slow start", "-x + t^" + std::to_string(1 + rng_.below(4u)));
    m.text = replaced(m.text, "coord x = " + m.text.substr(10, m.text.find("\n") - 10), "coord x = 0 rate 0");
    m.most = 30;
    return m;
  }
  Model burst() {
    const double at = rng_.between(5, 20), width = rng_.log_between(0.05, 1);
    Model m = coordinate(
        "burst", "-x + " + num(rng_.log_between(1, 30)) + "*exp(-((t - " + num(at) + ")/" + num(width) + ")^2)");
    m.fast = std::max(0.2, width);
    m.least = m.most = 25 / m.fast;
    return m;
  }
  Model pendulum() {
    Model m = coordinate("pendulum", "0");
    m.text = "coord x = " + num(rng_.between(0.3, 3.1)) +
             " [rad] rate 0\nkinetic T: x'^2/2\npotential V: -cos(x)\noutput v = x'\n";
    m.parts[0].kind = Part::Kind::angle;
    m.conservative = true;
    return m;
  }
  Model pendulum_with_row() {
    Model m;
    m.kind = "row";
    m.conservative = true;
    m.text = "space 2\ngravity (0, -1)\nparticle p(1) at (1, 0) moving (0, " + num(rng_.between(-1, 2)) +
             ")\nconstraint rod: p.x^2 + p.y^2 == 1\noutput vx = p.vx\noutput vy = p.vy\n";
    m.parts = {{Part::Kind::place, {"p.x", "p.y"}}, {Part::Kind::value, {"vx", "vy"}}};
    return m;
  }
  Model double_pendulum() {
    Model m;
    m.kind = "two rows";
    m.conservative = true;
    const double a = rng_.between(0, 1.5);
    m.text = "space 2\ngravity (0, -1)\nparticle p(1) at (" + num(std::sin(a)) + ", " + num(-std::cos(a)) +
             ")\nparticle q(1) at (" + num(std::sin(a) + 1) + ", " + num(-std::cos(a)) +
             ")\nconstraint a: p.x^2 + p.y^2 == 1\nconstraint b: (q.x - p.x)^2 + (q.y - p.y)^2 == 1\n"
             "output vx = p.vx\noutput vy = p.vy\noutput wx = q.vx\noutput wy = q.vy\n";
    m.parts = {{Part::Kind::place, {"p.x", "p.y", "q.x", "q.y"}}, {Part::Kind::value, {"vx", "vy", "wx", "wy"}}};
    m.fast = 0.5;
    m.most = 60;
    return m;
  }
  Model states(const char* kind, const std::string& text, const std::vector<std::string>& names) {
    Model m;
    m.kind = kind;
    m.text = "coord dummy = 0\nkinetic Q: dummy'^2/2\n" + text;
    for (const std::string& name : names) m.parts.push_back({Part::Kind::value, {name}});
    return m;
  }
  Model lorenz() {
    Model m = states(
        "lorenz",
        "state x = " + num(rng_.between(1, 5)) +
            " where x' = 10*(y - x)\nstate y = 1 where y' = x*(28 - z) - y\nstate z = 20 where z' = x*y - 8/3*z\n",
        {"x", "y", "z"});
    m.fast = 0.1;
    m.least = 10;
    m.most = 200;
    return m;
  }
  Model exponential() {
    Model m = states("exponential",
                     "state x = " + num(rng_.log_between(1e-6, 1)) + " where x' = " + num(rng_.chance(0.3) ? -1 : 1) +
                         "*x\nstate y = 0 where y' = x - y\n",
                     {"x", "y"});
    m.most = 50;
    return m;
  }
  Model unresolved() {
    const double rate = rng_.log_between(1, 100);
    Model m = states("decay", "state x = 0 where x' = " + num(rate) + "*(cos(t) - x)\n", {"x"});
    m.most = 50;
    return m;
  }
  Model orbit() {
    Model m;
    m.kind = "orbit";
    m.conservative = true;
    const double e = rng_.between(0, 0.8);
    m.text = "space 2\nparticle p(1) at (" + num(1 - e) + ", 0) moving (0, " + num(std::sqrt((1 + e) / (1 - e))) +
             ")\npotential V: -1/norm(p.pos)\noutput vx = p.vx\noutput vy = p.vy\n";
    m.parts = {{Part::Kind::place, {"p.x", "p.y"}}, {Part::Kind::value, {"vx", "vy"}}};
    m.fast = std::pow(1 - e, 1.5);
    m.least = 6.3 / m.fast;
    m.most = 60 / m.fast;
    return m;
  }
  // A ball above a wall that it meets one to three times.
  Model ball() {
    Model m;
    m.kind = "ball";
    const double height = rng_.between(0.3, 1), e = rng_.between(0.5, 1);
    m.text = "space 1\ngravity -1\nparticle p(1) at " + num(height) + "\nforce drag on p: -" +
             num(rng_.log_between(1e-3, 0.3)) + "*p.vx - " + num(rng_.log_between(0.01, 1)) +
             "*p.x^3\nwhen low: p.x falling { p.vx = -" + num(e) + "*p.vx }\noutput v = p.vx\n";
    m.parts = {{Part::Kind::place, {"p.x"}}, {Part::Kind::value, {"v"}}};
    m.fast = std::sqrt(2 * height);
    m.least = 1.2;
    m.most = 4;
    return m;
  }
  // A vibration with a load that jumps, or bends, where it passes a place.
  Model switched(const char* kind, const std::string& load) {
    Model m = coordinate(kind, "-x - 0.05*x^3 " + load);
    m.least = 3;
    m.most = 10;
    return m;
  }
  // A vibration that is hit at places or times.
  Model struck() {
    Model m = coordinate("struck", "-x - 0.3*x^3");
    m.text += rng_.chance(0.5)
                  ? "when hit: x - " + num(rng_.between(-0.1, 0.1)) + " falling { x' = " + num(rng_.between(0.5, 1)) +
                        "*x' + " + num(rng_.between(-0.3, 0.3)) + " }\n"
                  : "at hit: " + num(rng_.between(1, 3)) + " { x' = x' + " + num(rng_.between(-1, 1)) + " }\n";
    m.least = 3;
    m.most = 15;
    return m;
  }
  Model two_oscillators() {
    const double fast = rng_.log_between(1, 30);
    Model m = coordinate("two oscillators", "-x + " + num(rng_.between(0, 0.5)) + "*y");
    m.text += "coord y = " + num(rng_.log_between(0.01, 1)) + " rate 0\nkinetic U: y'^2/2\nload g on y: -" +
              num(fast * fast) + "*y + 0.3*x^2\noutput w = y'\n";
    m.parts.push_back({Part::Kind::place, {"y"}});
    m.parts.push_back({Part::Kind::value, {"w"}});
    m.fast = 1 / fast;
    m.least = 10;
    m.most = 400;
    return m;
  }

  Rng rng_;
};

double distance(const Run& a, const Run& b, const std::vector<Part>& parts) {
  double worst = 0;
  for (const Part& part : parts) {
    double size = part.kind == Part::Kind::angle ? 1 : 0, apart = 0;
    for (const std::string& name : part.columns) {
      double low = a.at(0, name), high = low, top = 0;
      for (std::size_t row = 0; row < a.rows(); ++row) {
        const double x = a.at(row, name);
        low = std::min(low, x);
        high = std::max(high, x);
        top = std::max(top, std::fabs(x));
        apart = std::max(apart, std::fabs(x - b.at(row, name)));
      }
      if (part.kind == Part::Kind::place) size = std::max(size, high - low);
      if (part.kind == Part::Kind::value) size = std::max(size, top);
    }
    worst = std::max(worst, apart / size);
  }
  return worst;
}

struct Figures {
  int judged = 0, untold = 0, too_small = 0, too_large = 0, unwarned = 0, inaccurate = 0, needless = 0;
};

Run run_by(const std::string& text, const std::string& method, std::uint32_t every) {
  Simulation simulation = compile_text(text + "; integrator = " + method + " }\n", Engine::interpreter);
  RunOptions options;
  options.output_every = every;
  return run(simulation, options);
}

// Returns the method as it is written in a model. `tolerance` is that of a method that chooses its steps.
std::string written(const Method& method, double tolerance) {
  if (method.step > 0) return method.name;
  const std::string tol = number(tolerance);
  return std::string(method.name) +
         (method.by_sizes ? "(tol = " + tol : "(rtol = " + tol + ", atol = " + number(tolerance / 1000)) + ")";
}

void judge(std::uint64_t seed, const Method& method, Figures& out) {
  constexpr int kRows = 200;
  Draw draw(seed);
  const Model m = draw.model();
  if (method.symmetric && !m.conservative) return;
  const double span = draw.span(m), each_time = draw.steps_each_time(), tolerance = draw.tolerance();
  const bool fixed = method.step > 0;
  const int steps = fixed ? static_cast<int>(std::clamp(span / m.fast * each_time / method.step, 6.0, 20000.0)) : kRows;
  const std::string text =
      "mbd 1\n" + m.text + "simulate { time = 0 .. " + number(span) + " count " + std::to_string(steps);
  const std::uint32_t every = static_cast<std::uint32_t>(std::max(1, steps / kRows));
  const Run made = run_by(text, written(method, tolerance), every);
  if (made.result.status != Status::complete) return;
  const Run exact = run_by(text, "dop853(rtol = 1e-13, atol = 1e-16)", every);
  const Run other = run_by(text, "taylor(tol = 1e-13)", every);
  if (exact.result.status != Status::complete || other.result.status != Status::complete) return;
  const double known = distance(exact, other, m.parts);
  const double apart = distance(made, exact, m.parts), error = std::max(apart, known);
  if (known > 0.1 * error && error > 1e-10) return;
  ++out.judged;
  const std::optional<double>& told = made.result.accuracy.error;
  const bool warned = std::any_of(made.result.warnings.begin(), made.result.warnings.end(),
                                  [](const DiagnosticInfo& w) { return w.code == "W0658"; });
  const bool too_small = told && *told < std::min(apart - known, 1.0) / 10 && error > 1e-11;
  const bool too_large = told && *told > 100 * std::max(error, 1e-11);
  out.untold += !told;
  out.too_small += too_small;
  out.too_large += too_large;
  out.inaccurate += error > 1e-3;
  out.unwarned += error > 1e-3 && !warned;
  out.needless += error < 1e-4 && warned;
  if (long_run_of_models() &&
      (too_small || too_large || !told || (error > 1e-3 && !warned) || (error < 1e-4 && warned)))
    std::printf("  %s seed %d %s: %s%.2g, error %.2g, told %.2g%s%s%s%s\n", method.name, static_cast<int>(seed),
                m.kind.c_str(), fixed ? "steps " : "tolerance ", fixed ? steps : tolerance, error, told.value_or(-1),
                too_small ? " SMALL" : "", too_large ? " LARGE" : "", error > 1e-3 && !warned ? " UNWARNED" : "",
                error < 1e-4 && warned ? " NEEDLESS" : "");
}

}  // namespace

TEST_CASE("random models: the errors that runs tell hold") {
  const std::uint64_t first = first_random_seed(), models = static_cast<std::uint64_t>(random_models(66, 1));
  constexpr std::size_t kCount = std::size(kMethods);
  Figures all;
  for (std::size_t k = 0; k < kCount; ++k) {
    Figures found;
    for (std::uint64_t seed = first; seed < first + models; ++seed)
      if (long_run_of_models() || seed % kCount == k) judge(seed, kMethods[k], found);
    if (long_run_of_models())
      std::printf("%s: %d judged, %d too small, %d too large, %d not told, %d of %d not warned of, %d needlessly\n",
                  kMethods[k].name, found.judged, found.too_small, found.too_large, found.untold, found.unwarned,
                  found.inaccurate, found.needless);
    std::fflush(stdout);
    all.judged += found.judged;
    all.too_small += found.too_small;
    all.too_large += found.too_large;
    all.untold += found.untold;
    all.unwarned += found.unwarned;
    all.needless += found.needless;
    all.inaccurate += found.inaccurate;
  }
  CHECK(all.judged > 0);
  CHECK(all.too_small <= 0.005 * all.judged);
  CHECK(all.too_large <= 0.05 * all.judged);
  CHECK(all.untold <= 0.15 * all.judged);
  CHECK(all.unwarned <= 0.005 * all.inaccurate);
  CHECK(all.needless <= 0.05 * all.judged);
}
