// SPDX-License-Identifier: Apache-2.0
// The settings of a run as enums and tables, made from settings.def; those that hosts see are in mbc/settings.h. The
// compiler reads texts by them; how a run is carried out follows from the enums.
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
// Whether steps end where a piecewise function changes its branch.
enum class Kinks : std::uint8_t {
#define MBC_KINKS(name) name,
#include "mbc/settings.def"
};
// Whether there are rows before and behind events besides those between steps.
enum class Rows : std::uint8_t {
#define MBC_ROWS(name) name,
#include "mbc/settings.def"
};
// The law of impacts (docs/numerics.md, section 14): newton gives back e times the speed that sides met with, poisson e
// times the impulse that has stopped them, moreau as newton, slips as well.
enum class Impact : std::uint8_t {
#define MBC_IMPACT(name) name,
#include "mbc/settings.def"
};
// Whether steps end at impacts or go through them.
enum class Contact : std::uint8_t {
#define MBC_CONTACT(name) name,
#include "mbc/settings.def"
};
// Of multipliers that are not unique, where friction lets the motion depend on them: whether a run ends there.
enum class Reactions : std::uint8_t {
#define MBC_REACTIONS(name) name,
#include "mbc/settings.def"
};
enum class Argument : std::uint8_t {
#define MBC_ARGUMENT(name) name,
#include "mbc/settings.def"
};

// What may be given for an argument.
enum class Range : std::uint8_t {
  fraction,  // a pure number between 0 and 1
  positive,  // a pure number above 0
  rate,      // above 0, a pure number (per unit of time) or with the dimension 1/time
  time,      // a time above 0
  word       // nothing: its name stands alone
};

struct ArgumentInfo {
  Argument argument{};
  Range range{};
  double value = 0;  // where it is not given
};

struct ChoiceInfo {
  const char* name = "";
  const char* same_as = "";  // its own name, or that of the choice it is another name of
  std::vector<ArgumentInfo> arguments;
};

// Empty for settings that choose no method. The value of an enum is the index of its choice; the first is the default.
std::span<const ChoiceInfo> choices(Key key);

const char* to_text(Key key);
const char* to_text(Argument argument);
const char* to_text(Kinks choice);
const char* to_text(Rows choice);
const char* to_text(Impact law);
const char* to_text(Contact choice);
const char* to_text(Reactions choice);

// What a run without the setting is integrated by.
Integrator usual_integrator();
// What is known of a method of integration without its code: the columns of settings.def.
struct IntegratorInfo {
  Integrator single{};     // the choice that makes one step of its order from a state and a rate alone
  int order = 0;           // that the control of its steps takes
  bool own_steps = false;  // it chooses the size of its steps
  double calls = 0;        // right-hand sides of a step of fixed size; 0: it makes none
};
const IntegratorInfo& info_of(Integrator integrator);
// With steps of fixed size, and rates of earlier steps in each.
bool remembers_rates(Integrator integrator);
// The method controls its error by steps of its own size, unless these are to be `fixed`.
bool controls_error(Integrator integrator);

// The settings in the order of the documents; and what `--set` takes, where `time` has three parts and the word
// `assemble` no value.
const std::vector<std::string>& keys();
const std::vector<std::string>& keys_to_set();

std::optional<Key> key_named(std::string_view word);
std::optional<Argument> argument_named(std::string_view word);
std::optional<Representation> representation_named(std::string_view word);

// Of an argument that the choice has.
double default_value(Integrator integrator, Argument argument);
double default_value(Formulation formulation, Argument argument);
double default_value(Stabilisation stabilisation, Argument argument);
double default_value(Contact choice, Argument argument);

}  // namespace mbc::settings
