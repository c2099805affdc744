// SPDX-License-Identifier: Apache-2.0
// The choices of a `simulate` block and what a run was made of, as enumerations. to_text() gives the word of the
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
// How the rotation of a free body in space is described: the coordinates and speeds behind its place. Nothing that is
// seen of the body depends on it.
//   quaternion        q = (r, p), u = (r', omega in body axes)
//   euler_parameters  q = (r, p), u = q'; row p.p = 1
//   natural           q = (r, a, b, c), u = q', the columns of the rotation; six rows
enum class Representation : std::uint8_t {
#define MBC_REPRESENTATION(name) name,
#include "mbc/settings.def"
};
// What keeps the drift of the constraints in bounds.
enum class Stabilisation : std::uint8_t {
#define MBC_STABILISATION(name) name,
#include "mbc/settings.def"
};
// Where rows of the constraints lose their rank: `pass`, the word is `continue`, goes on where the motion has one way
// to go, `stop` ends the run before.
enum class AtSingular : std::uint8_t {
#define MBC_AT_SINGULAR(name, word) name,
#include "mbc/settings.def"
};
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
