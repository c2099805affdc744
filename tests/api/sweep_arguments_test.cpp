// SPDX-License-Identifier: Apache-2.0
// Tests sweeps over arguments of instances: numbers share one compilation, arguments that shape the model need their
// own.
#include <doctest/doctest.h>

#include "tests/api/small_sweep.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// `length` is only a number, `n` changes the structure of the model, and `gap` changes it by a condition.
const char* kChain = R"(mbd 1
model Chain(n: int = 2, length = 0.5, mass = 1, gap = 0) {
  particle p[i in 1..n](mass) at (i*length, 0, 0)
  constraint link[1]: dist(ground, p[1]) == length
  for i in 2..n { constraint link[i]: dist(p[i-1], p[i]) == length }
  if gap > 1 { force wind on p[n]: (0, gap, 0) }
  output tip = p[n].pos
}
gravity (0, 0, -9.81)
Chain c(mass = 2)
output E = energy.kinetic
simulate swing { time = 0 .. 0.2 step 0.01; integrator = rk4 }
sweep lengths over swing { c.length = (0.4, 0.5, 0.75); record E, c.tip }
)";

// Each member equals the run with its values bit for bit.
void check_members(const SweepResult& r, const std::string& text) {
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  for (const SweepMember& m : r.rows) {
    CAPTURE(m.number);
    CAPTURE(m.reason);
    CHECK(m.reason.empty());
    std::vector<std::string> set;
    for (std::size_t k = 0; k < m.varied.size(); ++k)
      set.push_back(r.sweep.varied[k].quantity.name + " = " + number(m.varied[k]));
    const Run single = run(text, Engine::interpreter, set, "swing");
    REQUIRE_MESSAGE(single.result.status == Status::complete, single.result.rendered);
    for (std::size_t k = 0; k < m.recorded.size(); ++k) {
      CAPTURE(r.sweep.records[k].name);
      CHECK(m.recorded[k] == single.last(r.sweep.records[k].name));
    }
  }
}

}  // namespace

TEST_CASE("arguments of instances: numbers share one compilation") {
  const SweepResult block = look(of("lengths"), kChain);
  CHECK(block.compilations == 1);
  CHECK_FALSE(block.sweep.varied[0].shapes);
  CHECK(block.rows.size() == 3);
  check_members(block, kChain);
  SweepOptions o = of("swing");
  o.vary = {"c.length = 0.4 .. 0.6 count 3", "c.mass = (1, 3)"};
  const SweepResult r = look(o, kChain);
  CHECK(r.compilations == 1);
  CHECK(r.rows.size() == 6);
  check_members(r, kChain);
}

TEST_CASE("arguments that shape the model: a compilation for each value, rows in order all the same") {
  SweepOptions o = of("swing");
  o.vary = {"c.length = (0.4, 0.5)", "c.n = 1 .. 3 step 1", "c.gap = (0, 2)"};
  o.jobs = 2;
  const SweepResult r = look(o, kChain);
  check_members(r, kChain);
  CHECK(r.compilations == 6);
  CHECK(r.sweep.varied[1].shapes);
  CHECK(r.sweep.varied[2].shapes);
  CHECK(varied(r, 0) == std::vector<double>{0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  CHECK(varied(r, 1) == std::vector<double>{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3});
  CHECK(varied(r, 2) == std::vector<double>{0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2});
  for (std::size_t k = 0; k < r.rows.size(); ++k) CHECK(r.rows[k].number == k + 1);
  CHECK(summary_text(r).find("`c.n`, `c.gap` shapes the model: compiled 6 times, once for each value\n") !=
        std::string::npos);
  std::vector<std::uint64_t> seen;
  const SweepResult observed = sweep_text(kChain, "a.mbd", o, [&](const SweepMember& m) {
    seen.push_back(m.number);
    return seen.size() < 5;
  });
  CHECK(observed.status == Status::output_failed);
  CHECK(seen == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
}

TEST_CASE("values that the model cannot be made of stay in their members") {
  SweepOptions o = of("swing");
  o.vary = {"c.n = (2, 1.5, 1)"};
  const SweepResult r = look(o, kChain);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.failed == 1);
  CHECK(r.rows[0].reason.empty());
  CHECK(r.rows[1].status == Status::model_error);
  CHECK(r.rows[1].reason == "E0305: the argument `n` of `Chain` must be a whole number, found 1.5");
  CHECK(r.rows[2].reason.empty());
}

TEST_CASE("members without common columns say so") {
  const std::string text =
      "mbd 1\nparam n: int = 2\nparticle p[i in 1..n](1) at (i, 0, 0)\n"
      "for i in 1..n { output x[i] = p[i].x }\nsimulate { time = 0 .. 1 step 0.5 }\n";
  SweepOptions o = of("");
  o.vary = {"n = (2, 3)"};
  const SweepResult r = look(o, text);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.rows[0].reason.empty());
  CHECK(r.rows[1].diagnostic->kind == "sweep_differs");
  o.record = {"p[1].x"};
  CHECK(look(o, text).failed == 0);
}
