// SPDX-License-Identifier: Apache-2.0
// Compares friction against rotation, as a statement with the true normal force in its limit, with closed forms:
// rolling resistance and drilling friction of a disc in the plane and of a ball in space, and brakes.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const std::string kRollingDisc = R"(mbd 1
space 2
param R = 0.1, m = 2, mu = 0.4, c = 0.002, cs = c, v = 1, w = -v/R, tilt = 0, end = 10
gravity (-10*sin(tilt), -10*cos(tilt))
body disc(mass = m, inertia = 0.5*m*R^2) at (0, R) moving (v, 0) spinning w
constraint deck: disc.y >= R
friction rub on disc.vx + R*disc.omega: mu*deck.lambda
friction roll on disc.omega: c*deck.lambda static cs*deck.lambda
output M = roll.lambda, sticks = if roll.sticks then 1 else 0
simulate { time = 0 .. end step 0.01; integrator = auto(tol = 1e-12) }
)";

const std::string kRollingBall = R"(mbd 1
param R = 0.1, m = 2, mu = 0.4, c = 0.002, cd = 0.001, q = 0, wx = -8, wy = 6, wz = 8, end = 10
gravity (0, 0, -10)
body ball(mass = m, inertia = diag(1, 1, 1)*0.4*m*R^2) at (0, 0, R) moving (0.6, 0.8, 0) spinning (wx, wy, wz)
constraint deck: ball.z >= R
force press on ball: (0, 0, -q*t)
let w = ball.rot*ball.omega
friction rub on (ball.vx - R*w.y, ball.vy + R*w.x): mu*deck.lambda
friction roll on (w.x, w.y): c*deck.lambda
friction drill on w.z: cd*deck.lambda
output wz = w.z, roll_size = norm(roll.lambda), turns = norm((w.x, w.y))
simulate { time = 0 .. end step 0.01; integrator = auto(tol = 1e-12) }
)";

// A ball slides and rotates across its slip: v' = -mu g s/|s|, J w' = -R ez x f - c m g w/|w|, s = v + w x (-R ez), J =
// 2/5 m R^2. In the time tau with dt = |s| dtau the slip decays like exp(-3.5 mu g tau), and all functions are smooth,
// so that Runge-Kutta steps reach its end.
struct Oblique {
  double R, mu, c;            // c: coefficient of the rolling resistance, relative to R
  std::array<double, 7> y{};  // vx, vy, R wx, R wy, t, x, y
  static constexpr double g = 10;

  [[nodiscard]] std::array<double, 7> rate(const std::array<double, 7>& a) const {
    const double sx = a[0] - a[3], sy = a[1] + a[2], s = std::hypot(sx, sy), w = std::hypot(a[2], a[3]);
    const double fx = -mu * g * sx, fy = -mu * g * sy, M = 2.5 * c / R * g * s / w;
    return {fx, fy, 2.5 * fy - M * a[2], -2.5 * fx - M * a[3], s, s * a[0], s * a[1]};
  }
  void slide(double h) {
    const auto moved = [&](const std::array<double, 7>& d, double by) {
      std::array<double, 7> at = y;
      for (std::size_t i = 0; i < 7; ++i) at[i] += by * d[i];
      return at;
    };
    while (std::hypot(y[0] - y[3], y[1] + y[2]) > 1e-12) {
      const auto a = rate(y), b = rate(moved(a, h / 2)), d = rate(moved(b, h / 2)), e = rate(moved(d, h));
      for (std::size_t i = 0; i < 7; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * d[i] + e[i]);
    }
  }
};

// Returns the angles at which a disc that rolls in a hollow reverses, on either side, until rolling friction holds it.
// The square u of the speed of its centre depends on the angle from the lowest place by
//   u' + b u = -K (sin + c/R cos),  b = 2 c/(R k), K = 2 a g/k, k = 1 + J/(m R^2),
// where a is the radius of the path of its centre, because the normal force is m (g cos + u/a).
std::vector<double> turns_in_hollow(double a, double R, double c, double k, double u) {
  const double b = 2 * c / (R * k), K = 20 * a / k, A = K * (1 - b * c / R) / (1 + b * b), B = -K * c / R - b * A;
  const auto part = [&](double angle) { return A * std::cos(angle) + B * std::sin(angle); };
  double from = 0;
  std::vector<double> turns;
  for (;;) {
    const auto left = [&](double angle) { return (u - part(from)) * std::exp(-b * (angle - from)) + part(angle); };
    double end = from + 1e-4;
    while (left(end) > 0) end += 1e-4;
    turns.push_back(zero_between(end - 1e-4, end, left));
    if (std::tan(turns.back()) <= c / R) return turns;
    from = -turns.back();  // The angle is now measured from the other side.
    u = 0;
  }
}

const std::string kBrake = R"(mbd 1
space 2
param R = 0.3, J = 2, mu = 0.4, F = 20, k = 0, w = 10, end = 10
body wheel(mass = 5, inertia = J) at (0, 0) spinning w
particle shoe(0.5) at (0, R)
constraint axle: wheel.pos == (0, 0)
constraint guide: shoe.x == 0
constraint rim: norm(shoe.pos) >= R
force press on shoe: (0, -F - k*(shoe.y - R + 0.1*t))
friction rub on R*wheel.omega + shoe.vx: mu*rim.lambda
output N = rim.lambda, side = guide.lambda, M = rub.lambda
simulate { time = 0 .. end step 0.01; integrator = auto(tol = 1e-12) }
)";

// The shoe is on a lever whose pin is higher than the rim by h. Friction presses the shoe on or lifts it.
const std::string kLever = R"(mbd 1
space 2
param R = 0.3, J = 2, mu = 0.4, F = 20, b = 0.2, h = 0.1, w = 10, q = 0
body wheel(mass = 5, inertia = J) at (0, 0) spinning w
body lever(mass = 0.8, inertia = 0.01) at (0, R + h)
point tip on lever at (0, -h)
constraint axle: wheel.pos == (0, 0)
constraint pin: lever.at(-b, 0).pos == (-b, R + h)
constraint rim: norm(tip.pos) >= R
force press on lever.at(b, 0): (0, -F)
torque motor on wheel: q*t
friction rub on R*wheel.omega + tip.vx: mu*rim.lambda
output N = rim.lambda
simulate { time = 0 .. 12 step 0.01; integrator = auto(tol = 1e-12) }
)";

double only_time(const std::map<std::string, std::vector<double>>& times, const std::string& event) {
  REQUIRE(times.contains(event));
  REQUIRE(times.at(event).size() == 1);
  return times.at(event)[0];
}

}  // namespace

TEST_CASE("a disc rolls out by rolling friction: when and where it stops, also where it slides at first") {
  const Run rolls = run_both(kRollingDisc);
  const double a = 0.002 * 10 / 0.1 / 1.5;  // The deceleration is c g/R over m + J/R^2.
  CHECK(std::fabs(only_time(times_of(kRollingDisc), "roll.rests") - 1 / a) < 1e-10);
  CHECK(!times_of(kRollingDisc).contains("rub.slips"));
  CHECK(std::fabs(rolls.last("disc.x") - 0.5 / a) < 1e-10);
  CHECK(std::fabs(rolls.at(300, "disc.vx") - (1 - 3 * a)) < 1e-12);
  CHECK(rolls.at(300, "M") == doctest::Approx(0.002 * 20).epsilon(1e-12));
  CHECK(std::fabs(rolls.last("disc.vx")) < 1e-14);
  CHECK(std::fabs(rolls.last("M")) < 1e-12);
  // The disc is thrown without spin: v' = -mu g and R W' = (mu - c/R) m g R^2/J until the two speeds are equal.
  const auto times = times_of(kRollingDisc, {"w=0"});
  const double turns = (0.4 - 0.02) * 20, meet = 1 / (4 + turns), v = 1 - 4 * meet;
  CHECK(std::fabs(only_time(times, "rub.rests") - meet) < 1e-12);
  CHECK(std::fabs(only_time(times, "roll.rests") - (meet + v / a)) < 1e-9);
  const Run slides = run_both(kRollingDisc, {"w=0"});
  CHECK(std::fabs(slides.at(5, "disc.omega") + turns / 0.1 * 0.05) < 1e-11);
  CHECK(std::fabs(slides.last("disc.x") - (0.5 * (1 + v) * meet + 0.5 * v * v / a)) < 1e-9);
}

TEST_CASE("a disc on an incline: rolling friction holds it up to its limit at rest") {
  for (const double tilt : {0.015, 0.03}) {
    CAPTURE(tilt);
    const double pull = 10 * std::sin(tilt), resists = 0.2 * std::cos(tilt);  // This is c/R g cos.
    const double stop = 1.5 / (pull + resists), x = 0.5 * stop, left = 10 - stop;
    const std::vector<std::string> set = {"tilt=" + number(tilt)};
    CHECK(std::fabs(only_time(times_of(kRollingDisc, set), "roll.rests") - stop) < 1e-10);
    const Run r = run_both(kRollingDisc, set);
    const double back = std::max(0.0, (pull - resists) / 1.5);
    CHECK(r.last("sticks") == (back > 0 ? 0 : 1));
    CHECK(std::fabs(r.last("disc.vx") + back * left) < 1e-10);
    CHECK(std::fabs(r.last("disc.x") - (x - 0.5 * back * left * left)) < 1e-9);
    if (back == 0) CHECK(r.last("M") == doctest::Approx(-2 * pull * 0.1).epsilon(1e-10));
  }
  const Run held = run_both(kRollingDisc, {"tilt=0.03", "cs=0.0031"});  // tan 0.03 is 0.030009.
  CHECK(std::fabs(held.last("disc.vx")) < 1e-14);
  CHECK(run_both(kRollingDisc, {"tilt=0.03", "cs=0.0030", "v=0"}).last("disc.vx") < -0.1);
  CHECK(std::fabs(run_both(kRollingDisc, {"tilt=0.03", "cs=0.0031", "v=0"}).last("disc.vx")) < 1e-14);
}

TEST_CASE("a disc in a hollow: every place where it turns, with the normal force of its speed") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param R = 0.1, m = 2, c = 0.004, a = 0.9, v = 2
body disc(mass = m, inertia = 0.5*m*R^2) at (0, -a) moving (v, 0) spinning -v/R
constraint hollow: norm(disc.pos) <= a
let n = disc.pos/norm(disc.pos)
friction rub on dot(disc.vel, (-n.y, n.x)) + R*disc.omega: 2*hollow.lambda
friction roll on disc.omega: c*hollow.lambda
output angle = atan2(disc.x, -disc.y)
simulate { time = 0 .. 15 step 0.1; integrator = auto(tol = 1e-12); rows = events }
)";
  const std::vector<double> turns = turns_in_hollow(0.9, 0.1, 0.004, 1.5, 4);
  const Run r = run_both(text);
  std::vector<double> found;
  for (std::size_t k = 0; k < r.rows(); ++k)
    if (r.at(k, "event") > 0) found.push_back(r.at(k, "angle"));
  REQUIRE(found.size() == turns.size());
  CHECK(turns.size() > 5);
  for (std::size_t k = 0; k < turns.size(); ++k) CHECK(std::fabs(found[k] - (k % 2 == 0 ? 1 : -1) * turns[k]) < 1e-9);
  CHECK(std::fabs(r.last("angle") - found.back()) < 1e-12);
}

TEST_CASE("a ball rolls and spins about its normal: both stop exactly, under a normal force that grows") {
  for (const double q : {0.0, 4.0}) {
    CAPTURE(q);
    // J wz = cd (m g t + q t^2/2), and 1.4 m R v = c times the same bracket.
    const auto when = [&](double moment) { return q == 0 ? moment / 20 : (std::sqrt(400 + 2 * q * moment) - 20) / q; };
    const double J = 0.4 * 2 * 0.01, drill = when(J * 8 / 0.001), roll = when(1.4 * 2 * 0.1 / 0.002);
    const std::vector<std::string> set = {"q=" + number(q)};
    const auto times = times_of(kRollingBall, set);
    CHECK(std::fabs(only_time(times, "drill.rests") - drill) < 1e-9);
    CHECK(std::fabs(only_time(times, "roll.rests") - roll) < 1e-9);
    CHECK(!times.contains("rub.slips"));
    const Run r = run_both(kRollingBall, set);
    CHECK(std::fabs(r.at(200, "wz") - (8 - 0.001 * (40 + 2 * q) / J)) < 1e-9);
    CHECK(std::fabs(r.at(200, "turns") - 10 * (1 - 0.002 * (40 + 2 * q) / 0.28)) < 1e-9);
    CHECK(std::fabs(r.at(200, "roll_size") - 0.002 * (20 + 2 * q)) < 1e-12);
    CHECK(std::fabs(r.at(200, "ball.vy") / r.at(200, "ball.vx") - 4.0 / 3) < 1e-9);
    CHECK(std::fabs(r.last("wz")) < 1e-12);
    CHECK(std::fabs(r.last("turns")) < 1e-12);
    if (q == 0) CHECK(std::fabs(std::hypot(r.last("ball.x"), r.last("ball.y")) - roll / 2) < 1e-9);
  }
}

TEST_CASE("a ball that slides across its turning: when the slip ends, and where rolling stops") {
  for (const double wx : {2.0, -3.0}) {
    CAPTURE(wx);
    Oblique ball{0.1, 0.4, 0.002};
    ball.y = {0.6, 0.8, 0.1 * wx, 0.1 * 1, 0, 0, 0};
    ball.slide(1e-4);
    const double v = std::hypot(ball.y[0], ball.y[1]), a = 0.2 / 1.4, stop = ball.y[4] + v / a;
    const std::vector<std::string> set = {"wx=" + number(wx), "wy=1"};
    const auto times = times_of(kRollingBall, set);
    REQUIRE(times.contains("rub.rests"));
    for (const double at : times.at("rub.rests")) CHECK(std::fabs(at - ball.y[4]) < 1e-9);
    CHECK(std::fabs(only_time(times, "roll.rests") - stop) < 1e-9);
    CHECK(std::fabs(only_time(times, "drill.rests") - 3.2) < 1e-9);
    const Run r = run_both(kRollingBall, set);
    CHECK(std::fabs(r.last("ball.x") - (ball.y[5] + 0.5 * ball.y[0] * v / a)) < 1e-9);
    CHECK(std::fabs(r.last("ball.y") - (ball.y[6] + 0.5 * ball.y[1] * v / a)) < 1e-9);
  }
}

TEST_CASE("a ball that bounces: rolling and drilling friction take their part of the impulse") {
  const std::string text = R"(mbd 1
param R = 0.1, m = 2, mu = 0.05, c = 0.002, cd = 0.001, wz = 8
gravity (0, 0, -10)
body ball(mass = m, inertia = diag(1, 1, 1)*0.4*m*R^2) at (0, 0, R + 0.45) moving (1, 0, 0) spinning (0, 0, wz)
constraint deck: ball.z >= R restitution 0.5
let w = ball.rot*ball.omega
friction rub on (ball.vx - R*w.y, ball.vy + R*w.x): mu*deck.lambda
friction roll on (w.x, w.y): c*deck.lambda
friction drill on w.z: cd*deck.lambda
output wx = w.x, wy = w.y, wz = w.z, P = deck.impulse
simulate { time = 0 .. 0.4 step 0.1; integrator = auto(tol = 1e-12) }
)";
  const double P = 1.5 * 2 * 3, J = 0.008;  // The ball falls by 0.45.
  const Run r = run_both(text);
  CHECK(r.last("P") == doctest::Approx(P).epsilon(1e-12));
  CHECK(std::fabs(r.last("ball.vx") - (1 - 0.05 * P / 2)) < 1e-11);
  CHECK(std::fabs(r.last("wy") - (0.05 * 0.1 - 0.002) * P / J) < 1e-10);
  CHECK(std::fabs(r.last("wz") - (8 - 0.001 * P / J)) < 1e-10);
  CHECK(std::fabs(r.last("wx")) < 1e-12);
  CHECK(std::fabs(run_both(text, {"wz=1"}).last("wz")) < 1e-13);  // Friction could remove a spin of 1.125.
}

TEST_CASE("a brake that is pressed by a force, or by a spring whose end is moved: when the wheel stops") {
  // J w = mu R (F t + k 0.1 t^2/2)
  const Run r = run_both(kBrake);
  CHECK(std::fabs(only_time(times_of(kBrake), "rub.rests") - 20 / (0.4 * 0.3 * 20)) < 1e-10);
  CHECK(r.at(500, "N") == doctest::Approx(20).epsilon(1e-12));
  CHECK(r.at(500, "M") == doctest::Approx(-8).epsilon(1e-12));
  CHECK(r.at(500, "side") == doctest::Approx(8).epsilon(1e-12));  // The guide takes the drag force of the rim.
  CHECK(std::fabs(r.last("wheel.angle") - 0.5 * 10 * 20 / 2.4) < 1e-9);
  CHECK(std::fabs(r.last("wheel.omega")) < 1e-14);
  const std::vector<std::string> spring = {"F=0", "k=100"};
  CHECK(std::fabs(only_time(times_of(kBrake, spring), "rub.rests") - std::sqrt(2 * 20 / (0.12 * 10))) < 1e-9);
  CHECK(std::fabs(run_both(kBrake, spring).at(300, "wheel.omega") - (10 - 0.12 * 10 * 4.5 / 2)) < 1e-10);
}

TEST_CASE("a brake shoe on a lever presses itself on, or off: when the wheel stops, and what breaks it loose again") {
  for (const double way : {1.0, -1.0}) {
    CAPTURE(way);
    const std::vector<std::string> set = {"w=" + number(10 * way)};
    // The moments about the pin give N b - way mu N h = F 2 b.
    const double N = 2 * 0.2 * 20 / (0.2 - way * 0.4 * 0.1);
    CHECK(std::fabs(only_time(times_of(kLever, set), "rub.rests") - 20 / (0.12 * N)) < 1e-9);
    CHECK(run_both(kLever, set).at(100, "N") == doctest::Approx(N).epsilon(1e-12));
    // A motor pulls with q t from rest. Static friction presses the shoe on and off in the same way.
    const std::vector<std::string> motor = {"w=0", "q=" + number(way)};
    CHECK(std::fabs(only_time(times_of(kLever, motor), "rub.slips") - 0.12 * N) < 1e-9);
    CHECK(std::fabs(run_both(kLever, motor).last("wheel.omega") - way * std::pow(12 - 0.12 * N, 2) / 4) < 1e-9);
  }
}
