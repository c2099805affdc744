// SPDX-License-Identifier: Apache-2.0
// What an importer of FMI sees of a model: a list of real variables, the value reference of each its place in it. The
// exporter describes them and the FMU gives their values, so both make the list here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/model.h"

namespace mbc::fmi {

struct Variable {
  enum class Kind : std::uint8_t {
    time,
    parameter,   // may be set at any time
    calculated,  // a parameter that is declared by others, and follows them
    input,
    state,       // that is no column
    derivative,  // of a state
    indicator,   // of events
    output,      // of the model
    local        // any other column of its rows
  };
  Kind kind{};
  std::size_t index = 0;  // among the parameters, inputs, states, indicators or columns of the model
  std::string name, unit, description;
  double start = 0;                    // of parameters and inputs
  std::optional<std::size_t> state{};  // it is that entry of the state
  double nominal = 1;                  // of states
};

[[nodiscard]] inline bool is_column(const Variable& v) { return v.kind >= Variable::Kind::output; }
[[nodiscard]] inline bool is_settable(const Variable& v) {
  return v.kind == Variable::Kind::parameter || v.kind == Variable::Kind::input;
}

struct Variables {
  std::vector<Variable> list;
  std::vector<std::size_t> states, derivatives, indicators;  // places in the list
};

// As the `simulate` block has the model; "": none. Names are unique: of what has the same name the first counts (time,
// parameters, inputs, outputs, other columns), and a state that would have the name of another thing is `state(NAME)`.
[[nodiscard]] Variables variables_of(const Model& model, const std::string& block);

}  // namespace mbc::fmi
