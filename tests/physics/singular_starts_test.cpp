// SPDX-License-Identifier: Apache-2.0
// Tests starts at a singular position, and crossings next to other parts. A parallelogram starts in line with the
// velocities of one mode, of the other or of neither, and at rest with and without a load. Linkages with permanently
// dependent rows are combined with one that crosses flat positions. The gradients of some rows vanish within long
// steps.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/findings.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr const char* kFormulations[] = {"udwadia_kalaba", "augmented", "lagrange", "projection", "kane", "maggi"};
constexpr const char* kMethods[] = {"rk4", "ab4", "dopri5", "auto", "bdf(rtol = 1e-9, atol = 1e-10)"};

// In line the mode of the parallelogram has w = 1, and that of the crossed linkage has w = -3 (see below).
std::string in_line(double turns, double w, const std::string& gravity = "(0, 0)") {
  return "mbd 1\nspace 2\ngravity " + gravity + "\nparticle a(1) at (1, 0) moving (0, " + number(turns) +
         ")\nparticle b(1) at (3, 0) moving (0, " + number(w * turns) + R"()
constraint left: dist(ground, a) == 1
constraint right: (b.x - 2)^2 + b.y^2 == 1
constraint coupler: dist(a, b) == 2
output E = energy.total
simulate { time = 0 .. 2 step 0.005 }
)";
}

Run with(const std::string& text, const char* formulation, const char* integrator, std::vector<std::string> set = {}) {
  set.insert(set.end(), {std::string("formulation=") + formulation, std::string("integrator=") + integrator});
  return run(text, Engine::interpreter, set);
}

bool goes_with(const std::string& formulation, const std::string& method) {
  return !method.starts_with("bdf") || (formulation != "kane" && formulation != "projection");
}

}  // namespace

TEST_CASE("a start in line with the velocities of one way to move goes that way") {
  for (const char* formulation : kFormulations)
    for (const char* method : kMethods) {
      if (!goes_with(formulation, method)) continue;
      const double allowed = method == std::string("rk4") ? 1e-7 : method == std::string("auto") ? 1e-6 : 1e-4;
      const Run straight = with(in_line(1, 1), formulation, method);
      INFO(std::string(formulation) << " " << std::string(method) << "\n" << straight.result.rendered);
      REQUIRE(straight.result.status == Status::complete);
      for (std::size_t i = 0; i < straight.rows(); i += 40) {
        CHECK(std::fabs(straight.at(i, "a.y") - std::sin(straight.time[i])) < allowed);
        CHECK(std::fabs(straight.at(i, "b.y") - std::sin(straight.time[i])) < allowed);
      }
      // Near the line the angles of the cranks satisfy 3 theta^2 - 2 theta phi - phi^2 = 0: phi = theta, or -3 theta.
      const Run crossed = with(in_line(1, -3), formulation, method);
      INFO(crossed.result.rendered);
      REQUIRE(crossed.result.status == Status::complete);
      CHECK(crossed.at(40, "b.y") < 0);
      CHECK(crossed.at(40, "a.y") > 0);
      CHECK(crossed.last("E") == doctest::Approx(crossed.at(0, "E")).epsilon(allowed));
    }
}

TEST_CASE("a start in line that belongs to no way to move, or to all under a load, is refused") {
  for (const char* formulation : kFormulations)
    for (const char* method : kMethods) {
      if (!goes_with(formulation, method)) continue;
      const Run mixed = with(in_line(1, 0.5), formulation, method);
      INFO(std::string(formulation) << " " << std::string(method) << "\n" << mixed.result.rendered);
      CHECK(mixed.result.status != Status::complete);
      CHECK(mixed.result.rows <= 1);
      const Run loaded = with(in_line(0, 1, "(0, -9.81)"), formulation, method);
      INFO(loaded.result.rendered);
      CHECK(loaded.result.status != Status::complete);
      CHECK(loaded.code() == "E0605");
      CHECK(loaded.result.rows <= 1);
      const Run rest = with(in_line(0, 1), formulation, method);
      INFO(rest.result.rendered);
      CHECK(rest.result.status == Status::complete);
      REQUIRE(rest.result.warnings.size() == 1);
      CHECK(rest.result.warnings[0].code == "W0614");
      CHECK(rest.last("a.y") == 0.0);
    }
}

TEST_CASE("a parallelogram passes its flat positions beside linkages whose rows always depend on each other") {
  // The ranks are 29 of 30, 17 of 20, and 5 of 5 for a separate part, which is flat at t = pi/2.
  const std::string bricard = finding("bricard"), bennett = finding("bennett");
  const std::string text =
      bricard.substr(0, bricard.find("output F")) +
      bennett.substr(bennett.find("param t1"), bennett.find("output F") - bennett.find("param t1")) +
      R"(particle pa(1) at (10, 1, 0) moving (1, 0, 0)
particle pb(1) at (12, 1, 0) moving (1, 0, 0)
constraint plane_a: pa.z == 0
constraint plane_b: pb.z == 0
constraint left: (pa.x - 10)^2 + pa.y^2 == 1
constraint right: (pb.x - 12)^2 + pb.y^2 == 1
constraint coupler: dist(pa, pb) == 2
output F = energy.total
simulate { time = 0 .. 2 step 0.002; integrator = rk4 }
)";
  for (const char* formulation : {"udwadia_kalaba", "augmented", "kane", "maggi"}) {
    const Run r = run(text, Engine::interpreter, {std::string("formulation=") + formulation});
    INFO(std::string(formulation) << "\n" << r.result.rendered);
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.result.rank == 29 + 17 + 5);
    CHECK(r.result.freedoms == 3);
    CHECK(r.result.singular_positions >= 1);
    CHECK(std::fabs(r.last("pb.x") - r.last("pa.x") - 2) < 1e-7);
    CHECK(std::fabs(r.last("pb.y") - r.last("pa.y")) < 1e-7);
    CHECK(std::fabs(r.last("pa.x") - 10 - std::sin(2)) < 1e-7);
    CHECK(r.result.balance_error < 1e-5);
  }
}

TEST_CASE("a crank whose slider is driven keeps its way through three dead centres, by whatever is integrated") {
  const std::string text = R"(mbd 1
space 2
particle p(1) at (cos(0.3), sin(0.3))
particle q(1) at (cos(0.3) + sqrt(4 - sin(0.3)^2), 0)
constraint crank: dist(ground, p) == 1
constraint rod: dist(p, q) == 2
constraint guide: q.y == 0
constraint drive: q.x == cos(t + 0.3) + sqrt(4 - sin(t + 0.3)^2)
init { p.x ~ cos(0.3); p.y ~ sin(0.3); p.vx ~ 0; p.vy ~ 0; q.vx ~ 0 }
simulate { time = 0 .. 10 step 0.01; assemble }
)";
  for (const char* formulation : {"udwadia_kalaba", "augmented", "lagrange", "projection", "kane", "volterra",
                                  "efficient_volterra", "boltzmann_hamel", "maggi"})
    for (const char* method : {"rk4", "auto", "auto(tol = 1e-6)", "dopri5", "dopri5(rtol = 1e-10, atol = 1e-12)"})
      for (const char* rows : {"0.01", "0.001"}) {
        const Run r = with(text, formulation, method, {std::string("time.step=") + rows});
        INFO(std::string(formulation) << " " << std::string(method) << " " << rows << "\n" << r.result.rendered);
        REQUIRE(r.result.status == Status::complete);
        CHECK(r.result.singular_positions == 3);
        double off = 0, speed_off = 0;
        for (std::size_t i = 0; i < r.rows(); ++i) {
          off = std::max(off, std::fabs(r.at(i, "p.y") - std::sin(r.time[i] + 0.3)));
          speed_off = std::max(speed_off, std::fabs(r.at(i, "p.vy") - std::cos(r.time[i] + 0.3)));
        }
        CHECK(off < 1e-9);
        CHECK(speed_off < 1e-7);
        CHECK(r.result.balance_error < 5e-5);
      }
}

TEST_CASE("rows that are nearly dependent are held by methods that choose their steps, too") {
  const std::string text = finding("near_dependent");
  for (const char* method : {"auto", "dopri5", "dop853", "bdf", "bdf(rtol = 1e-9, atol = 1e-10)"})
    for (const char* formulation : kFormulations)
      for (const char* size : {"3e-5", "3e-7", "3e-9", "1e-9", "4e-10"}) {
        if (!goes_with(formulation, method)) continue;
        const std::string e = size, near = replaced(replaced(text, "3e-9*q.z", e + "*q.z"), "6e-9", "2*" + e);
        const Run r = with(near, formulation, method);
        INFO(std::string(formulation) << " " << std::string(method) << " " << e << "\n" << r.result.rendered);
        REQUIRE(r.result.status == Status::complete);
        CHECK(r.result.rank == 2);
        CHECK(std::fabs(r.last("q.z") - 2) < 1e-5 + 64 * 2.2e-16 / std::stod(e));
        CHECK(r.last("p.x") == doctest::Approx(0.00625).epsilon(1e-5));
      }
}

TEST_CASE("no row is written behind the instant at which a gradient vanishes, however long the steps") {
  const std::string text = finding("vanishing_row");
  const double k = 1.25, turn = 4 * (1 + k * k) / 9.81;  // v_z = 4 - g t/(1 + k^2)
  for (const char* formulation : {"udwadia_kalaba", "augmented", "lagrange", "maggi", "projection", "kane"})
    for (const char* method : {"dopri5", "dop853", "auto", "bdf", "bdf(rtol = 1e-9, atol = 1e-10)"})
      for (const char* count : {"300", "30", "2000"}) {
        if (!goes_with(formulation, method)) continue;
        const Run r = with(text, formulation, method, {"time.step=" + number(2 * turn / std::stod(count))});
        INFO(std::string(formulation) << " " << std::string(method) << " " << count << "\n" << r.result.rendered);
        CHECK(r.result.status == Status::stopped);
        CHECK(r.code() == "E0613");
        CHECK(r.time.back() < turn + 1e-9);
        CHECK(r.time.back() > turn - 3 * turn / std::stod(count) * 2);
        for (std::size_t i = 0; i < r.rows(); ++i)  // The direction is that of the start.
          CHECK(std::fabs(4 * r.at(i, "p.vx") - 3 * r.at(i, "p.vy")) < 1e-5);
      }
}

TEST_CASE("what is done at singular positions is told with the other choices") {
  const Run on = with(in_line(1, 1), "augmented", "rk4");
  CHECK(on.result.methods.at_singular == AtSingular::pass);
  CHECK(summary_json(on.result).find("\"at_singular\": \"continue\"") != std::string::npos);
  CHECK(summary_text(on.result).find("at_singular") == std::string::npos);
  const Run stop = with(in_line(1, 1), "augmented", "rk4", {"at_singular=stop"});
  CHECK(stop.code() == "E0618");
  CHECK(stop.result.methods.at_singular == AtSingular::stop);
  CHECK(std::string(to_text(stop.result.methods.at_singular)) == "stop");
  CHECK(summary_json(stop.result).find("\"at_singular\": \"stop\"") != std::string::npos);
  CHECK(summary_text(stop.result).find("at_singular stop") != std::string::npos);
}
