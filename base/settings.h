// SPDX-License-Identifier: Apache-2.0
// The settings of a run as enums and tables, made from settings.def; those that hosts see are in mbc/settings.h. The
// compiler reads texts with the tables; the enums determine how a run is carried out.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mbc/settings.h"

namespace mbc::settings {

using mbc::AtSingular;
using mbc::Formulation;
using mbc::Integrator;
using mbc::Representation;
using mbc::Stabilisation;
using mbc::to_text;

enum class Key : std::uint8_t {
#define MBC_KEY(key) key,
#include "mbc/settings.def"
};
// Selects whether steps end where a piecewise function changes its mode.
enum class Kinks : std::uint8_t {
#define MBC_KINKS(name) name,
#include "mbc/settings.def"
};
// Selects whether there are rows before and after events in addition to those between steps.
enum class Rows : std::uint8_t {
#define MBC_ROWS(name) name,
#include "mbc/settings.def"
};
// The law of impacts (docs/numerics.md, section 14): newton returns e times the approach speed, poisson e times the
// impulse of compression; moreau is like newton and includes the slips.
enum class Impact : std::uint8_t {
#define MBC_IMPACT(name) name,
#include "mbc/settings.def"
};
// Selects whether steps end at impacts or contain them.
enum class Contact : std::uint8_t {
#define MBC_CONTACT(name) name,
#include "mbc/settings.def"
};
// Selects whether a run ends if multipliers are not unique and friction makes the motion depend on them.
enum class Reactions : std::uint8_t {
#define MBC_REACTIONS(name) name,
#include "mbc/settings.def"
};
enum class Argument : std::uint8_t {
#define MBC_ARGUMENT(name) name,
#include "mbc/settings.def"
};

// The values that an argument may have.
enum class Range : std::uint8_t {
  fraction,  // a pure number between 0 and 1
  positive,  // a pure number above 0
  rate,      // above 0, a pure number (per unit of time) or with the dimension 1/time
  time,      // a time above 0
  word       // no value: the name stands alone
};

struct ArgumentInfo {
  Argument argument{};
  Range range{};
  double value = 0;  // default value
};

struct ChoiceInfo {
  const char* name = "";
  const char* same_as = "";  // its own name, or that of the choice it is another name of
  std::vector<ArgumentInfo> arguments;
};

// Returns the choices of a setting; empty for settings that choose no method. The value of an enum is the index of its
// choice; the first is the default.
std::span<const ChoiceInfo> choices(Key key);

const char* to_text(Key key);
const char* to_text(Argument argument);
const char* to_text(Kinks choice);
const char* to_text(Rows choice);
const char* to_text(Impact law);
const char* to_text(Contact choice);
const char* to_text(Reactions choice);

// Returns the integrator of a run without the setting.
Integrator usual_integrator();
// Returns the representation of free bodies without the setting.
Representation usual_representation();
// Properties of a method of integration: the columns of settings.def.
struct IntegratorInfo {
  Integrator single{};     // the choice that makes one step of its order from a state and a rate alone
  int order = 0;           // order that the step size control uses
  bool own_steps = false;  // it chooses the size of its steps
  double calls = 0;        // right-hand sides of a step of fixed size; 0: it makes none
};
const IntegratorInfo& info_of(Integrator integrator);
// Returns whether the method has steps of fixed size and uses rates of earlier steps.
bool remembers_rates(Integrator integrator);
// Returns whether the method controls its error by the size of its steps, unless these are `fixed`.
bool controls_error(Integrator integrator);

// Return the settings in the order of the documents, and the names that `--set` accepts: `time` has three parts, and
// `assemble` is left out because it has no value.
const std::vector<std::string>& keys();
const std::vector<std::string>& keys_to_set();

std::optional<Key> key_named(std::string_view word);
std::optional<Argument> argument_named(std::string_view word);
std::optional<Representation> representation_named(std::string_view word);

// Return the default of an argument; the choice must have the argument.
double default_value(Integrator integrator, Argument argument);
double default_value(Formulation formulation, Argument argument);
double default_value(Stabilisation stabilisation, Argument argument);
double default_value(Contact choice, Argument argument);

}  // namespace mbc::settings
