// SPDX-License-Identifier: Apache-2.0
// What the runtime knows about the model beyond its kernel: names, units, levels, places in the text. Plain data, but
// for what is asked when an operation has failed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/name.h"
#include "base/span.h"
#include "kernel/problem/events.h"

namespace mbc::problem {

enum class Level : std::uint8_t { position, velocity, acceleration };

struct Row {
  Name name;
  Level level{};
  Span span;
  bool of_body = false;  // belongs to the representation of a body, not to a constraint of the user's
  SharedText unit{};     // of the two sides; "" in a model without units
};

struct Column {  // a recorded quantity
  Name name;
  SharedText unit;
  SharedText description;
};

// Values of very many quantities of which neighbours are mostly equal: each run of equal ones is kept once.
template <class T>
class Runs {
 public:
  void push_back(const T& value) {
    if (runs_.empty() || !(runs_.back().second == value)) runs_.emplace_back(size_, value);
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const {
    const auto behind = std::upper_bound(runs_.begin(), runs_.end(), i,
                                         [](std::size_t index, const auto& run) { return index < run.first; });
    return std::prev(behind)->second;
  }

 private:
  std::vector<std::pair<std::size_t, T>> runs_;  // where each begins
  std::size_t size_ = 0;
};

// The coordinates of a model, its speeds, ...
class Quantities {
 public:
  void reserve(std::size_t count) { names_.reserve(count); }
  void push_back(Column c) {
    names_.push_back(std::move(c.name));
    kinds_.push_back({c.unit, c.description});
  }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] bool empty() const { return names_.empty(); }
  [[nodiscard]] SharedText unit(std::size_t i) const { return kinds_[i].first; }
  Column operator[](std::size_t i) const { return {names_[i], kinds_[i].first, kinds_[i].second}; }

 private:
  std::vector<Name> names_;
  Runs<std::pair<SharedText, SharedText>> kinds_;  // unit and description
};

// A free body in `space 3`: where its rotation is among the coordinates and speeds. What turns it is seen in its axes:
// own speeds (omega), rates of Euler parameters, rates of the columns of its rotation.
struct Body {
  enum class Turning : std::uint8_t { omega, euler_parameters, direction_cosines } turning{};
  std::string name;
  std::uint32_t first_coordinate = 0, first_speed = 0;  // of the rotation
  [[nodiscard]] std::uint32_t speeds() const {
    return turning == Turning::omega ? 3 : turning == Turning::euler_parameters ? 4 : 9;
  }
};

struct Instance {  // of a component: what it holds is named "s[8].f", "s[8].pin.x"
  Name path;       // "s[8]."
  Span made;
};

// An operation of the model's expressions that was not finite: its place in the text and the state it was met at.
struct FailedOperation {
  Span origin;
  double t = 0;
  const double* y = nullptr;
  std::span<const double> params, inputs;
};

// What the operation belongs to: a force, a row, ...
struct FailedItem {
  std::string name;
  Span span;
};

struct Problem {
  std::vector<Row> rows;
  std::vector<Instance> instances;
  // Statements of equal shape share their code, which does not say whose operation failed; this does, where it is there
  // and finds it. From any thread.
  std::function<std::optional<FailedItem>(const FailedOperation&)> failed_item;
  Quantities coordinates, speeds, accelerations, states, inputs, outputs, held;
  Quantities event;  // the column that says which event a row belongs to, where rows of events are recorded
  Runs<Span> coordinate_spans, speed_spans, state_spans;
  // where a displacement of the speeds goes when q' = u; kNoCoordinate for a speed that is no coordinate's rate
  static constexpr std::uint32_t kNoCoordinate = 0xffffffffu;
  std::vector<std::uint32_t> coordinate_of_speed;
  // what a coordinate is: a place along an axis, another length, an angle or an entry of a rotation, or something else
  enum class Size : std::uint8_t { x, y, z, length, one, own };
  Runs<Size> sizes;
  std::vector<std::uint32_t> quaternions;  // first of four coordinates; kept at norm 1 between steps
  // default columns: particle by particle, positions, velocities, accelerations
  struct Recorded {
    enum class Kind : std::uint8_t { coordinate, speed, acceleration, state, output, held, event } kind{};
    std::uint32_t index = 0;
  };
  std::vector<Recorded> columns;
  [[nodiscard]] Column column(std::size_t k) const {
    const Quantities* lists[] = {&coordinates, &speeds, &accelerations, &states,
                                 &outputs,     &held,   &event};  // as Recorded::Kind
    return (*lists[static_cast<std::size_t>(columns[k].kind)])[columns[k].index];
  }
  std::string time_unit;
  bool inertia_by_hand = false;       // there are `kinetic` terms
  bool multipliers_recorded = false;  // an output holds a multiplier
  // rows whose ideal multiplier a load of a `nonideal` block, an output or a check holds: it has to be unique
  std::vector<std::uint32_t> ideal_rows;
  std::vector<Body> bodies;
  // first of four outputs that are a quaternion known up to its sign: recorded without jumps
  std::vector<std::uint32_t> quaternion_outputs;
  Events events;
  struct Course {                                      // of an input
    std::uint32_t input = 0, output = 0;               // what it is, among the values behind the outputs
    std::shared_ptr<const kernel::DataTable> samples;  // where it is held between them
  };
  std::vector<Course> courses;
};

}  // namespace mbc::problem
