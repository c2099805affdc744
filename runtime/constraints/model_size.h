// SPDX-License-Identifier: Apache-2.0
// ModelSize is the scale for tolerances of positions and speeds. With it a model in micrometres and milligrams is
// treated like the same model in metres and kilograms. Sizes are mass-weighted, sqrt(M_jj) |x_j|, like the residuals
// |e|/|G| that are compared with them.
//
// Each part of the model, that is, particles and bodies connected by constraints or masses, has its own size. The size
// or distance of one part says nothing about another. The size of the whole model is the largest one.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// A speed below this part of the one that loads give the model over its size counts as rest. Rounding alone gives 1e-10
// of it if rows lie a hundredth of their length from a singular position. Values from 1e-9 to 1e-6 are equally good.
inline constexpr double kAtRest = 1e-8;

struct ModelSize {
  double position = 1, speed = 1;
  std::vector<double> root_inertia;  // sqrt(M_jj) for each speed at the measured state
  // The terms of the rates of y = [q; u; s] without their signs, for u without the forces of rows. The rounding of a
  // rate is eps times these, also where the terms cancel. Large systems have none.
  std::vector<double> rate_terms;
  // These vectors have one entry for each part. The last entry is that of the whole model and serves rows without a
  // speed and speeds without a row.
  std::vector<double> part_position, part_speed;
  std::vector<std::uint32_t> part_of_row, part_of_speed;
  // This factor applies to the sizes of parts whose particles are close together and far from the origin. Their
  // relative positions are judged by the reduced size, which is not below rounding. For other parts it is 1.
  std::vector<double> part_closeness;

  // The size is 1 before it is measured.
  ModelSize(const kernel::SystemLayout& l, const problem::Problem& info);

  [[nodiscard]] double of(bool of_position) const { return of_position ? position : speed; }
  // Returns the size of the part that a row belongs to.
  [[nodiscard]] double of(bool of_position, std::size_t row) const {
    return (of_position ? part_position : part_speed)[part_of_row[row]];
  }
  // Returns the size of the model or of the given state, whichever is larger. Rounding of the state is compared with
  // it.
  [[nodiscard]] double at(bool of_position, const problem::Problem& info, const kernel::SystemLayout& l,
                          const double* y) const;
  // Computes the same for each part.
  void at(bool of_position, const problem::Problem& info, const kernel::SystemLayout& l, const double* y,
          std::vector<double>& by_part) const;
  void transfer(Archive& archive) {
    archive(position, speed);
    archive.fixed(root_inertia, rate_terms, part_position, part_speed);
    archive.expect(position > 0 && speed > 0);
  }
};

// Measures the size at a state y = [q; u; s], which need not be on the constraints. `span` is the duration of the
// motion from there (s), or 0 if it is unknown. Afterwards the work arrays belong to this state.
ModelSize measured_size(Equations& equations, const problem::Problem& info, double t, const double* y, double span = 0);

// Measures ModelSize::rate_terms at a state. If `sizes` of y are given, each term counts with what the state can make
// of it, so that a term that vanishes at this state has a size too. Afterwards the work arrays belong to this state.
std::vector<double> terms_of_rates(Equations& equations, double t, const double* y, const double* sizes = nullptr);

}  // namespace mbc::runtime
