// SPDX-License-Identifier: Apache-2.0
// Tests sweeps that draw their values: members, statistics and refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/api/small_sweep.h"
#include "tests/physics/run.h"

namespace mbc::test {
namespace {

const char* kModel = R"(mbd 1
param m = 2 [kg], k = 8 [N/m], start = 0.1 [m]
particle p(m) at (start, 0, 0)
constraint line: p.y == 0
constraint plane: p.z == 0
force spring on p: (-k*p.x, 0, 0)
output x = p.x
simulate swing { time = 0 [s] .. 1 [s] step 10 [ms]; integrator = rk4 }
)";

SweepResult swept(const std::string& block, unsigned jobs = 1) {
  SweepOptions o = of("");
  o.jobs = jobs;
  return look(o, kModel + ("sweep s over swing { " + block + " }\n"));
}

std::string refused(const std::string& block) {
  const SweepResult r = swept(block);
  CHECK(r.status == Status::model_error);
  REQUIRE(!r.diagnostics.empty());
  return r.diagnostics.front().code + " " + r.diagnostics.front().message;
}

}  // namespace

TEST_CASE("drawn members are single runs of their values") {
  const SweepResult r = swept("m ~ normal(2, 0.1) [kg]; k ~ uniform(6, 10) [N/m]; members = 20; seed = 3");
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.sweep.members == 20);
  REQUIRE(r.rows.size() == 20);
  CHECK(r.sweep.draws == "20 draws, points = random, seed = 3");
  CHECK(r.sweep.varied[0].drawn == "normal(2, 0.1) [kg]");
  for (const SweepMember& m : r.rows) {
    CHECK(m.varied[1] > 6);
    CHECK(m.varied[1] < 10);
    CHECK(std::fabs(m.varied[0] - 2) < 0.5);
    CHECK(m.recorded[0] ==
          run(kModel, Engine::interpreter, {"m = " + number(m.varied[0]), "k = " + number(m.varied[1])}).last("x"));
  }
}

TEST_CASE("members of a seed do not depend on threads, on further draws or on their unit") {
  const SweepResult one = swept("m ~ normal(2, 0.1) [kg]; members = 50", 1);
  const SweepResult two = swept("m ~ normal(2, 0.1) [kg]; members = 50", 2);
  const SweepResult more = swept("k ~ uniform(6, 10) [N/m]; m ~ normal(2000 [g], 0.1 [kg]); members = 50");
  const SweepResult other = swept("m ~ normal(2, 0.1) [kg]; members = 50; seed = 2");
  CHECK(varied(one, 0) == varied(two, 0));
  CHECK(varied(one, 0) == varied(more, 1));
  CHECK(varied(one, 0) != varied(other, 0));
  for (std::size_t k = 0; k < 50; ++k) CHECK(one.rows[k].recorded == two.rows[k].recorded);
}

TEST_CASE("draws are combined with the other values, all of them with each") {
  const SweepResult r =
      swept("start = (0.1, 0.2) [m]; m ~ normal(2, 0.1) [kg]; k ~ uniform(6, 10) [N/m]; members = 3; points = latin");
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.sweep.members == 6);
  CHECK(varied(r, 0) == std::vector<double>{0.1, 0.1, 0.1, 0.2, 0.2, 0.2});
  for (std::size_t name = 1; name < 3; ++name) {
    const std::vector<double> all = varied(r, name);
    CHECK(std::vector<double>(all.begin(), all.begin() + 3) == std::vector<double>(all.begin() + 3, all.end()));
    CHECK(all[0] != all[1]);
  }
  CHECK(r.statistics.empty());
}

TEST_CASE("draws beside a value that shapes the model") {
  const SweepResult r = look(of("s"), R"(mbd 1
param n: int = 1
param m = 1
particle p[i in 1..n](m) at (i, 0, 0)
force f on p[1]: (1, 0, 0)
output x = p[1].x
simulate run { time = 0 .. 1 step 0.1; integrator = rk4 }
sweep s over run { m ~ uniform(1, 2); n = (1, 2); members = 4 }
)");
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.sweep.members == 8);
  CHECK(varied(r, 1) == std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2});
  for (const SweepMember& m : r.rows) CHECK(m.recorded[0] == doctest::Approx(1 + 0.5 / m.varied[0]).epsilon(1e-12));
  CHECK(r.rows[0].varied[0] == r.rows[1].varied[0]);
}

TEST_CASE("statistics of what is recorded") {
  const SweepResult r = swept("start ~ normal(0.1, 0.01) [m]; members = 400; record initial(p.x)");
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  REQUIRE(r.statistics.size() == 1);
  const RecordStatistics& s = r.statistics[0];
  std::vector<double> x = varied(r, 0);
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 400;
  double squares = 0;
  for (const double v : x) squares += (v - mean) * (v - mean);
  CHECK(s.members == 400);
  CHECK(s.mean == doctest::Approx(mean).epsilon(1e-12));
  CHECK(s.deviation == doctest::Approx(std::sqrt(squares / 399)).epsilon(1e-12));
  CHECK(s.mean_error == doctest::Approx(s.deviation / 20).epsilon(1e-12));
  CHECK(s.least == *std::min_element(x.begin(), x.end()));
  CHECK(x[s.greatest_member - 1] == s.greatest);
  std::sort(x.begin(), x.end());
  CHECK(s.median == doctest::Approx((x[199] + x[200]) / 2).epsilon(1e-15));
  CHECK(s.low == doctest::Approx(x[19] + 0.95 * (x[20] - x[19])).epsilon(1e-14));
  CHECK(std::fabs(s.mean - 0.1) < 4 * s.mean_error);
  CHECK(std::isnan(swept("start ~ normal(0.1, 0.01) [m]; members = 4; points = sobol").statistics[0].mean_error));
}

TEST_CASE("a linear response has the moments of its cause") {
  // x(1 s) = start cos(2), whatever the mass, with k = 4 m/s^2.
  const SweepResult r = swept("start ~ triangular(0.1, 0.1, 0.4) [m]; members = 256; points = sobol");
  REQUIRE(r.statistics.size() == 1);
  CHECK(r.statistics[0].mean == doctest::Approx(0.2 * std::cos(2.0)).epsilon(1e-3));
  CHECK(r.statistics[0].deviation == doctest::Approx(std::sqrt(0.09 / 18) * std::fabs(std::cos(2.0))).epsilon(1e-2));
}

TEST_CASE("example buffer_tolerances: the travel has the moments of its closed form") {
  const SweepResult r = look(of(""), example("buffer_tolerances"));
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  REQUIRE(r.statistics.size() == 1);
  CHECK(r.statistics[0].members == 2000);
  CHECK(r.statistics[0].mean == doctest::Approx(0.17411185466).epsilon(1e-4));
  CHECK(r.statistics[0].deviation == doctest::Approx(0.01913361824).epsilon(5e-3));
}

TEST_CASE("example measured_buffers: each line is a member, with the travel of its energy") {
  const SweepResult r = sweep(std::string(MBC_SOURCE_DIR) + "/examples/measured_buffers.mbd", of(""));
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  REQUIRE(r.rows.size() == 5);
  for (const SweepMember& m : r.rows)
    CHECK(std::fabs(m.recorded[0] - m.varied[2] * std::sqrt(m.varied[0] / m.varied[1])) < 1e-5);
}

TEST_CASE("draws that are refused") {
  CHECK(refused("m ~ normal(2, 0.1) [kg]") == "E0483 the values of `m`: nothing says how many are drawn");
  CHECK(refused("m = (1, 2) [kg]; members = 3") == "E0483 the values of `members`: nothing is drawn");
  CHECK(refused("m ~ gauss(2, 0.1); members = 3") == "E0483 the values of `m`: this is no distribution");
  CHECK(refused("m ~ 2 [kg]; members = 3") == "E0483 the values of `m`: this is no distribution");
  CHECK(refused("m ~ normal(2, 0.1, 1) [kg]; members = 3") ==
        "E0483 the values of `m`: these are not the arguments of a distribution");
  CHECK(refused("m ~ normal(2, 0) [kg]; members = 3") ==
        "E0483 the values of `m`: its standard deviation is not above 0");
  CHECK(refused("m ~ values((1, 2), (0.5, 0.6)) [kg]; members = 3") ==
        "E0483 the values of `m`: the sum of its weights is not 1");
  CHECK(refused("m ~ normal(2, 0.1) [m]; members = 3").starts_with("E0303 "));
  CHECK(refused("m ~ normal(2, 0.1) [kg]; members = 0") ==
        "E0483 the values of `members`: it is a whole number above 0");
  CHECK(refused("m ~ normal(2, 0.1) [kg]; members = 3; seed = 1.5") ==
        "E0483 the values of `seed`: it is a whole number from 0 on");
  CHECK(refused("m ~ normal(2, 0.1) [kg]; members = 3; points = sobel") ==
        "E0483 the values of `points`: they are `random`, `latin`, `sobol`, `halton`");
  CHECK(refused("m ~ normal(2, 0.1) [kg]; members = 1e8").starts_with("E0660 "));
  CHECK(refused("m ~ normal(k*1 [s^2], 0.1 [kg]); k ~ uniform(1, 2) [N/m]; members = 3") ==
        "E0483 the values of `m`: this depends on `k`, which changes from member to member");
  const SweepResult shaped = look(of("s"), R"(mbd 1
param n: int = 1
particle p[i in 1..n](1) at (i, 0, 0)
simulate run { time = 0 .. 1 step 0.1; integrator = rk4 }
sweep s over run { n ~ uniform(1, 3); members = 4 }
)");
  CHECK(shaped.diagnostics.front().message ==
        "`n` cannot be varied: it shapes the model, which would be compiled for every draw");
}

TEST_CASE("--vary takes the place of what a block draws") {
  SweepOptions o = of("s");
  o.vary = {"m = (1, 2) [kg]"};
  const std::string text = kModel + std::string("sweep s over swing { m ~ normal(2, 0.1) [kg]; members = 10 }\n");
  const SweepResult r = look(o, text);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(varied(r, 0) == std::vector<double>{1, 2});
  o.vary = {"m ~ uniform(1, 2) [kg]", "members = 3"};
  CHECK(look(o, text).sweep.members == 3);
}

TEST_CASE("a parameter called `seed` is varied as any other") {
  const SweepResult r = look(of("s"), R"(mbd 1
param seed = 1
particle p(1) at (seed, 0, 0)
output x = p.x
simulate run { time = 0 .. 1 step 0.5; integrator = rk4 }
sweep s over run { seed = (2, 3) }
)");
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(varied(r, 0) == std::vector<double>{2, 3});
}

TEST_CASE("members are listed in a file, by name and with units") {
  SweepOptions o = of("s");
  std::string list = "m [g],k [N/m]\n2000,8\n1900,8.5\n2100,7.5\n";
  o.compile.loader = [&](const std::string& file) -> std::optional<std::string> {
    if (file == "parts.csv") return list;
    return std::nullopt;
  };
  const std::string model = kModel;
  const auto text = [&](const std::string& block) { return model + "sweep s over swing { " + block + " }\n"; };
  const SweepResult r = look(o, text("start = (0.1, 0.2) [m]; members = \"parts.csv\""));
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.sweep.draws == "3 members of \"parts.csv\"");
  CHECK(r.sweep.files.size() >= 2);
  REQUIRE(r.rows.size() == 6);
  CHECK(varied(r, 1) == std::vector<double>{8, 8, 8.5, 8.5, 7.5, 7.5});
  CHECK(varied(r, 2) == std::vector<double>{0.1, 0.2, 0.1, 0.2, 0.1, 0.2});
  for (const SweepMember& m : r.rows)
    CHECK(m.recorded[0] ==
          run(model, Engine::interpreter,
              {"m = " + number(m.varied[0]), "k = " + number(m.varied[1]), "start = " + number(m.varied[2])})
              .last("x"));
  const SweepResult alone = look(o, text("members = \"parts.csv\"; record x"));
  REQUIRE(alone.statistics.size() == 1);
  CHECK(alone.statistics[0].members == 3);
  CHECK(std::isnan(alone.statistics[0].mean_error));

  const auto first = [&](const std::string& block) {
    const SweepResult wrong = look(o, text(block));
    CHECK(wrong.status == Status::model_error);
    const DiagnosticInfo& d = wrong.diagnostics.at(0);
    return d.place.file + ":" + std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + " " + d.code +
           " " + d.message;
  };
  const std::string listed = "members = \"parts.csv\"";
  CHECK(first(listed + "; m = 3 [kg]").ends_with(" E0210 `m` is set twice"));
  CHECK(first(listed + "; start ~ uniform(1, 2) [m]")
            .ends_with(" E0483 the values of `start`: draws stand in no list of members"));
  CHECK(first(listed + "; seed = 2").ends_with(" E0483 the values of `seed`: nothing is drawn"));
  CHECK(first("members = \"other.csv\"").find(" E0545 ") != std::string::npos);
  list = "m [kg],k\n2,8\n";
  CHECK(first(listed).starts_with("parts.csv:1:8 E0303 the column of `k` must be "));
  list = "m [kg],q [N/m]\n2,8\n";
  CHECK(first(listed) == "parts.csv:1:8 E0481 there is no parameter or input `q` to vary");
  list = "m [kg],k [N/m]\n";
  CHECK(first(listed).ends_with(" E0483 the values of `members`: the file has no rows"));
  list = "m [kg],k [N/m]\n2,x\n";
  CHECK(first(listed) == "parts.csv:2:3 E0549 `x` is not a finite number");
}

TEST_CASE("a list of members that shapes the model is refused, arguments of instances are listed") {
  SweepOptions o = of("s");
  std::string list = "n\n1\n2\n";
  o.compile.loader = [&](const std::string&) -> std::optional<std::string> { return list; };
  const std::string text = R"(mbd 1
param n: int = 1
model Mass(m: number, at: number) {
  particle p(m) at (at, 0, 0)
  force pull on p: (1, 0, 0)
}
Mass part(2, 0)
particle q[i in 1..n](1) at (i, 1, 0)
output x = part.p.x
simulate run { time = 0 .. 1 step 0.5; integrator = rk4 }
sweep s over run { members = "list.csv" }
)";
  CHECK(look(o, text).diagnostics.front().message ==
        "`n` cannot be varied: it shapes the model, which would be compiled for every member");
  list = "part.m,part.at\n1,0\n2,1\n";
  const SweepResult r = look(o, text);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.rows[0].recorded[0] == 0.5);
  CHECK(r.rows[1].recorded[0] == 1.25);
}

}  // namespace mbc::test
