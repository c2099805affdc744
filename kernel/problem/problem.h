// SPDX-License-Identifier: Apache-2.0
// The problem: what compiler, runtime and interface know of a model beside its kernel. It holds rows, events, contacts,
// discrete variables, columns, names, units and places in the text. It is plain data, except for the function that
// finds the statement of a failed operation.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/name.h"
#include "base/settings.h"
#include "base/span.h"
#include "kernel/problem/events.h"
#include "kernel/problem/level.h"
#include "kernel/problem/quantities.h"

namespace mbc::problem {

struct Row {
  Name name;
  Level level{};
  Span span;
  bool of_body = false;  // belongs to the representation of a body, not to a constraint of the user's
  SharedText unit{};     // of the two sides; "" in a model without units
};

// A free body in `space 3`: the places of its rotation among the coordinates and speeds. The speeds are, by
// representation, its angular velocity in its axes, rates of Euler parameters or rates of the columns of its rotation.
struct Body {
  settings::Representation representation{};
  std::string name;
  std::uint32_t first_coordinate = 0, first_speed = 0;  // of the rotation
  [[nodiscard]] std::uint32_t speeds() const {
    switch (representation) {
      case settings::Representation::quaternion:
        return 3;
      case settings::Representation::euler_parameters:
        return 4;
      case settings::Representation::natural:
        return 9;
      case settings::Representation::tree:  // its free bodies have quaternions
      case settings::Representation::automatic:
        break;
    }
    return 0;
  }
};

struct Instance {  // of a component: names inside it are "s[8].f", "s[8].pin.x"
  Name path;       // "s[8]."
  Span made;
};

// An operation of the model's expressions that was not finite: its place in the text and the state where it failed.
struct FailedOperation {
  Span origin;
  double t = 0;
  const double* y = nullptr;
  std::span<const double> params, inputs;
};

// A statement of the model: a force, a row, ...
struct ItemPlace {
  std::string name;
  Span span;
};

// An input that gets its value from a block of the model or from the command line, not from the host.
struct InputSignal {
  std::uint32_t input = 0, value = 0;
  std::shared_ptr<const kernel::DataTable> samples;  // if it is held between samples
};

struct Problem {
  std::vector<Row> rows;
  std::vector<Instance> instances;
  // Finds the statement of a failed operation; null if it is not available. Statements of equal shape share their code,
  // so that the code alone does not tell. Any thread may call it.
  std::function<std::optional<ItemPlace>(const FailedOperation&)> failed_item;
  Quantities coordinates, speeds, accelerations, states, inputs, outputs, held;
  Quantities event;  // the column with the number of the event that a row belongs to, if rows of events are recorded
  Runs<Span> coordinate_spans, speed_spans, state_spans;
  // the coordinate that a displacement of a speed changes when q' = u; kNoCoordinate for a speed that is no
  // coordinate's rate
  static constexpr std::uint32_t kNoCoordinate = 0xffffffffu;
  std::vector<std::uint32_t> coordinate_of_speed;
  // the kind of a coordinate: a place along an axis, another length, an angle or an entry of a rotation, or something
  // else
  enum class Size : std::uint8_t { x, y, z, length, one, own };
  Runs<Size> sizes;
  std::vector<std::uint32_t> quaternions;  // first of four coordinates; kept at norm 1 between steps
  // default columns: particle by particle, positions, velocities, accelerations
  std::vector<Recorded> columns;
  [[nodiscard]] Column column(std::size_t k) const {
    const Quantities* lists[] = {&coordinates, &speeds, &accelerations, &states,
                                 &outputs,     &held,   &event};  // as Recorded::Kind
    return (*lists[static_cast<std::size_t>(columns[k].kind)])[columns[k].index];
  }
  std::string time_unit;
  bool inertia_by_hand = false;       // the model has `kinetic` terms
  bool multipliers_recorded = false;  // an output holds a multiplier
  // rows whose ideal multiplier is used by a load of a `nonideal` block, an output or a check: it has to be unique
  std::vector<std::uint32_t> ideal_rows;
  std::vector<Body> bodies;
  // first of four outputs that are a quaternion known up to its sign: recorded without jumps
  std::vector<std::uint32_t> quaternion_outputs;
  Events events;
  std::vector<InputSignal> input_signals;
};

}  // namespace mbc::problem
