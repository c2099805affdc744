// SPDX-License-Identifier: Apache-2.0
// Tests `mbc compare`: exit statuses, stdout and stderr.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

using Json = nlohmann::json;

const char* kSwing = R"(mbd 1
gravity (0, 0, -9.81)
particle p(1) at (1, 0, 0)
constraint rod: dist(p, ground) == 1
simulate swing { time = 0 .. 1 step 0.01; integrator = rk4 }
)";

const char* kSpin = R"(mbd 1
body b(mass = 1, inertia = diag(1, 2, 3)) at (0, 0, 0) spinning (0.01, 3, 0.02)
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";

const std::string kMethods = "udwadia_kalaba, udwadia_kalaba(literal, rank_tol = 1e-9), augmented";

}  // namespace

TEST_CASE("run and compile: --formulation stands beside --set, in any order") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kSwing);
  const std::vector<std::string> set{"--set", "time.end=0.5"}, formulation{"--formulation", "kane"};
  for (const bool first : {true, false}) {
    std::vector<std::string> arguments{"run", file, "-o", folder / "a.csv"};
    for (const auto* part : {first ? &set : &formulation, first ? &formulation : &set})
      arguments.insert(arguments.end(), part->begin(), part->end());
    const Ran ran = run_mbc(arguments);
    CHECK(ran.code == 0);
    CHECK(has(ran.err, "50 steps of 0.01"));
    CHECK(has(ran.err, "rk4, kane, "));
  }
  CHECK(has(run_mbc({"compile", file, "--emit=kernel", "--formulation=projection"}).out, "mass.projected"));
  CHECK(run_mbc({"run", file, "--formulation", "kanes"}).code == 1);
}

TEST_CASE("compare: two results, at the times that both have") {
  const Folder folder;
  const std::string a = folder / "a.csv", b = folder / "b.csv", c = folder / "c.csv", d = folder / "d.csv";
  write_file(a, "time,x,y,z\n0,1,5,0\n0.1,2,5,0\n0.2,3,5,1\n0.2,4,5,2\n0.3,-8,5,3\n");
  write_file(b, "time,y,x,w\n0,5,1,0\n0.2,5,3.5,0\n0.2,5,4,0\n0.25,9,9,9\n0.30000000000000004,5,-6,0\n");
  write_file(c, "time,x\n0.05,1\n");
  write_file(d, "member,x\n1,1\n");
  const Ran table = run_mbc({"compare", a, b});
  CAPTURE(table.out);
  CHECK(table.code == 0);
  CHECK(has(table.out, "5 rows; 4 rows at equal time, 0 .. 0.3\n"));
  CHECK(has(table.out, "only in " + a + ": z\n"));
  CHECK(has(table.out, "only in " + b + ": w\n"));
  const Json all = Json::parse(run_mbc({"compare", a, b, "--json"}).out);
  const Json& x = all.at("columns").at(0);
  CHECK(x.at("name") == "x");
  CHECK(x.at("largest") == 2);
  CHECK(x.at("at") == 0.3);
  CHECK(x.at("rms").get<double>() == doctest::Approx(std::sqrt(4.25 / 4)).epsilon(1e-15));
  CHECK(x.at("relative") == 0.25);
  CHECK(all.at("columns").at(1).at("largest") == 0);
  CHECK(has(run_mbc({"compare", a, b, "--csv", "-"}).out, "x,,2,0.3,1.0307764064044151,0.25\n"));
  CHECK(run_mbc({"compare", a, a, "--tolerance", "1e-15"}).code == 0);
  const Ran differ = run_mbc({"compare", a, b, "--tolerance", "0.2"});
  CHECK(differ.code == 1);
  CHECK(has(differ.err, "`x` differs by 0.25 of its largest value"));
  CHECK(has(run_mbc({"compare", a, b, "--tolerance", "0.3"}).err, "do not have the same columns"));
  CHECK(has(run_mbc({"compare", a, c}).err, "no row at equal time"));
  CHECK(has(run_mbc({"compare", a, d}).err, "do not begin with the same column"));
  CHECK(run_mbc({"compare", a}).code == 2);
  CHECK(has(run_mbc({"compare", a, b, "--no-run"}).err, "--no-run is for models"));
  CHECK(run_mbc({"compare", a, folder / "gone.csv"}).code == 1);
  CHECK(run_mbc({"compare", a, b, "--csv", a}).code == 2);
}

TEST_CASE("compare: tables on stdout, nothing on stderr") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kSwing);
  const Ran all = run_mbc({"compare", file, "--samples", "5"});
  CHECK(all.code == 0);
  CHECK(all.err.empty());
  CHECK(has(all.out, "a.mbd, swing: "));
  CHECK(has(all.out, ", 5 random states, time 0 .. 1 step 0.01\n"));
  CHECK(has(all.out, "reference: udwadia_kalaba\n"));
  CHECK(has(all.out, "  augmented "));
  CHECK(has(all.out, "time (native code; best of several)\n"));
  const Ran some = run_mbc(
      {"compare", file, "swing", "--samples", "5", "--interpret", "--formulations", kMethods, "--tolerance", "1e-9"});
  CHECK(some.code == 0);
  CHECK(has(some.out, "3 methods"));
  CHECK(has(some.out, "  udwadia_kalaba(literal, rank_tol = 1e-9)"));
  CHECK(has(some.out, "time (interpreter; best of several)\n"));
  write_file(file, kSpin);
  const Ran bodies =
      run_mbc({"compare", file, "--no-run", "--samples", "5", "--bodies", "natural,quaternion", "--tolerance", "1e-9"});
  CHECK(bodies.code == 0);
  CHECK(has(bodies.out, "reference: udwadia_kalaba, natural\n"));
  CHECK_FALSE(has(bodies.out, "trajectory"));
}

TEST_CASE("compare: contact with friction, at states drawn at random and without any") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (0, 0) moving (1, 0)
constraint deck: p.y >= 0
friction rub on p.vx: 0.3*deck.lambda
simulate { time = 0 .. 1 step 0.1 }
)");
  for (const char* samples : {"0", "3"}) {
    const Ran ran = run_mbc({"compare", file, "--samples", samples, "--seed", "2", "--tolerance", "1e-9"});
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(has(ran.out, "  boltzmann_hamel "));
  }
}

TEST_CASE("compare: exit status") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kSwing);
  const auto code = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"compare", file, "--interpret", "--samples", "5"};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run_mbc(all);
    return std::pair{ran.code, ran.err};
  };
  CHECK(code({"--formulations", "augmented"}) == std::pair{0, std::string()});
  CHECK(code({"--set", "swing.formulation = augmented"}).first == 0);
  const auto alone = code({"--formulations", "augmented,routh"});
  CHECK(alone.first == 1);
  CHECK(has(alone.second, "one method only"));
  CHECK(code({"--formulations", "nonsense"}).first == 2);
  const auto none = code({"--formulations", "routh"});
  CHECK(none.first == 1);
  CHECK(has(none.second, "no method could be applied"));
  const auto strict = code({"--formulations", "udwadia_kalaba,augmented", "--tolerance", "1e-300"});
  CHECK(strict.first == 1);
  CHECK(has(strict.second, "more than the tolerance"));
  for (const std::string wrong : {"abc", "0", "-1", "nan", "inf", "1e999"}) {
    const auto tolerance = code({"--tolerance", wrong});
    CHECK(tolerance.first == 2);
    CHECK(has(tolerance.second, "--tolerance: `" + wrong + "` is no positive number such as 1e-9\n"));
  }
  const auto twice = code({"--set", "swing.formulation=augmented", "--formulations", "augmented"});
  CHECK(twice.first == 1);
  CHECK(has(twice.second, "leave out one of them"));
  const auto walk = code({"walk"});
  CHECK(walk.first == 1);
  CHECK(has(walk.second, "error[E0424]"));
  write_file(file, "mbd 1\nparticle p(1) at q\n");
  const auto broken = code({"--diagnostics=json"});
  CHECK(broken.first == 1);
  CHECK(nlohmann::json::parse(broken.second)["severity"] == "error");
  CHECK(run_mbc({"compare", folder / "missing.mbd"}).code == 1);
}

TEST_CASE("compare: CSV and JSON") {
  const Folder folder;
  const std::string file = folder / "a.mbd", csv = folder / "out.csv";
  write_file(file, kSwing);
  const std::vector<std::string> base{"compare", file, "--interpret", "--samples", "5", "--formulations", kMethods};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = base;
    all.insert(all.end(), more.begin(), more.end());
    return run_mbc(all);
  };
  const auto j = nlohmann::json::parse(with({"--json"}).out);
  CHECK(j["methods"].size() == 3);
  CHECK(j["methods"][2]["formulation"] == "augmented");
  CHECK(j["methods"][2]["states_compared"] == 5);
  const Ran piped = with({"--csv", "-"});
  CHECK(piped.code == 0);
  CHECK(piped.out.starts_with("formulation,bodies,applied,"));
  const Ran filed = with({"--csv", csv});
  CHECK(filed.code == 0);
  CHECK(has(filed.out, "reference: "));
  CHECK(read_file(csv).starts_with("formulation,bodies,applied,"));
  CHECK(with({"--csv", file}).code == 2);
  CHECK(with({"--csv", folder / "missing/x.csv"}).code == 74);
  CHECK(read_file(file) == kSwing);
  const Ran from_pipe = run_mbc({"compare", "-", "--interpret", "--samples", "5", "--json"}, {.input = kSwing});
  CHECK(from_pipe.code == 0);
  CHECK(nlohmann::json::parse(from_pipe.out)["file"] == "<stdin>");
}

}  // namespace mbc::test
