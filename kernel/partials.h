// SPDX-License-Identifier: Apache-2.0
// The partial derivatives of the equations of motion and their places: the table that the compiler, which makes the
// function `partials`, shares with the runtime, which makes Jacobians. For constant u' and lambda, the derivatives of
//
//   q' = W u + X,   F = f + A^T lambda - M u',   s' = r,   R = b - A u',   C (the forces of `nonideal` blocks)
//
// by q, u and s, and those of C also by the multipliers without such forces ("ideal"). They are the entries of one
// sparse matrix. Its rows are these quantities one after the other, its columns are [q; u; s; ideal].
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "kernel/kernel.h"

namespace mbc::kernel {

struct PartialsLayout {
  std::uint32_t n_coordinates = 0, n_speeds = 0, n_states = 0 /* those of the model */, n_rows = 0;
  bool nonideal = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;  // (row, column), ascending; values at work[values ..]
  std::uint32_t values = 0;
  std::uint32_t lambda = 0, ideal = 0;  // in work, n_rows each: arguments of the function

  [[nodiscard]] std::uint32_t motion_at() const { return n_coordinates; }  // rows of F
  [[nodiscard]] std::uint32_t states_at() const { return n_coordinates + n_speeds; }
  [[nodiscard]] std::uint32_t n_columns() const { return states_at() + n_states; }  // of q, u, s; those of ideal follow
  [[nodiscard]] std::uint32_t constraints_at() const { return n_columns(); }        // rows of R
  [[nodiscard]] std::uint32_t nonideal_at() const { return constraints_at() + n_rows; }
};

// The function is called like those of a kernel, with u' in deriv at the speeds; n_state and the parameters are those
// of the kernel it belongs to.
struct Partials {
  Kernel kernel;
  PartialsLayout layout;
};

}  // namespace mbc::kernel
