// SPDX-License-Identifier: Apache-2.0
// Tests where a kernel reads the discrete state and the meaning of each of its values.
#include "kernel/problem/discrete_state.h"

#include <doctest/doctest.h>

#include <vector>

using namespace mbc;
using Use = problem::DiscreteVariable::Use;

namespace {

// The model has two inputs, a unilateral constraint with a switch, a friction in a plane, an event, and a
// discontinuity.
struct Small {
  problem::DiscreteVariables variables{
      {{Use::active, "deck.active", {}},
       {Use::contact_impulse, "deck.impulse", {}},
       {Use::enabled, "deck.enabled", {}},
       {Use::friction, "rub.sticks", {}},
       {Use::friction, "rub.direction", {}},
       {Use::friction, "rub.direction", {}},
       {Use::friction, "rub.rest", {}},
       {Use::friction, "rub.size", {}},
       {Use::count, "land.count", {}},
       {Use::time, "land.time", {}},
       {Use::mode, "branch 1", {}}},
      2,
      [](std::span<const double> params) { return std::vector<double>(11, params[0]); }};
  std::vector<double> inputs = std::vector<double>(14, -1.0);  // A test has one additional input at the end.
  problem::DiscreteState state{variables, inputs};
  problem::Unilateral deck;
  problem::Friction rub;
  problem::Event land;
  problem::Discontinuity corner;

  Small() {
    deck.active = 0;
    deck.impulse = 1;
    deck.enabled = 2;
    rub.sticks = 3;
    rub.direction = {4, 5};
    rub.rest = 6;
    rub.size = 7;
    land.count = 8;
    land.time = 9;
    corner.mode = 10;
    state.assign(std::vector<double>(11, 0.0));
  }
};

}  // namespace

TEST_CASE("discrete variables are inputs of the kernel behind those of the model") {
  const Small s;
  CHECK(s.variables.input_of(0) == 2);
  CHECK(s.variables.input_of(10) == 12);
  CHECK_FALSE(s.variables.variable_of(1));
  CHECK(*s.variables.variable_of(2) == 0);
  CHECK(*s.variables.variable_of(12) == 10);
  CHECK_FALSE(s.variables.variable_of(13));
  const std::vector<double> inputs = s.variables.inputs({5, 6, 7}, {8, 9});
  CHECK(inputs == std::vector<double>{5, 6, 8, 9});
  CHECK(s.variables.at_start(std::vector<double>{3.5}) == std::vector<double>(11, 3.5));
  CHECK(problem::DiscreteVariables().at_start({}).empty());
}

TEST_CASE("the state is set and read among the inputs, and nothing else is") {
  Small s;
  CHECK(s.inputs[0] == -1);
  CHECK(s.inputs[1] == -1);
  CHECK(s.inputs[13] == -1);
  CHECK(s.state.values() == std::vector<double>(11, 0.0));
  s.state[10] = 4;
  CHECK(s.inputs[12] == 4);
  CHECK(s.state.mode(s.corner) == 4);
  s.state.assign({});  // The discrete state of a model without changes is empty.
  CHECK(s.inputs[12] == 4);
}

TEST_CASE("unilateral constraints, frictions and events by what they mean") {
  Small s;
  s.state.set_active(s.deck, true);
  CHECK(s.inputs[2] == 1);
  CHECK(s.state.is_active(s.deck));
  s.state.set_active(s.deck, false);
  CHECK_FALSE(s.state.is_active(s.deck));
  s.state.impulse(s.deck) = 0.25;
  CHECK(s.inputs[3] == 0.25);
  CHECK_FALSE(s.state.is_enabled(s.deck));
  s.state[2] = 1;
  CHECK(s.state.is_enabled(s.deck));
  CHECK(s.state.is_enabled(s.rub));  // No event switches this friction.

  CHECK_FALSE(s.state.slides(s.rub));
  s.state.direction(s.rub, 1) = -1;
  s.state.negligible_slip(s.rub) = 1e-9;
  s.state[7] = 30;
  CHECK(s.inputs[7] == -1);
  CHECK(s.state.slides(s.rub));
  s.state.set_sticks(s.rub, true);
  CHECK(s.state.sticks(s.rub));
  s.state.release(s.rub);
  CHECK_FALSE(s.state.sticks(s.rub));
  CHECK_FALSE(s.state.slides(s.rub));
  CHECK(s.state[7] == 0);
  CHECK(s.state.negligible_slip(s.rub) == 1e-9);

  s.state.count(s.land, 1.5);
  s.state.count(s.land, 2.5);
  CHECK(s.state[8] == 2);
  CHECK(s.state[9] == 2.5);
}

TEST_CASE("what users name and how many values it may have") {
  const auto labels = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"up", "down", "off"});
  CHECK(problem::DiscreteVariable{Use::state, "phase", {}, labels}.choices() == 3);
  CHECK(problem::DiscreteVariable{Use::state, "u", {}}.choices() == 0);
  CHECK(problem::DiscreteVariable{Use::enabled, "a.enabled", {}}.choices() == 2);
  for (const Use use : {Use::state, Use::count, Use::time, Use::enabled})
    CHECK(problem::DiscreteVariable{use, "x", {}}.is_told());
  for (const Use use :
       {Use::impulse, Use::active, Use::contact_impulse, Use::sample, Use::mode, Use::friction, Use::load})
    CHECK_FALSE(problem::DiscreteVariable{use, "x", {}}.is_told());
}
