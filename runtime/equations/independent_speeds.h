// SPDX-License-Identifier: Apache-2.0
// Chooses the quasi-velocities y for formulations that project the equations of motion. Each row of the constraints and
// of the conserved momenta takes the column with its largest entry. The quasi-velocities of the user follow in their
// order if they are independent of the rows and of each other. The remaining speeds are taken as they are. Columns are
// scaled by 1/sqrt(M_jj) and rows to norm 1. The elimination has complete pivoting among the rows of constraints and
// momenta, so that the speeds that move least mass become dependent.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/layout.h"

namespace mbc::runtime {

struct SpeedChoice {
  std::vector<double> y;  // n_speeds entries for mbc_quasi_solve: j for a speed, n + row for one of the user, then -1
  std::vector<double> taken;  // n_rows entries: 1 for the rows of the mask that do not depend on others
  std::uint32_t count = 0;    // number of quasi-velocities
  // quasi-velocities of the user that depend on rows or on earlier quasi-velocities
  std::vector<std::uint32_t> left_out;
  bool complete = false;  // The momenta and rows leave as many speeds as they should.
  // Returns whether the numbers of a choice that was read from a file can belong to a system.
  [[nodiscard]] bool fits(const kernel::SystemLayout& layout) const;
};

// `work` holds A, M and Y of a state (written by the kernel's function `rates`) and the directions of the momenta.
SpeedChoice choose_speeds(const kernel::SystemLayout& layout, const double* work, const std::vector<double>& mask);

}  // namespace mbc::runtime
