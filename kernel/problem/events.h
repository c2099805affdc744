// SPDX-License-Identifier: Apache-2.0
// Events, discontinuities and what they change. Values are numbers that the kernel computes behind its outputs; a value
// is meant by its index among these.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/name.h"
#include "base/span.h"
#include "kernel/data_table.h"
#include "kernel/problem/contact.h"
#include "kernel/problem/discrete_variables.h"

namespace mbc::problem {

struct EventAction {
  enum class Kind : std::uint8_t { held, coordinate, speed, state, impulse } kind{};
  std::uint32_t index = 0;  // of the discrete variable (an impulse is one), coordinate, speed or state
  std::uint32_t value = 0;
  Span span;
};

// One step of evaluating a condition: comparisons of what varies continuously by how far they are from their limit, all
// else by its truth. Operands come before their users; the last term is the condition.
struct ConditionTerm {
  enum class Kind : std::uint8_t { comparison, exact, all, any, negation } kind{};
  std::uint32_t value = 0;                // above zero where the comparison holds; the truth
  bool at_limit = false;                  // whether the comparison holds there: `<=`
  std::uint32_t a = 0, b = 0;             // operands
  std::vector<std::uint32_t> edges = {};  // of an exact term: values that are zero where its truth may jump
};

// Of an event that no statement makes: a piecewise function in the equations changes its mode.
struct Discontinuity {
  enum class Kind : std::uint8_t {
    edge,  // abs, min, max: the value is continuous
    jump,  // sign, a comparison
    steps  // floor, tables: one jump or corner after the other
  } kind{};
  std::uint32_t inside = 0;  // of `steps`: the argument of the function
  std::uint32_t mode = 0;    // discrete variable: 1 above zero, -1 below, 0 open; of `steps` the middle of the step
  bool of_speeds = false;
  bool of_time = false;  // alone
  std::string of = {};   // the energy that it stands in; else ""
};

// Values that must not jump at a discontinuity: from `value` on the place (and rotation) of a prescribed body, then its
// velocity (and angular velocity); of a kinetic energy its momenta, as speeds.
struct ContinuityCheck {
  std::string name;
  std::uint32_t value = 0, places = 0, speeds = 0;
};

struct Event {
  // touches, leaves: of a unilateral constraint, slips, rests: of a friction, numbers that fall through zero; samples:
  // of an input, or of a table of the time alone
  enum class Kind : std::uint8_t {
    condition,
    rising,
    falling,
    crossing,
    at,
    every,
    touches,
    leaves,
    samples,
    slips,
    rests
  } kind{};
  Name name;                          // as shown: "land", "when in line 7"
  std::uint32_t value = 0, from = 0;  // what is watched; the time, or the period and the first time
  bool of_rates = false;              // what is watched holds accelerations or multipliers
  bool of_angles = false;             // or an angle, which jumps where it goes round
  std::vector<ConditionTerm> terms;   // of a condition
  std::vector<EventAction> actions;
  std::optional<std::string> stop;    // its text
  std::uint32_t count = 0, time = 0;  // discrete variables: how often it has fired, and when last
  std::optional<Discontinuity> kink;
  Span span;                                           // of what is watched, or of the time
  std::shared_ptr<const kernel::DataTable> samples{};  // of `samples`: when it is due, and what is then assigned

  [[nodiscard]] bool timed() const { return kind == Kind::at || kind == Kind::every || kind == Kind::samples; }
  [[nodiscard]] bool of_contact() const {
    return kind == Kind::touches || kind == Kind::leaves || kind == Kind::slips || kind == Kind::rests;
  }
  // A gap or a slip: it is followed down to rounding, and looked for between samples.
  [[nodiscard]] bool may_graze() const { return kind == Kind::touches || kind == Kind::rests; }
  // Whether it is looked for along the motion; kinks: they are located.
  [[nodiscard]] bool followed(bool kinks) const { return !timed() && (!kink || kinks); }
  // One of the user's; the others are told of nowhere.
  [[nodiscard]] bool written() const { return kind != Kind::samples && !kink; }
};

struct Events {
  std::vector<Event> list;  // those of statements, then the kinks
  std::uint32_t n_kinks = 0;
  std::vector<ContinuityCheck> followed, momenta;
  Span unlocated_kink;  // a piecewise function that is none of them, if there is one
  DiscreteVariables discrete;
  std::uint32_t first_value = 0, n_values = 0;  // output of the first value
  std::vector<SwitchedRow> switched_rows;
  std::vector<Unilateral> unilaterals;
  std::vector<Friction> frictions;
  std::vector<ReactionDependentForce> reaction_dependent;
  bool held_in_rows = false;  // a row holds what an event may assign besides coordinates and speeds
  std::vector<std::vector<std::uint32_t>> speeds_in_rate;  // by coordinate, where an event assigns one

  // Of one of the user's, from 1: its place in the list of the summary.
  [[nodiscard]] double number_of(std::uint32_t event) const {
    return static_cast<double>(
        std::count_if(list.begin(), list.begin() + event + 1, [](const Event& e) { return e.written(); }));
  }
  // Returns whether the equations depend on the discrete state: rows come and go, or loads hold multipliers.
  [[nodiscard]] bool equations_vary() const {
    return !(switched_rows.empty() && unilaterals.empty() && reaction_dependent.empty());
  }
  // All at times that are known, and none that switches a row; no load that holds multipliers.
  [[nodiscard]] bool timed() const {
    return !equations_vary() &&
           std::all_of(list.begin(), list.end(), [](const Event& e) { return e.timed() || e.kink; });
  }
  // None that rates decide, nor contact, and none that switches a row: what is watched is known of every state.
  [[nodiscard]] bool of_states() const {
    return switched_rows.empty() && unilaterals.empty() && frictions.empty() &&
           std::none_of(list.begin(), list.end(),
                        [](const Event& e) { return !e.timed() && !e.kink && (e.of_rates || e.of_contact()); });
  }
  // 1 by row of a model of so many for those of contacts.
  [[nodiscard]] std::vector<char> rows_of_contact(std::size_t n_rows) const {
    std::vector<char> out(n_rows);
    for (const Unilateral& u : unilaterals) out[u.row] = 1;
    for (const Friction& f : frictions)
      for (std::uint32_t k = 0; k < f.count; ++k) out[f.row + k] = 1;
    return out;
  }
  // How many they are.
  [[nodiscard]] std::size_t contact_rows() const {
    std::size_t count = unilaterals.size();
    for (const Friction& f : frictions) count += f.count;
    return count;
  }
  // But for the kinks.
  [[nodiscard]] bool empty() const { return list.size() == n_kinks; }
  [[nodiscard]] bool has_kinks() const { return n_kinks > 0; }
};

}  // namespace mbc::problem
