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
  bool of_body = false;  // belongs to the representation of a body, not to a constraint of the user's
};

// A text that many quantities have, kept once for the life of the program: a unit, "speed".
class SharedText {
 public:
  SharedText(const std::string& text) : text_(&kept(text)) {}      // NOLINT: written as a string
  SharedText(const char* text) : SharedText(std::string(text)) {}  // NOLINT
  operator const std::string&() const { return *text_; }           // NOLINT: read as one
  friend bool operator==(SharedText a, SharedText b) { return a.text_ == b.text_; }

 private:
  static const std::string& kept(const std::string& text);
  const std::string* text_;
};

struct ColumnInfo {  // a recorded quantity
  std::string name;
  SharedText unit;
  SharedText description;
};

// A free body in `space 3`: where its rotation is among the coordinates and speeds. What turns it is seen in its axes:
// own speeds (omega), rates of Euler parameters, rates of the columns of its rotation.
struct BodyInfo {
  enum class Turning : std::uint8_t { omega, euler_parameters, direction_cosines } turning{};
  std::string name;
  std::uint32_t first_coordinate = 0, first_speed = 0;  // of the rotation
  [[nodiscard]] std::uint32_t speeds() const {
    return turning == Turning::omega ? 3 : turning == Turning::euler_parameters ? 4 : 9;
  }
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
  // rows whose ideal multiplier a load of a `nonideal` block, an output or a check holds: it has to be unique
  std::vector<std::uint32_t> ideal_rows;
  std::vector<BodyInfo> bodies;
  // first of four outputs that are a quaternion known up to its sign: recorded without jumps
  std::vector<std::uint32_t> quaternion_outputs;
};

}  // namespace mbc::runtime
