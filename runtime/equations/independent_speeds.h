// SPDX-License-Identifier: Apache-2.0
// Which speeds are independent: the choice of quasi-velocities y for formulations that project the equations of motion.
// Each row of the constraints, and of the conserved momenta, takes the column it holds best. Then come the
// quasi-velocities of the user, in their order, as far as they are independent of the rows and of each other. The
// speeds that are left are taken as they are. Columns are scaled by 1/sqrt(M_jj), rows to norm 1, and the elimination
// has complete pivoting among the rows of constraints and momenta, so that the speeds that move least mass become
// dependent.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/layout.h"

namespace mbc::runtime {

struct SpeedChoice {
  std::vector<double> y;      // n_speeds, as mbc_quasi_solve reads it: j, n + row of the user, then -1
  std::vector<double> taken;  // n_rows: 1 for rows that take part, the mask without those that depend on others
  std::uint32_t count = 0;    // of quasi-velocities
  std::vector<std::uint32_t> left_out;  // quasi-velocities of the user that depend on rows or on those before them
  bool complete = false;                // momenta and rows leave as many speeds as there should be
};

// `work`: A, M and Y of a state (the kernel's function `rates`), with the directions of the momenta.
SpeedChoice choose_speeds(const kernel::SystemLayout& layout, const double* work, const std::vector<double>& mask);

}  // namespace mbc::runtime
