// SPDX-License-Identifier: Apache-2.0
// What a run knows about the events of its model: plain data. Values are numbers behind the outputs of the kernel, held
// values are inputs of the kernel behind those of the model.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/name.h"
#include "base/span.h"
#include "kernel/data_table.h"

namespace mbc::runtime {

struct HeldInfo {
  enum class Use : std::uint8_t {
    state,
    enabled,
    impulse,
    count,
    time,
    active,
    blow,
    sample,
    branch,
    friction,
    load
  } use{};
  Name name;
  Span span;
  std::uint32_t labels = 0;  // of a machine: its value is the number of one of that many; of a switch: 2
};

// Whether it is something that users have named, or its switch: what a run leaves behind for the next one.
inline bool is_told(const HeldInfo& h) {
  return h.use == HeldInfo::Use::state || h.use == HeldInfo::Use::count || h.use == HeldInfo::Use::time ||
         h.use == HeldInfo::Use::enabled;
}

// Whether it is a value that events may give it.
inline bool may_hold(const HeldInfo& h, double value) {
  const bool whole = value == std::floor(value);
  if (h.labels > 0) return whole && value >= 0 && value < h.labels;
  switch (h.use) {
    case HeldInfo::Use::enabled:
    case HeldInfo::Use::active:
      return value == 0 || value == 1;
    case HeldInfo::Use::count:
      return whole && value >= 0;
    case HeldInfo::Use::state:
    case HeldInfo::Use::impulse:
    case HeldInfo::Use::time:
    case HeldInfo::Use::blow:
    case HeldInfo::Use::sample:
    case HeldInfo::Use::branch:
    case HeldInfo::Use::friction:
    case HeldInfo::Use::load:
      break;
  }
  return std::isfinite(value);
}

struct EventAction {
  enum class Kind : std::uint8_t { held, coordinate, speed, state, impulse } kind{};
  std::uint32_t index = 0;  // of the held value, coordinate, ...
  std::uint32_t value = 0;
  Span span;
};

// One step of evaluating a condition: comparisons of what varies continuously by how far they are from their limit, all
// else by its truth. Operands come before their users; the last term is the condition.
struct ConditionTerm {
  enum class Kind : std::uint8_t { comparison, exact, all, any, negation } kind{};
  std::uint32_t value = 0;     // above zero where the comparison holds; the truth
  bool at_limit = false;       // whether the comparison holds there: `<=`
  std::uint32_t a = 0, b = 0;  // operands
};

// Of an event that no statement makes: a piecewise function in the equations changes its branch.
struct Kink {
  enum class Kind : std::uint8_t { edge, jump, steps } kind{};
  std::uint32_t inside = 0;  // of `steps`: what the function is of
  std::uint32_t branch = 0;  // held value: 1 above zero, -1 below, 0 open; of `steps` the middle of the step
  bool of_speeds = false;
  bool of_time = false;  // alone
  std::string of = {};   // the energy that it stands in; else ""
};

// A follower whose place has kinks: numbers of the values of its place (and rotation), then of its velocity (and
// angular velocity). Of a kinetic energy with kinks those of its momenta, as speeds.
struct FollowedInfo {
  std::string name;
  std::uint32_t value = 0, places = 0, speeds = 0;
};

struct EventInfo {
  // touches, leaves: of a unilateral constraint, slips, rests: of a friction, numbers that fall through zero; samples:
  // of an input
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
  Name name;
  std::uint32_t value = 0, from = 0;  // what is watched; the time, or the period and the first time
  bool of_rates = false;              // what is watched holds accelerations or multipliers
  bool of_angles = false;             // or an angle, which jumps where it goes round
  std::vector<ConditionTerm> terms;   // of a condition
  std::vector<EventAction> actions;
  std::optional<std::string> stop;
  std::uint32_t count = 0, time = 0;  // held values
  std::optional<Kink> kink;
  Span span;
  std::shared_ptr<const kernel::DataTable> samples{};  // of an input: when it is due, and what is then assigned

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

struct SwitchedRow {  // by a held value that is 1 or 0
  std::uint32_t row = 0, held = 0;
};

// A row that only pushes, its residual not negative. It is switched by the held value `active`.
struct UnilateralInfo {
  std::uint32_t row = 0;
  std::uint32_t active = 0, impulse = 0;   // held values: 1 while it is held; the impulse of its last impact
  std::optional<std::uint32_t> enabled;    // the held value by which events switch it
  std::uint32_t gap = 0, restitution = 0;  // values: its residual, whatever the switches
  std::uint32_t touches = 0, leaves = 0;   // events
  // The gap changes by no more than this where no coordinate, nor the time, does by more than 1; may be infinite.
  double steepness = 0;
};

// What a number that holds multipliers grows by with each of them.
struct Slope {
  std::uint32_t row = 0, value = 0;
};

// A component of a load that holds multipliers.
struct ImplicitLoadInfo {
  std::string name;  // of the load
  Span span;
  std::uint32_t held = 0, value = 0;  // held value: what acts; value: what the load says it is
  std::vector<Slope> slopes;
};

// Of a limit that is negative.
inline constexpr const char* kLimitHelp =
    "let it end at zero, by `max(.., 0)`; of a multiplier that may have both signs take `abs`";

// A force against a slip of one or two velocities. It sticks, its rows switched on as equations, or slides, with a
// direction, or does nothing, where it is disabled.
struct FrictionInfo {
  std::string name;
  std::uint32_t row = 0, count = 1;      // its rows
  std::uint32_t sticks = 0, rest = 0;    // held values: 1 while it sticks; a slip that counts as none
  std::vector<std::uint32_t> direction;  // held values: of the slip, one for each row; 0 where it does not slide
  std::optional<std::uint32_t> size;     // held value: its limit where that depends on multipliers
  std::optional<std::uint32_t> stays;    // held value: it is at its limit of rest, held by others; then `limit` is that
  std::optional<std::uint32_t> enabled;  // the held value by which events switch it
  std::uint32_t slip = 0, limit = 0, still = 0;  // values: the slip, one for each row; the limit, and that at rest
  std::uint32_t slips = 0, rests = 0;            // events
  std::optional<std::uint32_t> restitution;      // value: of the slip, in an impact
  std::vector<Slope> limit_slopes;               // where loads hold multipliers
  bool varies = false;                           // a limit may become negative along the motion
  std::vector<std::uint32_t> pressed_by;         // rows of inequalities without which it has no force; else empty
};

struct EventsInfo {
  std::vector<EventInfo> list;  // those of statements, then the kinks
  std::uint32_t n_kinks = 0;
  std::vector<FollowedInfo> followed, momenta;
  Span unlocated_kink;  // a piecewise function that is none of them, if there is one
  std::vector<HeldInfo> held;
  std::uint32_t held_at = 0;                    // input of the first held value
  std::uint32_t first_value = 0, n_values = 0;  // output of the first value
  std::vector<SwitchedRow> switched_rows;
  std::vector<UnilateralInfo> unilaterals;
  std::vector<FrictionInfo> frictions;
  std::vector<ImplicitLoadInfo> implicit_loads;
  bool held_in_rows = false;  // a row holds what an event may assign besides coordinates and speeds
  std::vector<std::vector<std::uint32_t>> speeds_in_rate;  // by coordinate, where an event assigns one
  // The held values of a run that begins, by its parameters.
  std::function<std::vector<double>(std::span<const double> params)> held_at_start;

  // Of one of the user's, from 1: its place in the list of the summary.
  [[nodiscard]] double number_of(std::uint32_t event) const {
    return static_cast<double>(
        std::count_if(list.begin(), list.begin() + event + 1, [](const EventInfo& e) { return e.written(); }));
  }
  // All at times that are known, and none that switches a row; no load that holds multipliers.
  [[nodiscard]] bool timed() const {
    return switched_rows.empty() && unilaterals.empty() && implicit_loads.empty() &&
           std::all_of(list.begin(), list.end(), [](const EventInfo& e) { return e.timed() || e.kink; });
  }
  // None that rates decide, nor contact, and none that switches a row: what is watched is known of every state.
  [[nodiscard]] bool of_states() const {
    return switched_rows.empty() && unilaterals.empty() && frictions.empty() &&
           std::none_of(list.begin(), list.end(),
                        [](const EventInfo& e) { return !e.timed() && !e.kink && (e.of_rates || e.of_contact()); });
  }
  // 1 by row of a model of so many for those of contacts.
  [[nodiscard]] std::vector<char> rows_of_contact(std::size_t n_rows) const {
    std::vector<char> out(n_rows);
    for (const UnilateralInfo& u : unilaterals) out[u.row] = 1;
    for (const FrictionInfo& f : frictions)
      for (std::uint32_t k = 0; k < f.count; ++k) out[f.row + k] = 1;
    return out;
  }
  // How many they are.
  [[nodiscard]] std::size_t contact_rows() const {
    std::size_t count = unilaterals.size();
    for (const FrictionInfo& f : frictions) count += f.count;
    return count;
  }
  // But for the kinks.
  [[nodiscard]] bool empty() const { return list.size() == n_kinks; }
  [[nodiscard]] bool has_kinks() const { return n_kinks > 0; }
};

}  // namespace mbc::runtime
