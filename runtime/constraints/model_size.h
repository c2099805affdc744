// SPDX-License-Identifier: Apache-2.0
// How large a model is: what tolerances of positions and speeds are measured by, so that a model in micrometres and
// milligrams is treated like its twin in metres and kilograms. Sizes are mass-weighted, sqrt(M_jj) |x_j|, as are the
// residuals |e|/|G| that they are compared with.
//
// Each part of the model, of particles and bodies that constraints or masses connect, has a size of its own: how large
// or how far away another one is says nothing of it. The largest is that of the whole.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// Speeds below this part of those that loads give the model over its size are rest: rounding alone gives 1e-10 of them
// where rows lie a hundredth of their length beside a singular position. Any value from 1e-9 to 1e-6.
inline constexpr double kAtRest = 1e-8;

struct ModelSize {
  double position = 1, speed = 1;
  std::vector<double> root_inertia;  // by speed: sqrt(M_jj) where the size was measured
  // Of each part, behind them of rows without a speed and of speeds without a row: of the whole.
  std::vector<double> part_position, part_speed;
  std::vector<std::uint32_t> part_of_row, part_of_speed;
  // Of parts of particles that lie close together far from the origin, as a share of their sizes: what is left of these
  // where positions to each other are judged, but not less than rounding; else 1.
  std::vector<double> part_closeness;

  // Not measured yet: 1.
  ModelSize(const kernel::SystemLayout& l, const problem::Problem& info);

  [[nodiscard]] double of(bool of_position) const { return of_position ? position : speed; }
  // Of the part that a row belongs to.
  [[nodiscard]] double of(bool of_position, std::size_t row) const {
    return (of_position ? part_position : part_speed)[part_of_row[row]];
  }
  // The same, or that of the state at hand where it is larger: what its rounding is measured by.
  [[nodiscard]] double at(bool of_position, const problem::Problem& info, const kernel::SystemLayout& l,
                          const double* y) const;
  // That by part.
  void at(bool of_position, const problem::Problem& info, const kernel::SystemLayout& l, const double* y,
          std::vector<double>& by_part) const;
  void transfer(Archive& archive) {
    archive(position, speed);
    archive.fixed(root_inertia, part_position, part_speed);
    archive.expect(position > 0 && speed > 0);
  }
};

// At a state y = [q; u; s], which need not be on the constraints. span: how long the motion goes on from there (s), 0:
// unknown. Work arrays are those of this state afterwards.
ModelSize measured_size(Equations& equations, const problem::Problem& info, double t, const double* y, double span = 0);

}  // namespace mbc::runtime
