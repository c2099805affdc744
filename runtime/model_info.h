// What the runtime knows about the model beyond its kernel: names, units, levels, places in the text. Plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/source/span.h"

namespace mbc::runtime {

enum class RowLevel : std::uint8_t { position, velocity, acceleration };

struct RowInfo {
  std::string name;
  RowLevel level{};
  Span span;
};

struct ColumnInfo {  // a recorded quantity
  std::string name;
  std::string unit;
  std::string description;
};

struct ModelInfo {
  std::vector<RowInfo> rows;
  std::vector<ColumnInfo> coordinates, speeds, accelerations, states, inputs, outputs;
  std::vector<Span> coordinate_spans, speed_spans, state_spans;
  // where a displacement of the speeds goes when q' = u; kNoCoordinate for a speed that is no coordinate's rate
  static constexpr std::uint32_t kNoCoordinate = 0xffffffffu;
  std::vector<std::uint32_t> coordinate_of_speed;
  std::vector<std::uint32_t> quaternions;  // first of four coordinates; kept at norm 1 between steps
  // default columns: particle by particle, positions, velocities, accelerations
  struct Recorded {
    enum class Kind : std::uint8_t { coordinate, speed, acceleration, state, output } kind{};
    std::uint32_t index = 0;
  };
  std::vector<Recorded> columns;
  std::string time_unit;
  bool inertia_by_hand = false;       // there are `kinetic` terms
  bool multipliers_recorded = false;  // an output holds a multiplier
};

}  // namespace mbc::runtime
