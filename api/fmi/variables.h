// SPDX-License-Identifier: Apache-2.0
// The variables of a model for importers of FMI: a list of real variables whose positions are their value references.
// The exporter describes them and the FMU returns their values, so both make the list here.
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
    calculated,  // a parameter whose declaration contains others
    input,
    state,       // a state that is not a column
    derivative,  // derivative of a state
    indicator,   // event indicator
    output,      // output of the model
    local        // any other column
  };
  Kind kind{};
  std::size_t index = 0;  // index among the parameters, inputs, states, indicators or columns of the model
  std::string name, unit, description;
  double start = 0;                    // for parameters and inputs
  std::optional<std::size_t> state{};  // index of the variable in the state
  double nominal = 1;                  // nominal value of a state
};

[[nodiscard]] inline bool is_column(const Variable& v) { return v.kind >= Variable::Kind::output; }
[[nodiscard]] inline bool is_settable(const Variable& v) {
  return v.kind == Variable::Kind::parameter || v.kind == Variable::Kind::input;
}

struct Variables {
  std::vector<Variable> list;
  std::vector<std::size_t> states, derivatives, indicators;  // indices into the list
};

// Returns the variables of the model in the variant of the `simulate` block; "": none. Names are unique: of variables
// with the same name the first counts (time, parameters, inputs, outputs, other columns), and a state whose name is
// taken is called `state(NAME)`.
[[nodiscard]] Variables variables_of(const Model& model, const std::string& block);

}  // namespace mbc::fmi
