// SPDX-License-Identifier: Apache-2.0
// The formulations that a `simulate` block can choose: the equations of each one, their size, and when it applies. All
// start from the same system M u' = f + A^T lambda, A u' = b, and give the same motion.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace mbc::formulate {

// The linear system behind the accelerations.
enum class Solve : std::uint8_t {
  schur,      // S lambda = b - A M^-1 f, S = A M^-1 A^T
  augmented,  // [M A^T; A 0] [u'; -lambda] = [f; b]
  maggi,      // [B^T M; A] u' = [B^T f; b], A B = 0
  projected   // B^T M B y' = B^T (f - M beta), u' = B y' + beta
};

// Properties of a system that decide whether a formulation applies.
struct SystemFacts {
  bool has_rows = false;                // the user's constraints have rows
  bool linear_rows = true;              // A u + c = 0 with A, c free of speeds
  bool quadratic_kinetic = true;        // M free of speeds
  bool needs_rows_for_inertia = false;  // M alone is singular for all states
  std::uint32_t momenta = 0;            // number of conserved momenta
};

struct SystemSizes {
  std::size_t coordinates = 0, speeds = 0, rank = 0, momenta = 0;
};
// Sizes as the seeds count them: equations of motion, unknowns of the linear system, first-order states.
struct FormulationSizes {
  std::size_t equations = 0, unknowns = 0, states = 0;
};

// The conserved momenta that replace equations.
enum class Momenta : std::uint8_t { none, coordinates, directions };

struct Formulation {
  std::string_view name;
  Solve solve = Solve::schur;
  bool quasi_state = false;  // integrates independent quasi-velocities in place of the speeds, if rows are linear
  bool multipliers = false;  // multipliers are unknowns of the linear system
  Momenta momenta = Momenta::none;
  bool adds_inertia_rows = true;                         // solves with M + A^T D A where M is singular
  const char* (*refuses)(const SystemFacts&) = nullptr;  // why it does not apply, or null; absent: it always applies

  [[nodiscard]] FormulationSizes sizes(const SystemSizes& system) const;
};

std::span<const Formulation* const> formulations();
const Formulation* find_formulation(std::string_view name);  // null when there is none

extern const Formulation kUdwadiaKalaba, kAugmented, kLagrange, kMaggi, kProjection, kKane, kGibbsAppell, kVolterra,
    kEfficientVolterra, kRouth, kBoltzmannHamel;

}  // namespace mbc::formulate
