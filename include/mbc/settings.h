// SPDX-License-Identifier: Apache-2.0
// The choices of a `simulate` block and what a run was made of, as enumerations. to_text() gives the word of the
// language.
#pragma once
#include <cstdint>

#include "mbc/export.h"

namespace MBC_API mbc {

enum class Integrator : std::uint8_t {
  rk4,
  ab4,
  dopri5,
  dop853,
  taylor,
  bdf,
  gauss4,
  gauss6,
  automatic
};  // the last is `auto`
enum class Formulation : std::uint8_t {
  udwadia_kalaba,
  augmented,
  projection,
  lagrange,
  maggi,
  kane,
  gibbs_appell,
  volterra,
  efficient_volterra,
  routh,
  boltzmann_hamel
};
enum class Representation : std::uint8_t { quaternion, euler_parameters, natural };  // of free bodies in space
enum class Stabilisation : std::uint8_t { project, none, baumgarte, partition };
// Where rows of the constraints lose their rank: `pass`, the word is `continue`, goes on where the motion has one way
// to go, `stop` ends the run before.
enum class AtSingular : std::uint8_t { pass, stop };
// Rows added to a mass matrix that is singular: those its structure asks for; also all rows of representations of
// bodies; all rows; all rows, and speeds with hardly any inertia count as if they had none.
enum class InertiaRows : std::uint8_t { structure, representations, all, light };
// What evaluated the right-hand sides of a run.
enum class EngineUsed : std::uint8_t { interpreter, native, both };
// The level a constraint is written at; mixed: its rows differ.
enum class Level : std::uint8_t { position, velocity, acceleration, mixed };

[[nodiscard]] const char* to_text(Integrator value);
[[nodiscard]] const char* to_text(Formulation value);
[[nodiscard]] const char* to_text(Representation value);
[[nodiscard]] const char* to_text(Stabilisation value);
[[nodiscard]] const char* to_text(AtSingular value);
[[nodiscard]] const char* to_text(InertiaRows value);
[[nodiscard]] const char* to_text(EngineUsed value);
[[nodiscard]] const char* to_text(Level value);

}  // namespace mbc
