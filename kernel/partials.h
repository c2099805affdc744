// SPDX-License-Identifier: Apache-2.0
// The partial derivatives of the equations of motion and their places: the table that the compiler, which makes the
// function `partials`, shares with the runtime, which makes Jacobians. For constant u' and lambda, the derivatives of
//
//   q' = W u + X,   F = f + A^T lambda - M u',   s' = r,   R = b - A u',   C (the forces of `nonideal` blocks)
//
// by q, u and s, and those of C also by the multipliers without such forces ("ideal"). They are the entries of one
// sparse matrix. Its rows are these quantities one after the other, its columns are [q; u; s; ideal].
//
// In the scope `loads` F is the sum of the loads alone, those of `nonideal` blocks with the others and without the
// frictions of contacts; it has the rows of q' and F by q and u.
//
// In the scope `manifold` the matrix also has the rows of the residuals e and e' and of the outputs, and its columns
// are [q; u; s; inputs; t; ideal; u'; lambda; s']. Only outputs are differentiated by u', lambda and s'.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel/kernel.h"

namespace mbc::kernel {

// PartialsScope selects the derivatives: those that an implicit integrator asks for, all that questions at a state ask
// for, or those that time steps ask for.
enum class PartialsScope : std::uint8_t { rates, manifold, loads };

struct PartialsLayout {
  std::uint32_t n_coordinates = 0, n_speeds = 0, n_states = 0 /* those of the model */, n_rows = 0;
  PartialsScope scope{};
  std::uint32_t n_inputs = 0 /* with the discrete state */, n_outputs = 0;  // both 0 in the scope `rates`
  bool nonideal = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;  // (row, column), ascending; values at work[values ..]
  struct Load {
    std::string name;
    std::uint32_t part = 0, item = 0;    // of the system
    std::vector<std::uint32_t> entries;  // derivatives of F that it adds to
  };
  std::vector<Load> loads;  // in the scope `loads`: those that depend on positions or speeds
  std::uint32_t values = 0;
  std::uint32_t lambda = 0, ideal = 0;  // in work, n_rows each: arguments of the function

  [[nodiscard]] std::uint32_t motion_at() const { return n_coordinates; }  // rows of F
  [[nodiscard]] std::uint32_t states_at() const { return n_coordinates + n_speeds; }
  [[nodiscard]] std::uint32_t constraints_at() const { return states_at() + n_states; }  // rows of R
  [[nodiscard]] std::uint32_t nonideal_at() const { return constraints_at() + n_rows; }
  [[nodiscard]] std::uint32_t position_at() const { return nonideal_at() + n_speeds; }  // rows of e
  [[nodiscard]] std::uint32_t velocity_at() const { return position_at() + n_rows; }    // rows of e'
  [[nodiscard]] std::uint32_t outputs_at() const { return velocity_at() + n_rows; }

  // The first columns are those of q, u, s, inputs and t: the arguments of a motion.
  [[nodiscard]] std::uint32_t inputs_at() const { return states_at() + n_states; }
  [[nodiscard]] std::uint32_t time_at() const { return inputs_at() + n_inputs; }
  [[nodiscard]] std::uint32_t n_columns() const { return time_at() + (scope == PartialsScope::manifold ? 1 : 0); }
  [[nodiscard]] std::uint32_t ideal_at() const { return n_columns(); }
  [[nodiscard]] std::uint32_t accelerations_at() const { return ideal_at() + n_rows; }
  [[nodiscard]] std::uint32_t multipliers_at() const { return accelerations_at() + n_speeds; }
  [[nodiscard]] std::uint32_t state_rates_at() const { return multipliers_at() + n_rows; }
};

// The function is called like those of a kernel, with u' in deriv at the speeds; n_state and the parameters are those
// of the kernel it belongs to.
struct Partials {
  Kernel kernel;
  PartialsLayout layout;
};

}  // namespace mbc::kernel
