// SPDX-License-Identifier: Apache-2.0
// Events, discontinuities and what they change. Values are numbers that the kernel computes behind its outputs; a value
// is named by its index among them.
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

// One step of evaluating a condition. A comparison of continuous quantities is evaluated by the distance from its
// limit, everything else by its truth. Operands come before their users; the last term is the condition.
struct ConditionTerm {
  enum class Kind : std::uint8_t { comparison, exact, all, any, negation } kind{};
  std::uint32_t value = 0;                // above zero where the comparison holds; the truth
  bool at_limit = false;                  // the comparison holds at its limit: `<=`
  std::uint32_t a = 0, b = 0;             // operands
  std::vector<std::uint32_t> edges = {};  // of an exact term: values that are zero where its truth may jump
};

// The part of an event that no statement makes: a piecewise function in the equations changes its mode.
struct Discontinuity {
  enum class Kind : std::uint8_t {
    edge,  // abs, min, max: the value is continuous
    jump,  // sign, a comparison
    steps  // floor, tables: one jump or corner after the other
  } kind{};
  std::uint32_t inside = 0;  // of `steps`: the argument of the function
  std::uint32_t mode = 0;    // discrete variable: 1 above zero, -1 below, 0 open; of `steps` the middle of the step
  bool of_speeds = false;
  bool of_time = false;  // of nothing else
  std::string of = {};   // the energy that contains it; else ""
};

// Values that must not jump at a discontinuity, from `value` on: the place (and rotation) of a prescribed body, then
// its velocity (and angular velocity). Those of a kinetic energy are its momenta, counted as speeds.
struct ContinuityCheck {
  std::string name;
  std::uint32_t value = 0, places = 0, speeds = 0;
};

struct Event {
  // touches, leaves: of a unilateral constraint; slips, rests: of a friction; all four: numbers that fall through zero.
  // samples: of an input, or of a table that depends on the time alone
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
  std::uint32_t value = 0, from = 0;  // the event function; the time, or the period and the first time
  bool of_rates = false;              // the event function holds accelerations or multipliers
  bool of_angles = false;             // or an angle, which jumps where it wraps
  std::vector<ConditionTerm> terms;   // of a condition
  std::vector<EventAction> actions;
  std::optional<std::string> stop;    // its text
  std::uint32_t count = 0, time = 0;  // discrete variables: how often it has fired, and when last
  std::optional<Discontinuity> kink;
  Span span;                                           // of the event function, or of the time
  std::shared_ptr<const kernel::DataTable> samples{};  // of `samples`: when it is due, and the values assigned then

  [[nodiscard]] bool timed() const { return kind == Kind::at || kind == Kind::every || kind == Kind::samples; }
  // Returns whether the event sets what `initial(e)` stands for, at the beginning of a run.
  [[nodiscard]] bool begins() const { return kind == Kind::samples && !samples; }
  [[nodiscard]] bool of_contact() const {
    return kind == Kind::touches || kind == Kind::leaves || kind == Kind::slips || kind == Kind::rests;
  }
  // Returns true for a gap or a slip, which is followed down to rounding and looked for between samples.
  [[nodiscard]] bool may_graze() const { return kind == Kind::touches || kind == Kind::rests; }
  // Returns whether the event is looked for along the motion; `kinks`: discontinuities are located.
  [[nodiscard]] bool followed(bool kinks) const { return !timed() && (!kink || kinks); }
  // Returns whether the event is one of the user's; the others are not reported.
  [[nodiscard]] bool written() const { return kind != Kind::samples && !kink; }
};

// The angle of a joint that rows hold. It counts turns: of the angles of its pose it is the one next to `near`.
struct JointAngle {
  std::uint32_t near = 0;   // discrete variable
  std::uint32_t value = 0;  // the angle, then its rate
  bool acts = false;        // the motion or an event depends on it
};

struct Events {
  std::vector<Event> list;  // those of statements, then the discontinuities
  std::uint32_t n_kinks = 0;
  std::vector<ContinuityCheck> followed, momenta;
  Span unlocated_kink;  // a piecewise function without a discontinuity in the list, if there is one
  DiscreteVariables discrete;
  std::uint32_t first_value = 0, n_values = 0;  // output of the first value
  std::vector<SwitchedRow> switched_rows;
  std::vector<Unilateral> unilaterals;
  std::vector<Friction> frictions;
  std::vector<ReactionDependentForce> reaction_dependent;
  std::vector<JointAngle> angles;
  bool held_in_rows = false;  // a row holds something that an event may assign, other than coordinates and speeds
  std::vector<std::vector<std::uint32_t>> speeds_in_rate;  // by coordinate, if an event assigns one

  // Returns the place of a user's event in the list of the summary, from 1.
  [[nodiscard]] double number_of(std::uint32_t event) const {
    return static_cast<double>(
        std::count_if(list.begin(), list.begin() + event + 1, [](const Event& e) { return e.written(); }));
  }
  // Returns whether the equations depend on the discrete state: rows come and go, or loads hold multipliers.
  [[nodiscard]] bool equations_vary() const {
    return !(switched_rows.empty() && unilaterals.empty() && reaction_dependent.empty());
  }
  // Returns whether all events are at known times, no event switches a row and no load contains multipliers.
  [[nodiscard]] bool timed() const {
    return !equations_vary() &&
           std::all_of(list.begin(), list.end(), [](const Event& e) { return e.timed() || e.kink; });
  }
  // Returns whether every state alone gives the event functions: none depends on rates, there is no contact, and no
  // event switches a row.
  [[nodiscard]] bool of_states() const {
    return switched_rows.empty() && unilaterals.empty() && frictions.empty() &&
           std::none_of(list.begin(), list.end(),
                        [](const Event& e) { return !e.timed() && !e.kink && (e.of_rates || e.of_contact()); });
  }
  // Returns a list with 1 for each row of a contact, 0 for the others.
  [[nodiscard]] std::vector<char> rows_of_contact(std::size_t n_rows) const {
    std::vector<char> out(n_rows);
    for (const Unilateral& u : unilaterals) out[u.row] = 1;
    for (const Friction& f : frictions)
      for (std::uint32_t k = 0; k < f.count; ++k) out[f.row + k] = 1;
    return out;
  }
  // Returns the number of rows of contacts.
  [[nodiscard]] std::size_t contact_rows() const {
    std::size_t count = unilaterals.size();
    for (const Friction& f : frictions) count += f.count;
    return count;
  }
  // Returns whether there are no events besides discontinuities.
  [[nodiscard]] bool empty() const { return list.size() == n_kinks; }
  [[nodiscard]] bool has_kinks() const { return n_kinks > 0; }
};

}  // namespace mbc::problem
