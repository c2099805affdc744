// SPDX-License-Identifier: Apache-2.0
// The places of everything in a kernel, shared by formulation, runtime and outputs.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mbc::kernel {

// The layout of formulations in independent speeds (mbc_quasi_solve). Their state may be [q; y; s], with y in the place
// of the speeds and followed by zeros.
struct QuasiLayout {
  bool state = false;                             // the state is [q; y; s]
  std::uint32_t n_user = 0, n_momenta = 0;        // quasi-velocities of the user, conserved momenta
  std::vector<std::uint32_t> row_ptr{0}, column;  // pattern of the user's Y; values at work[Y ..]
  std::uint32_t Y = 0, Z = 0, bias = 0;           // Z and bias: n_user each
  std::uint32_t offset = 0;                       // c, n_rows
  std::uint32_t momentum_offset = 0;              // N, n_speeds; with momenta only
  std::uint32_t direction = 0, momentum = 0;      // n_momenta x n_speeds; G, n_momenta: data of the run
  std::uint32_t choice = 0;                       // n_speeds: data of the run
  std::uint32_t y = 0, u = 0, y_rate = 0;         // n_speeds each
  std::uint32_t mass = 0, force = 0;              // B^T M B in n x n, B^T (f - M beta) in n doubles
  std::uint32_t quality = 0;
};

// Offsets count doubles. State y = [q; u; s] with s = [states of the model; work of loads; work of constraints].
struct SystemLayout {
  std::uint32_t n_coordinates = 0, n_speeds = 0, n_states = 2 /* with the work integrals */, n_rows = 0;
  std::uint32_t n_works = 2;  // integrals of work: of loads, of all constraints, then of those reported separately
  // pattern of A in compressed rows; values at work[A ..]
  std::vector<std::uint32_t> row_ptr{0}, column;
  // pattern of M, lower triangle (i >= j); values at work[M ..]
  std::vector<std::pair<std::uint32_t, std::uint32_t>> mass;
  std::uint32_t A = 0, b = 0, M = 0, f = 0;                    // assemble
  std::uint32_t lambda = 0, pivot = 0, pivot_scale = 0;        // rhs: n_rows each
  std::uint32_t position_residual = 0, velocity_residual = 0;  // residuals: n_rows each (zero where the level has none)
  std::uint32_t kinetic = 0, potential = 0;                    // outputs
  std::uint32_t outputs = 0, n_outputs = 0;
  std::uint32_t correction = 0;  // correct_position, correct_velocity: n_speeds
  // Rows added to a mass matrix that is singular without them, M + sum D A^T A. Their D are at work[weight ..] after
  // assemble, negative if mbc_add_rows has to choose it (kernel/support/mbc_support.h). There is no field without such
  // rows.
  std::vector<std::uint32_t> inertia_rows;
  std::uint32_t weight = 0;
  bool sparse = false;            // rhs and corrections call mbc_sparse_solve
  std::uint32_t border_rows = 0;  // number of rows that are mostly zero and eliminated behind the others
  // fast_rhs runs in lanes: equal to rhs up to rounding, and valid only if all rows except `lanes_without` are
  // certified
  bool laned = false;
  std::vector<std::uint32_t> lanes_without;
  bool augmented = false;  // rhs solves [M A^T; A 0]
  std::optional<QuasiLayout> quasi;
  std::optional<std::uint32_t> ideal;  // multipliers without the forces of `nonideal` blocks, if there are any
  std::optional<std::uint32_t>
      gains;  // of Baumgarte's stabilisation: params[gains], [gains + 1]; they are no parameters of the model

  [[nodiscard]] std::uint32_t n_y() const { return n_coordinates + n_speeds + n_states; }
  [[nodiscard]] std::uint32_t speeds_at() const { return n_coordinates; }
  [[nodiscard]] std::uint32_t states_at() const { return n_coordinates + n_speeds; }
  [[nodiscard]] std::uint32_t work_at() const { return n_y() - n_works; }
  [[nodiscard]] bool diagonal_mass() const {
    for (const auto& [i, j] : mass)
      if (i != j) return false;
    return true;
  }
};

}  // namespace mbc::kernel
