// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/sized_system.h"

namespace mbc::lower {

namespace {

RowUse use_of(const sema::Equation& e) {
  if (!e.of_body) return RowUse::user;
  return *e.of_body == sema::Representation::euler_parameters ? RowUse::euler_parameters : RowUse::natural;
}

void add_rows(const sema::Constraint& c, std::vector<std::uint32_t>& rows) {
  for (std::uint32_t k = 0; k < c.row_count; ++k) rows.push_back(c.first_row + k);
}

}  // namespace

System sized_system(const sema::Model& model) {
  const auto size = [](const auto& items) { return static_cast<std::uint32_t>(items.size()); };
  System s;
  s.n_coordinates = size(model.coordinates);
  s.n_speeds = size(model.speeds);
  s.n_rows = size(model.equations);
  s.n_states = size(model.states);
  s.n_inputs = model.first_run_value();
  s.n_params = size(model.params);
  s.n_outputs = size(model.outputs);
  s.n_quasi = size(model.quasi_velocities);
  for (const sema::Equation& e : model.equations) s.row_use.push_back(use_of(e));
  for (const sema::Unilateral& u : model.unilaterals) add_rows(model.constraints[u.constraint], s.contact_rows);
  for (const sema::Friction& f : model.frictions) {
    add_rows(model.constraints[f.constraint], s.contact_rows);
    s.friction_torques.push_back(f.load);
  }
  return s;
}

}  // namespace mbc::lower
