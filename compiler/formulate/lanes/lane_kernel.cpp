// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/lanes/lane_kernel.h"

#include "base/check.h"
#include "compiler/formulate/lanes/lane_motion.h"
#include "compiler/formulate/lanes/lane_rows.h"
#include "compiler/formulate/lanes/lane_solve.h"

namespace mbc::formulate {

LaneKernel::LaneKernel(LaneSystem system)
    : system_(std::move(system)),
      inertia_(system_.system, system_.blocks),
      rows_(system_.system),
      possible_(inertia_.positive_definite() && rows_.complete()) {
  if (!possible_) return;
  elimination_.emplace(system_.pattern, system_.blocks, system_.partition);
  places_.emplace(system_, rows_, *elimination_, inertia_.all_forces_literal());
}

void LaneKernel::emit(kernel::Function& f, LaneFunction wanted) {
  CHECK(places_.has_value(), "only a lane kernel that is possible is written");
  const LaneContext c{system_, inertia_, rows_, *elimination_, *places_, wanted};
  const SystemLayout& l = system_.layout;
  f.guard_begin = places_->separators.guard;
  f.guard_end = f.guard_begin + static_cast<std::uint32_t>(system_.partition.separator_rows.size());
  f.check_begin = c.motion() ? 0 : l.speeds_at();
  f.check_end = c.motion() ? l.n_y() : l.states_at();
  write_into_lanes(c, f);
  if (c.motion()) write_free_accelerations(c, f);
  const bool few_rows = write_rows(c, f), few_couplings = write_couplings(c, f);
  possible_ = possible_ && few_rows && few_couplings;
  const std::vector<LaneColumn> columns = lane_columns(c);
  write_elimination(c, columns, f);
  write_separators(c, columns, f);
  write_substitution(c, f);
  if (wanted == LaneFunction::full) write_row_results(c, f);
  write_accelerations(c, f);
  write_out_of_lanes(c, f);
  if (c.motion()) write_rates(c, f);
}

}  // namespace mbc::formulate
