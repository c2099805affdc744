// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/looped/quasi_steps.h"

#include "compiler/formulate/blocks/emit_block.h"
#include "kernel/support/mbc_support.h"

namespace mbc::formulate {

QuasiSteps::QuasiSteps(const SystemLayout& layout, const DenseSteps& dense, Solve solve, std::vector<Direction> momenta,
                       const DenseSteps::Field& field)
    : layout_(layout), dense_(dense), solve_(solve), momenta_(std::move(momenta)) {
  momenta_.resize(layout.quasi->n_momenta);
  scratch_ = field("scratch.quasi", mbc_quasi_solve_scratch(layout.n_speeds));
}

void QuasiSteps::prepare(kernel::Function& f) const {
  dense_.expand_mass(f, false, false);
  directions(f);
}

void QuasiSteps::directions(kernel::Function& f) const {
  const std::uint32_t n = layout_.n_speeds;
  std::vector<double> directions(std::size_t{n} * momenta_.size(), 0.0);
  for (std::size_t k = 0; k < momenta_.size(); ++k)
    for (const auto& [speed, coefficient] : momenta_[k]) directions[k * n + speed] = coefficient;
  if (!directions.empty()) add_constants(f, layout_.quasi->direction, directions);
}

void QuasiSteps::call(kernel::Function& f, std::uint32_t mode) const {
  const SystemLayout& l = layout_;
  const QuasiLayout& q = *l.quasi;
  kernel::RoutineCall call{"mbc_quasi_solve", std::vector<std::uint32_t>(MBC_QUASI_ROW_PTR)};
  std::vector<std::uint32_t>& plan = call.plan.own();
  plan[MBC_QUASI_N] = l.n_speeds;
  plan[MBC_QUASI_M] = l.n_rows;
  plan[MBC_QUASI_USER] = q.n_user;
  plan[MBC_QUASI_MOMENTA] = q.n_momenta;
  plan[MBC_QUASI_MODE] = mode;
  plan[MBC_QUASI_MASS_KIND] = dense_.mass_kind();
  plan[MBC_QUASI_MASS] = dense_.mass_at();
  plan[MBC_QUASI_FORCE] = l.f;
  plan[MBC_QUASI_A] = l.A;
  plan[MBC_QUASI_Y_ROWS] = q.Y;
  plan[MBC_QUASI_B] = l.b;
  plan[MBC_QUASI_C] = q.offset;
  plan[MBC_QUASI_Z] = q.Z;
  plan[MBC_QUASI_BIAS] = q.bias;
  plan[MBC_QUASI_OFFSET] = q.momentum_offset;
  plan[MBC_QUASI_DIRECTION] = q.direction;
  plan[MBC_QUASI_MOMENTUM] = q.momentum;
  plan[MBC_QUASI_CHOICE] = q.choice;
  plan[MBC_QUASI_Y] = q.y;
  plan[MBC_QUASI_U] = q.u;
  plan[MBC_QUASI_UDOT] = dense_.acceleration_at();
  plan[MBC_QUASI_YDOT] = q.y_rate;
  plan[MBC_QUASI_LAMBDA] = l.lambda;
  plan[MBC_QUASI_PIVOT] = l.pivot;
  plan[MBC_QUASI_PIVOT_SCALE] = l.pivot_scale;
  plan[MBC_QUASI_PROJECTED_MASS] = q.mass;
  plan[MBC_QUASI_PROJECTED_FORCE] = q.force;
  plan[MBC_QUASI_QUALITY] = q.quality;
  plan[MBC_QUASI_SCRATCH] = scratch_;
  plan.insert(plan.end(), l.row_ptr.begin(), l.row_ptr.end());
  for (std::size_t r = 1; r < q.row_ptr.size(); ++r) plan.push_back(l.row_ptr.back() + q.row_ptr[r]);
  plan.insert(plan.end(), l.column.begin(), l.column.end());
  plan.insert(plan.end(), q.column.begin(), q.column.end());
  push_call(f, std::move(call));
}

void QuasiSteps::expand(kernel::Function& f) const {
  prepare(f);
  add_copy(f, {Space::state, false, layout_.speeds_at()}, {Space::work, false, layout_.quasi->y}, layout_.n_speeds);
  call(f, MBC_QUASI_FACTOR | MBC_QUASI_EXPAND);
}

void QuasiSteps::accelerations(kernel::Function& f, bool factored) const {
  if (!factored) prepare(f);
  const std::uint32_t factor = factored ? 0 : MBC_QUASI_FACTOR;
  call(f, factor | (solve_ == Solve::maggi ? MBC_QUASI_MAGGI : MBC_QUASI_ACCELERATE));
}

void QuasiSteps::store(kernel::Function& f, bool quasi) const {
  const std::uint32_t from = quasi ? layout_.quasi->y_rate : dense_.acceleration_at();
  add_copy(f, {Space::work, false, from}, {Space::deriv, false, layout_.speeds_at()}, layout_.n_speeds);
}

}  // namespace mbc::formulate
