// SPDX-License-Identifier: Apache-2.0
// The settings of a run as enums and tables, made from settings.def. The compiler reads texts by them; how a run is
// carried out follows from the enums.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mbc::settings {

enum class Key : std::uint8_t {
#define MBC_KEY(key) key,
#include "base/settings.def"
};
enum class Integrator : std::uint8_t {
#define MBC_INTEGRATOR(name, word) name,
#include "base/settings.def"
};
enum class Formulation : std::uint8_t {
#define MBC_FORMULATION(name, same_as) name,
#include "base/settings.def"
};
// How the rotation of a free body in `space 3` is described: the coordinates and speeds behind its place. Nothing that
// is seen of the body depends on it.
//   quaternion        q = (r, p), u = (r', omega in body axes)
//   euler_parameters  q = (r, p), u = q' (seed 004: RPCF-EP); row p.p = 1
//   natural           q = (r, a, b, c), u = q', the columns of the rotation (seed 004: NACF); six rows
enum class Representation : std::uint8_t {
#define MBC_REPRESENTATION(name) name,
#include "base/settings.def"
};
enum class Stabilisation : std::uint8_t {
#define MBC_STABILISATION(name) name,
#include "base/settings.def"
};
// What is done where rows of the constraints lose their rank.
enum class AtSingular : std::uint8_t {
#define MBC_AT_SINGULAR(name, word) name,
#include "base/settings.def"
};
// Whether steps end where a piecewise function changes its branch.
enum class Kinks : std::uint8_t {
#define MBC_KINKS(name) name,
#include "base/settings.def"
};
// Whether there are rows before and behind events besides those between steps.
enum class Rows : std::uint8_t {
#define MBC_ROWS(name) name,
#include "base/settings.def"
};
// The law of impacts.
enum class Impact : std::uint8_t {
#define MBC_IMPACT(name) name,
#include "base/settings.def"
};
// Whether steps end at impacts or go through them.
enum class Contact : std::uint8_t {
#define MBC_CONTACT(name) name,
#include "base/settings.def"
};
// Of multipliers that are not unique, where friction lets the motion depend on them: whether a run ends there.
enum class Reactions : std::uint8_t {
#define MBC_REACTIONS(name) name,
#include "base/settings.def"
};
enum class Argument : std::uint8_t {
#define MBC_ARGUMENT(name) name,
#include "base/settings.def"
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
const char* to_text(Integrator integrator);
const char* to_text(Formulation formulation);
const char* to_text(Representation representation);
const char* to_text(Stabilisation stabilisation);
const char* to_text(AtSingular choice);
const char* to_text(Kinks choice);
const char* to_text(Rows choice);
const char* to_text(Impact law);
const char* to_text(Contact choice);
const char* to_text(Reactions choice);

// What a run without the setting is integrated by.
Integrator usual_integrator();

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
