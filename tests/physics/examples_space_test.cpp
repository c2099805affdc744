// SPDX-License-Identifier: Apache-2.0
// Compares examples in space without rolling (governor, tops, pendulums, the satellites of the efficient Volterra
// paper, planets) with closed forms, Lagrange's equations in minimal coordinates (oracles/lagrange.h), and published
// values.
#include "tests/physics/example_checks.h"

using namespace mbc;
using namespace mbc::test;
using namespace mbc::oracle;  // imports the operators on its vectors

TEST_CASE("example: the centrifugal governor") {
  const Run steady = complete("governor", {"push=0"});
  CHECK(spread(steady, "th") < 1e-12);
  CHECK(spread(steady, "phi'") < 1e-11);
  const Run r = complete("governor");
  const Real l = 0.2L, th0 = 40 * kPi / 180, w = std::sqrt(9.81L * 2.5L / (0.5L * l * std::cos(th0)));
  Lagrange<2> governor;
  governor.gravity = {0, 0, -9.81L};
  governor.place = [&](Real, const std::array<Real, 2>& q, Points& p) {
    const Mat3 turned = about_z(q[0]);
    add_body(p, 1, {0.01L, 0.01L, 0.01L}, {0, 0, 0}, turned);
    p.push_back({0.5L, l * (turned * Vec3{std::sin(q[1]), 0, -std::cos(q[1])})});
    p.push_back({0.5L, l * (turned * Vec3{-std::sin(q[1]), 0, -std::cos(q[1])})});
    p.push_back({2, {0, 0, -2 * l * std::cos(q[1])}});
  };
  const auto x = governor.at({0, th0}, {w, 1}, 2, 4000);
  expect(r, "th", x[1], 0.617079754, 1e-8);
  expect(r, "phi", x[0], 1e-8);
  CHECK(spread(r, "L.z") < 1e-11);
  CHECK(spread(r, "th") > 0.1);
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("example: the spinning top precesses steadily, and nods when pushed") {
  const Real m = 0.3L, l = 0.05L, A = 2e-4L + m * l * l, C = 1.5e-4L, mgl = m * 9.81L * l, th0 = 0.5L, w3 = 400;
  const Real root = std::sqrt(C * C * w3 * w3 - 4 * A * mgl * std::cos(th0));
  const Real W = (C * w3 - root) / (2 * A * std::cos(th0));
  const Run steady = complete("spinning_top");
  CHECK(spread(steady, "th") < 1e-10);
  CHECK(spread(steady, "psi'") < 1e-10);
  expect(steady, "psi'", W, 2.5423083656, 1e-10);
  expect(steady, "psi", 5 * W, 1e-10);
  // Routh's reduction gives A th'' = m g l sin - (a - b cos)(b - a cos)/(A sin^3), where a and b are the momenta of psi
  // and phi.
  const Run nods = complete("spinning_top", {"nod=0.3"});
  const Real b = C * w3, a = A * W * std::sin(th0) * std::sin(th0) + b * std::cos(th0);
  const auto x = integrate<3>(
      [&](const std::array<Real, 3>& s) -> std::array<Real, 3> {
        const Real sine = std::sin(s[0]), cosine = std::cos(s[0]);
        const Real turn = (a - b * cosine) / (A * sine * sine);
        return {s[1], (mgl * sine - turn * (b - a * cosine) / sine) / A, turn};
      },
      {th0, 0.3L, 0}, 5, 40000);
  expect(nods, "th", x[0], 1e-7);
  expect(nods, "psi", x[2], 1e-7);
  CHECK(spread(nods, "th") > 1e-3);
  CHECK(spread(nods, "L3") < 1e-12);
  CHECK(spread(nods, "Lz") < 1e-12);
  CHECK(nods.result.balance_error < 1e-9);
}

TEST_CASE("example: the gyroscope on one end of its axle") {
  const Run r = complete("gyroscope");
  const Real W = 1.635L;
  expect(r, "wheel.x", 0.1L * std::cos(3 * W), 0.0191422281, 1e-8);
  expect(r, "wheel.y", 0.1L * std::sin(3 * W), -0.0981507774, 1e-8);
  CHECK(spread(r, "wheel.z") < 2e-8);
  CHECK(spread(r, "momentum.angular.z") < 1e-8);
  CHECK(r.result.balance_error < 1e-6);
  CHECK(r.at(0, "momentum.angular.x") == doctest::Approx(0.3).epsilon(1e-12));
}

TEST_CASE("example: Foucault's pendulum, and the force of Coriolis in axes that turn") {
  const Run r = complete("foucault");
  // In local axes r'' = -g ez + T r - 2 w x r' - w x (w x r). The given gravity is that of the plumb line at O.
  const Real lat = 48.85L * kPi / 180, w = 7.292115e-5L, L2 = 67 * 67;
  const Vec3 axis{-w * std::cos(lat), 0, w * std::sin(lat)};
  const auto x = integrate<6>(
      [&](const std::array<Real, 6>& s) -> std::array<Real, 6> {
        const Vec3 at{s[0], s[1], s[2]}, v{s[3], s[4], s[5]};
        Vec3 a = Vec3{0, 0, -9.81L} - 2 * cross(axis, v) - cross(axis, cross(axis, at));
        a = a - ((dot(v, v) + dot(at, a)) / L2) * at;  // This term is the force of the wire.
        return {v[0], v[1], v[2], a[0], a[1], a[2]};
      },
      {3, 0, -std::sqrt(L2 - 9), 0, 0, 0}, 1200, 48000);
  expect(r, "seen.x", x[0], 2.7021386, 1e-7);
  expect(r, "seen.y", x[1], -0.1779799, 1e-7);
  const double turned = std::atan2(r.last("seen.y"), r.last("seen.x"));
  CHECK(std::fabs(turned + static_cast<double>(w * std::sin(lat)) * 1200) < 2e-4);
  CHECK(r.result.balance_error < 1e-6);
}

TEST_CASE("example: Furuta's pendulum by hinges, against its two angles and the published motion") {
  const Run r = complete("furuta");
  CHECK(r.result.rank == 10);
  const Real Lr = 0.2159L, Lp = 0.3365L, mr = 0.257L, mp = 0.127L;
  Lagrange<2> machine;
  machine.gravity = {0, 0, -9.81L};
  machine.place = [&](Real, const std::array<Real, 2>& q, Points& p) {
    const Mat3 arm = about_z(q[0]), rod = arm * about_x(q[1]);
    const Real Jr = mr * Lr * Lr / 12, Jp = mp * Lp * Lp / 12;
    add_body(p, mr, {1e-5L, Jr, Jr}, arm * Vec3{Lr / 2, 0, 0}, arm);
    add_body(p, mp, {Jp, Jp, 2e-5L}, arm * Vec3{Lr, 0, 0} + rod * Vec3{0, 0, Lp / 2}, rod);
  };
  const auto x = machine.at({0, 0.1L}, {0.5L, 0}, 1, 4000);
  expect(r, "th", x[0], 0.3184574907, 1e-8);
  expect(r, "al", std::remainder(x[1], 2 * kPi), -0.1484728412, 1e-8);
  CHECK(r.result.balance_error < 1e-9);
  const Run longer = complete("furuta", {"time.end=5"});
  expect(longer, "th", 2.0191328724020L, 1e-6);
  expect(longer, "al", std::remainder(3.4373174796480L, 2 * kPi), 1e-6);
}

TEST_CASE("example: three connected bodies") {
  const Run r = complete("seeds/000_volterra/three_bodies", {}, "flight");
  const std::vector<std::pair<const char*, std::array<double, 2>>> wanted = {
      {"psi", {3.230547556584, 14.073051271491}},  {"th", {-0.975715569328, -0.480116860122}},
      {"phi", {-0.364409049439, 1.482333734448}},  {"gam1", {0.875399714137, -0.492530780536}},
      {"gam2", {0.148834638620, -0.990247434648}}, {"X", {19.914186074869, 99.538748703144}},
      {"Y", {10.111610996423, 50.563398044777}},   {"Z", {-0.298130649338, -1.558571222253}}};
  for (const auto& [column, value] : wanted) {
    CAPTURE(column);
    CHECK(std::fabs(r.at(100, column) - value[0]) < 1e-10);
    CHECK(std::fabs(r.last(column) - value[1]) < 1e-9);
  }
  CHECK(r.at(0, "E") == doctest::Approx(301.420860174898).epsilon(1e-14));
  CHECK(r.at(0, "H.y") == doctest::Approx(-10.191341340260).epsilon(1e-12));
  CHECK(std::fabs(r.last("gam1'") - 0.353929713133) < 1e-8);
  for (const char* column : {"E", "P.x", "P.y", "P.z", "H.x", "H.y", "H.z"})
    CHECK_MESSAGE(spread(r, column) < 1e-8, column);
}

TEST_CASE("example: a satellite with a boom") {
  const Run r = complete("seeds/000_volterra/satellite", {}, "deploy");
  const std::vector<std::pair<const char*, std::array<double, 3>>> wanted = {
      {"psi", {-0.756156137757, -2.202930510267, -5.182476634682}},
      {"th", {0.393208378896, -0.460501384594, 0.064176080873}},
      {"phi", {-0.579120652890, -0.852332285257, 0.509729708970}},
      {"rho", {1.156163102225, 2.445895265138, 3.724525340145}},
      {"X", {19.999723350766, 49.999556116909, 100.001133752114}},
      {"Y", {10.000281173605, 25.001976702394, 50.003416055346}},
      {"Z", {-0.000104532100, -0.000352769580, -0.001943800168}}};
  for (const auto& [column, value] : wanted) {
    CAPTURE(column);
    CHECK(std::fabs(r.at(100, column) - value[0]) < 1e-10);
    CHECK(std::fabs(r.at(250, column) - value[1]) < 1e-10);
    CHECK(std::fabs(r.last(column) - value[2]) < 1e-10);
  }
  CHECK(std::fabs(r.at(0, "satellite.omega.x") + 0.0241180954897) < 1e-12);
  CHECK(std::fabs(r.at(0, "satellite.omega.y") - 0.0421209186346) < 1e-12);
  CHECK(std::fabs(r.at(0, "satellite.omega.z") + 0.1002793858791) < 1e-12);
  CHECK(std::fabs(r.last("satellite.omega.z") + 0.108833054205) < 1e-11);
  CHECK(std::fabs(r.last("rho'") - 0.133897493016) < 1e-11);
  CHECK(std::fabs(r.result.work_of_loads + 0.005971436512) < 1e-11);
  CHECK(r.at(0, "E") == doctest::Approx(5009.532345932890).epsilon(1e-14));
  CHECK(r.result.balance_error < 1e-9);
  CHECK(spread(r, "P.x") < 1e-9);
  CHECK(spread(r, "P.z") < 1e-9);
}

TEST_CASE("example: the solar system, against its equations in heliocentric coordinates") {
  const Run r = complete("solar_system");
  // r_i'' = -G (M + m_i) r_i/|r_i|^3 + sum_j G m_j ((r_j - r_i)/|r_j - r_i|^3 - r_j/|r_j|^3), in au and days.
  const Real au = 149597870700.0L, day = 86400, G = 6.6743e-11L * day * day / (au * au * au), M = 1.98841e30L;
  const std::array<Real, 4> m{4.8673e24L, 5.9722e24L, 1.89813e27L, 5.6832e26L},
      a{0.723332L, 1.000001L, 5.2026L, 9.5549L}, e{0.0068L, 0.0167L, 0.0485L, 0.0555L};
  std::array<Real, 16> x{};
  for (std::size_t i = 0; i < 4; ++i) {
    const Real speed = std::sqrt(G * (M + m[i]) / a[i] * (1 + e[i]) / (1 - e[i]));
    x[2 * i] = a[i] * (1 - e[i]);
    x[8 + 2 * i + 1] = speed;
  }
  const auto f = [&](const std::array<Real, 16>& s) {
    std::array<Real, 16> d{};
    const auto cube = [](Real u, Real v) { return std::pow(u * u + v * v, 1.5L); };
    for (std::size_t i = 0; i < 4; ++i) {
      const Real X = s[2 * i], Y = s[2 * i + 1], own = G * (M + m[i]) / cube(X, Y);
      Real ax = -own * X, ay = -own * Y;
      for (std::size_t j = 0; j < 4; ++j) {
        if (j == i) continue;
        const Real u = s[2 * j], v = s[2 * j + 1], near = cube(u - X, v - Y), far = cube(u, v);
        ax += G * m[j] * ((u - X) / near - u / far);
        ay += G * m[j] * ((v - Y) / near - v / far);
      }
      d[2 * i] = s[8 + 2 * i], d[2 * i + 1] = s[8 + 2 * i + 1];
      d[8 + 2 * i] = ax, d[8 + 2 * i + 1] = ay;
    }
    return d;
  };
  x = integrate(f, x, 4018, 16072);
  const char* names[] = {"venus", "earth", "jupiter", "saturn"};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string axis = k == 0 ? ".x" : ".y";
      const double seen = (r.last(names[i] + axis) - r.last("sun" + axis)) / static_cast<double>(au);
      CHECK(std::fabs(seen - static_cast<double>(x[2 * i + k])) < 1e-6);
    }
  CHECK(spread(r, "energy.total") < 1e-10 * std::fabs(r.at(0, "energy.total")));
  CHECK(spread(r, "L") < 1e-10 * r.at(0, "L"));
  CHECK(highest(r, "P.y") < 1e-10 * 5.9722e24 * 3e4);
  std::vector<double> passes;  // times at which the earth crosses the axis
  for (std::size_t row = 1; row < r.rows(); ++row) {
    const double before = r.at(row - 1, "year"), after = r.at(row, "year");
    if (before < 0 && after >= 0 && after - before < 1)
      passes.push_back((static_cast<double>(row) - after / (after - before)) / 2);
  }
  REQUIRE(passes.size() == 11);
  const Real kepler = 2 * kPi * std::sqrt(a[1] * a[1] * a[1] / (G * (M + m[1])));
  CHECK(std::fabs(passes.back() / 11 - static_cast<double>(kepler)) < 0.02);
  CHECK(static_cast<double>(kepler) == doctest::Approx(365.26).epsilon(3e-5));
}

TEST_CASE("example: Lagrange's triangle of three bodies") {
  const Run r = complete("three_body_triangle");
  for (const char* side : {"ab", "bc", "ca"}) {
    CHECK(lowest(r, side) == doctest::Approx(1.0 / 3).epsilon(1e-8));
    CHECK(highest(r, side) == doctest::Approx(1).epsilon(1e-9));
  }
  for (std::size_t row = 0; row < r.rows(); row += 100) {
    CHECK(std::fabs(r.at(row, "ab") - r.at(row, "bc")) < 1e-8);
    CHECK(std::fabs(r.at(row, "ab") - r.at(row, "ca")) < 1e-8);
    // The side moves like Kepler's planet from the apocentre, half a period after the pericentre of kepler(), with s =
    // 2/3 and T' = 2 pi.
    const Real t = kPi + 2 * kPi * static_cast<Real>(row) / 4000;
    const Motion k = kepler(t, 0.5L);
    CHECK(std::fabs(r.at(row, "ab") - static_cast<double>(std::hypot(k.x, k.y) * 2 / 3)) < 1e-8);
  }
  for (const char* column : {"a.x", "a.y", "b.x", "b.y", "c.x", "c.y", "a.vx", "c.vy"})
    CHECK_MESSAGE(std::fabs(r.last(column) - r.at(0, column)) < 1e-7, column);
  CHECK(spread(r, "energy.total") < 1e-9);
  CHECK(spread(r, "L") < 1e-12);
}
