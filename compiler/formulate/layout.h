// Where everything of a kernel lies: the shared table of formulation, runtime and outputs.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mbc::formulate {

// Offsets count doubles. State y = [q; u; s] with s = [states of the model; work of loads; work of constraints].
struct SystemLayout {
  std::uint32_t n_coordinates = 0, n_speeds = 0, n_states = 2 /* with the two work integrals */, n_rows = 0;
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
  // Rows added to a mass matrix that is singular without them, M + sum D A^T A; their D at work[weight ..] after
  // assemble, negative where it is to be chosen (runtime/support/mbc_support.h). No field without such rows.
  std::vector<std::uint32_t> inertia_rows;
  std::uint32_t weight = 0;
  bool augmented = false;  // rhs solves [M A^T; A 0]
  std::optional<std::uint32_t>
      gains;  // of Baumgarte's stabilisation: params[gains], [gains + 1]; the model has them not

  [[nodiscard]] std::uint32_t n_y() const { return n_coordinates + n_speeds + n_states; }
  [[nodiscard]] std::uint32_t speeds_at() const { return n_coordinates; }
  [[nodiscard]] std::uint32_t states_at() const { return n_coordinates + n_speeds; }
  [[nodiscard]] std::uint32_t work_at() const { return n_y() - 2; }  // of loads, then of constraints
  [[nodiscard]] bool diagonal_mass() const {
    for (const auto& [i, j] : mass)
      if (i != j) return false;
    return true;
  }
};

}  // namespace mbc::formulate
