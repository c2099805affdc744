// SPDX-License-Identifier: Apache-2.0
// Tests the problem that is made from a model: indices that refer to each other, and the properties of frictions that
// are known only at the end.
#include "compiler/lower/describe.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compiler/pipeline.h"

using namespace mbc;
using Use = problem::DiscreteVariable::Use;

namespace {

problem::Problem problem_of(const std::string& text) {
  const Compilation c = compile("a.mbd", text, {});
  REQUIRE(c.ok());
  return lower::describe(c.model);
}

// The model has a box on a deck that an event removes, friction against the deck, a wire whose reaction brakes, and a
// count declared by the user.
const char* const kBox = R"(mbd 1
param mu = 0.3
input push [N] = 0
state knocks = 2
particle p(1 [kg]) at (0, 0, 0) [m] moving (1, 0, 0) [m/s]
gravity (0, 0, -9.81) [m/s^2]
constraint deck: p.z >= 0 restitution 0.5
friction rub on p.vx: mu*deck.lambda
constraint wire: p.y == 0
force drag on p: -0.1*abs(wire.lambda)*ex
force f on p: (push, 0, 0)
force g on p: -abs(p.x)*(1 [N/m])*ex
when gone: p.x > 1 [m] { disable deck; knocks = knocks + 1 }
simulate { time = 0 .. 1 [s] step 10 [ms]; integrator = auto }
)";

}  // namespace

TEST_CASE("contacts, events and discrete variables name each other") {
  const problem::Problem p = problem_of(kBox);
  const problem::Events& e = p.events;
  REQUIRE(e.unilaterals.size() == 1);
  const problem::Unilateral& deck = e.unilaterals[0];
  CHECK(p.rows[deck.row].name == "deck");
  CHECK(p.rows[deck.row].level == problem::Level::position);
  CHECK(e.discrete[deck.active].use == Use::active);
  CHECK(e.discrete[deck.impulse].use == Use::contact_impulse);
  REQUIRE(deck.enabled);
  CHECK(e.discrete[*deck.enabled].name == "deck.enabled");
  CHECK(e.list[deck.touches].kind == problem::Event::Kind::touches);
  CHECK(e.list[deck.touches].value == deck.gap);
  CHECK(e.list[deck.leaves].kind == problem::Event::Kind::leaves);
  CHECK(e.list[deck.leaves].of_rates);

  REQUIRE(e.frictions.size() == 1);
  const problem::Friction& rub = e.frictions[0];
  CHECK(rub.name == "rub");
  CHECK(rub.count == 1);
  CHECK(p.rows[rub.row].level == problem::Level::velocity);
  CHECK(e.discrete[rub.sticks].name == "rub.sticks");
  REQUIRE(rub.size);
  CHECK(e.discrete[*rub.size].name == "rub.size");
  CHECK(e.list[rub.rests].kind == problem::Event::Kind::rests);
  CHECK(e.list[rub.slips].kind == problem::Event::Kind::slips);
  CHECK(rub.pressed_by == std::vector<std::uint32_t>{deck.row});
  CHECK_FALSE(rub.varies);

  REQUIRE(e.reaction_dependent.size() == 1);
  CHECK(e.reaction_dependent[0].name == "drag");
  CHECK(e.discrete[e.reaction_dependent[0].held].use == Use::load);
  REQUIRE(e.reaction_dependent[0].slopes.size() == 1);
  CHECK(p.rows[e.reaction_dependent[0].slopes[0].row].name == "wire");

  std::vector<std::uint32_t> switched;
  for (const problem::SwitchedRow& s : e.switched_rows) switched.push_back(s.held);
  CHECK(switched == std::vector<std::uint32_t>{deck.active, *deck.enabled, rub.sticks});
}

TEST_CASE("events of statements come first, then discontinuities") {
  const problem::Problem p = problem_of(kBox);
  const problem::Events& e = p.events;
  CHECK(e.n_kinks == 1);
  REQUIRE(e.list.size() > 1);
  const problem::Event& corner = e.list.back();
  REQUIRE(corner.kink);
  CHECK(corner.kink->kind == problem::Discontinuity::Kind::edge);
  CHECK(corner.kind == problem::Event::Kind::crossing);
  CHECK_FALSE(corner.written());
  CHECK(e.discrete[corner.kink->mode].use == Use::mode);
  const problem::Event* gone = nullptr;
  for (const problem::Event& one : e.list)
    if (one.name == "gone") gone = &one;
  REQUIRE(gone != nullptr);
  CHECK(gone->kind == problem::Event::Kind::condition);
  REQUIRE(gone->actions.size() == 2);
  CHECK(gone->actions[0].index == *e.unilaterals[0].enabled);
  CHECK(e.discrete[gone->actions[1].index].name == "knocks");
}

TEST_CASE("a run begins with the discrete state of its parameters") {
  const problem::Problem p = problem_of(kBox);
  const problem::DiscreteVariables& discrete = p.events.discrete;
  CHECK(discrete.input_of(0) == p.inputs.size());
  const std::vector<double> state = discrete.at_start(std::vector<double>{0.3});
  REQUIRE(state.size() == discrete.size());
  for (std::size_t k = 0; k < state.size(); ++k)
    CHECK(state[k] == (discrete[k].name == "knocks" ? 2 : discrete[k].use == Use::enabled ? 1 : 0));
}

TEST_CASE("columns in the order of the results") {
  const problem::Problem p = problem_of(kBox);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < p.columns.size(); ++k) names.push_back(p.column(k).name);
  CHECK(names ==
        std::vector<std::string>{"p.x", "p.y", "p.z", "p.vx", "p.vy", "p.vz", "p.ax", "p.ay", "p.az", "knocks"});
}
