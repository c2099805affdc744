// SPDX-License-Identifier: Apache-2.0
// Enumerations for the choices of a `simulate` block and the methods of a run. to_text() returns the word of the
// language.
#pragma once
#include <cstdint>

#include "mbc/export.h"

namespace MBC_API mbc {

// The choices of settings.def, in its order; `auto` is Integrator::automatic.
enum class Integrator : std::uint8_t {
#define MBC_INTEGRATOR(name, ...) name,
#include "mbc/settings.def"
};
enum class Formulation : std::uint8_t {
#define MBC_FORMULATION(name, same_as) name,
#include "mbc/settings.def"
};
// Description of the rotation of a free body in space: the coordinates and speeds that follow its position. No visible
// property of the body depends on it.
//   quaternion        q = (r, p), u = (r', omega in body axes)
//   euler_parameters  q = (r, p), u = q'; row p.p = 1
//   natural           q = (r, a, b, c), u = q', the columns of the rotation; six rows
//   tree              joints carry bodies, which have the coordinates of their joints; quaternion for the others
//   automatic         tree where it costs less, else quaternion. A model has the one or the other, never this.
enum class Representation : std::uint8_t {
#define MBC_REPRESENTATION(name, word) name,
#include "mbc/settings.def"
};
// Method that keeps the drift of the constraints bounded.
enum class Stabilisation : std::uint8_t {
#define MBC_STABILISATION(name) name,
#include "mbc/settings.def"
};
// Action at positions where constraint rows lose rank. `pass`, written `continue`, goes on where the motion has one
// continuation; `stop` ends the run before the position.
enum class AtSingular : std::uint8_t {
#define MBC_AT_SINGULAR(name, word) name,
#include "mbc/settings.def"
};
// Rows that are added to a singular mass matrix. structure: those that its structure requires; representations: also
// all rows of representations of bodies; all: all rows; light: all rows, and speeds with hardly any inertia count as if
// they had none.
enum class InertiaRows : std::uint8_t { structure, representations, all, light };
// The engine that evaluated the right-hand sides of a run.
enum class EngineUsed : std::uint8_t { interpreter, native, both };
// The level at which a constraint is written; mixed: its rows differ.
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
