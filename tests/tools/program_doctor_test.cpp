// SPDX-License-Identifier: Apache-2.0
// Tests `mbc doctor` and `mbc info`: exit statuses, stdout and stderr.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

const char* kTwice = R"(mbd 1
/// A pendulum, told twice.
param m = 2
particle p(m) at (1, 0, 0)
constraint rod: dist(p, ground) == 1
constraint again: dot(p.pos, p.pos) == 1
simulate swing { time = 0 .. 1 step 0.01; integrator = rk4 }
)";

const char* kFight = R"(mbd 1
particle p(1) at (1, 0, 0)
constraint rod: dist(p, ground) == 1
constraint longer: dist(p, ground) == 2
)";

const char* kLoose = R"(mbd 1
coord x = 0, y = 0
particle p(1) follows (x, 0, 0)
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";

}  // namespace

TEST_CASE("doctor: text on stdout, exit status says whether the model can run") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kTwice);
  const Ran good = run_mbc({"doctor", file});
  CHECK(good.code == 0);
  CHECK(good.err.empty());
  CHECK(has(good.out, "a.mbd: sound, with notes\n"));
  CHECK(has(good.out, "2 degrees of freedom = 3 speeds - rank 1"));
  CHECK(has(good.out, "again  depends on rod"));
  CHECK(has(good.out, "along the motion"));
  write_file(file, kFight);
  const Ran fight = run_mbc({"doctor", file});
  CHECK(fight.code == 3);
  CHECK(has(fight.out, "contradicting rows: rod, longer"));
  CHECK(has(fight.err, "error[E0602]"));
  write_file(file, kLoose);
  const Ran loose = run_mbc({"doctor", file});
  CHECK(loose.code == 4);
  CHECK(has(loose.out, "undetermined: y"));
  write_file(file, "mbd 1\nparticle p(1) at q\n");
  CHECK(run_mbc({"doctor", file}).code == 1);
  CHECK(run_mbc({"doctor"}).code == 2);
  write_file(file, kTwice);
  CHECK(run_mbc({"doctor", file, "walk"}).code == 1);
  CHECK(run_mbc({"doctor", file, "swing", "--samples", "0"}).code == 0);
}

TEST_CASE("doctor: as JSON") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kTwice);
  const Ran ran = run_mbc({"doctor", file, "--json", "--samples", "3"});
  CHECK(ran.code == 0);
  const auto j = nlohmann::json::parse(ran.out);
  CHECK(j["sound"] == true);
  CHECK(j["degrees_of_freedom"] == 2);
  CHECK(j["constraints"][1]["depends_on"] == nlohmann::json{"rod"});
  CHECK(j["constraints"][1]["independent"] == false);
  int random = 0;
  for (const auto& sample : j["samples"]) random += sample["kind"] == "random" ? 1 : 0;
  CHECK(random == 3);
  write_file(file, kFight);
  const auto fight = nlohmann::json::parse(run_mbc({"doctor", file, "--json"}).out);
  CHECK(fight["consistent"] == false);
  CHECK(fight["diagnostic"]["code"] == "E0602");
}

TEST_CASE("info: text and JSON, with parameters set from outside") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kTwice);
  const Ran text = run_mbc({"info", file, "--set", "m=3"});
  CHECK(text.code == 0);
  CHECK(has(text.out, "1 particle, 2 constraints (2 rows)"));
  CHECK(has(text.out, "A pendulum, told twice."));
  CHECK(has(text.out, "m  3    set from outside"));
  CHECK(has(text.out, "simulation swing: time 0 .. 1 step 0.01"));
  CHECK(has(text.out, "integrator = rk4\n"));
  CHECK(has(text.out, "formulation = udwadia_kalaba  (default)"));
  CHECK(has(text.out, "not conserved, although absent from the energies\n  "));
  const auto j = nlohmann::json::parse(run_mbc({"info", file, "--json"}).out);
  CHECK(j["parameters"][0]["value"] == 2);
  CHECK(j["constraints"][0]["level"] == "position");
  CHECK(j["simulations"][0]["integrator"] == "rk4");
  CHECK(j["entities"][0]["detail"] == "mass 2");
  CHECK(run_mbc({"info"}).code == 2);
  write_file(
      file,
      "mbd 1\ninput u = 2\nstate s = 1 where s' = u - s\nbody b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0)\n"
      "frame F on b at (1, 0, 0)\ntorque m on b: (0, 0, s)\n");
  const auto more = nlohmann::json::parse(run_mbc({"info", file, "--json"}).out);
  CHECK(more["inputs"][0]["name"] == "u");
  CHECK(more["inputs"][0]["value"] == 2);
  CHECK(more["states"][0]["initial"] == 1);
  CHECK(more["entities"][1]["kind"] == "frame");
  CHECK(more["conserved_momenta"].size() == 3);
  CHECK(more["conserved_momenta"][0]["name"] == "b.x");
  CHECK(more["conserved_momenta"][0]["speeds"]["b.vx"] == 1);
  CHECK(more["not_conserved"].empty());
  CHECK(more["momenta_limited"] == false);
  write_file(file, "mbd 1\n");
  CHECK(run_mbc({"info", file}).code == 1);
}

TEST_CASE("a session starts from the assembled state") {
  Start session;
  session.input =
      "coord a = 0, b = 0\nparticle p(1) follows (a, b, 0)\nconstraint c: a + b == 1\ninit { a ~ 0; b ~ 0 }\na\nrun "
      "1\n";
  const Ran ran = run_mbc({}, session);
  CHECK(ran.code == 0);
  CHECK(has(ran.out, "0.5\n"));
  CHECK(has(ran.out + ran.err, "assembled: a 0 -> 0.5, b 0 -> 0.5"));
}

}  // namespace mbc::test
