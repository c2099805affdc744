// SPDX-License-Identifier: Apache-2.0
// The structs of the opaque types of mbc_c.h.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/c/boundary.h"
#include "mbc/run.h"
#include "mbc/simulation.h"

namespace mbc::c {

// Names, units and descriptions of a list, made on first use and kept, because C holds pointers to the texts.
struct NamedList {
  std::vector<Quantity> entries;
};

}  // namespace mbc::c

// NOLINTBEGIN(readability-identifier-naming): names of C
struct mbc_model {
  explicit mbc_model(mbc::Model of) : model(std::move(of)) {}

  mbc::Model model;
  mbc::c::Failure failure;
  std::array<std::optional<mbc::c::NamedList>, MBC_DISCRETE + 1> lists;
  std::optional<std::string> warnings, time_unit, about, text;
  std::string equations;  // result of mbc_model_equations
};

struct mbc_simulation {
  explicit mbc_simulation(mbc::Simulation of) : simulation(std::move(of)) {}

  mbc::Simulation simulation;
  mbc::c::Failure failure;
  mbc::RowSet rows;                                   // result of mbc_rows
  mbc::Jacobian jacobian;                             // result of mbc_jacobian
  std::vector<const char*> jacobian_of, jacobian_by;  // its names
  std::string saved;
  std::string summary, summary_json, warnings;  // results of mbc_run
};

struct mbc_table {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
};
// NOLINTEND(readability-identifier-naming)
