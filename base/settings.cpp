// SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace mbc::settings {

namespace {

constexpr std::array kKeyNames{
#define MBC_KEY(key) #key,
#include "mbc/settings.def"
};
constexpr std::array kArgumentNames{
#define MBC_ARGUMENT(name) #name,
#include "mbc/settings.def"
};

using Table = std::array<std::vector<ChoiceInfo>, kKeyNames.size()>;

// Each row of the list belongs to the setting above it, each argument to the choice above it.
Table make_table() {
  Table table;
  std::vector<ChoiceInfo>* setting = nullptr;
#define MBC_KEY(key) setting = &table[static_cast<std::size_t>(Key::key)];
#define MBC_INTEGRATOR(name, word, ...) setting->push_back({#word, #word, {}});
#define MBC_FORMULATION(name, same_as) setting->push_back({#name, #same_as, {}});
#define MBC_REPRESENTATION(name, word) setting->push_back({word, word, {}});
#define MBC_STABILISATION(name) setting->push_back({#name, #name, {}});
#define MBC_AT_SINGULAR(name, word) setting->push_back({word, word, {}});
#define MBC_KINKS(name) setting->push_back({#name, #name, {}});
#define MBC_ROWS(name) setting->push_back({#name, #name, {}});
#define MBC_IMPACT(name) setting->push_back({#name, #name, {}});
#define MBC_CONTACT(name) setting->push_back({#name, #name, {}});
#define MBC_REACTIONS(name) setting->push_back({#name, #name, {}});
#define MBC_NUMBER(name, range, value) \
  setting->back().arguments.push_back({Argument::name, Range::range, static_cast<double>(value)});
#define MBC_WORD(name) setting->back().arguments.push_back({Argument::name, Range::word, 0});
#include "mbc/settings.def"
  return table;
}

const Table& table() {
  static const Table made = make_table();
  return made;
}

const ChoiceInfo& info(Key key, std::size_t choice) { return choices(key)[choice]; }

double default_of(const ChoiceInfo& choice, Argument argument) {
  const auto found = std::find_if(choice.arguments.begin(), choice.arguments.end(),
                                  [&](const ArgumentInfo& a) { return a.argument == argument; });
  CHECK(found != choice.arguments.end(), std::string(choice.name) + " has the argument " + to_text(argument));
  return found->value;
}

template <class Enum, std::size_t n>
std::optional<Enum> named(const std::array<const char*, n>& names, std::string_view word) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) return {};
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::span<const ChoiceInfo> choices(Key key) { return table()[static_cast<std::size_t>(key)]; }

const char* to_text(Key key) { return kKeyNames[static_cast<std::size_t>(key)]; }
const char* to_text(Argument argument) { return kArgumentNames[static_cast<std::size_t>(argument)]; }
const char* to_text(Kinks x) { return info(Key::kinks, static_cast<std::size_t>(x)).name; }
const char* to_text(Rows x) { return info(Key::rows, static_cast<std::size_t>(x)).name; }
const char* to_text(Impact x) { return info(Key::impact, static_cast<std::size_t>(x)).name; }

const char* to_text(Contact x) { return info(Key::contact, static_cast<std::size_t>(x)).name; }
const char* to_text(Reactions x) { return info(Key::reactions, static_cast<std::size_t>(x)).name; }

Integrator usual_integrator() { return Integrator::automatic; }
Representation usual_representation() { return Representation::quaternion; }

const IntegratorInfo& info_of(Integrator integrator) {
  constexpr bool fixed = false, own = true;
  static constexpr IntegratorInfo kInfo[] = {
#define MBC_INTEGRATOR(name, word, method, single, order, steps, calls) {Integrator::single, order, steps, calls},
#include "mbc/settings.def"
  };
  return kInfo[static_cast<std::size_t>(integrator)];
}

bool remembers_rates(Integrator integrator) {
  const IntegratorInfo& info = info_of(integrator);
  return !info.own_steps && info.single != integrator;
}

bool controls_error(Integrator integrator) { return info_of(integrator).own_steps; }

const std::vector<std::string>& keys() {
  static const std::vector<std::string> names(kKeyNames.begin(), kKeyNames.end());
  return names;
}

const std::vector<std::string>& keys_to_set() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list{"time.begin", "time.end", "time.step"};
    for (const std::string& key : keys())
      if (key != to_text(Key::time) && key != to_text(Key::assemble)) list.push_back(key);
    return list;
  }();
  return names;
}

std::optional<Key> key_named(std::string_view word) { return named<Key>(kKeyNames, word); }
std::optional<Argument> argument_named(std::string_view word) { return named<Argument>(kArgumentNames, word); }

std::optional<Representation> representation_named(std::string_view word) {
  const std::span<const ChoiceInfo> all = choices(Key::bodies);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (word == all[k].name) return static_cast<Representation>(k);
  return {};
}

double default_value(Integrator x, Argument argument) {
  return default_of(info(Key::integrator, static_cast<std::size_t>(x)), argument);
}
double default_value(Formulation x, Argument argument) {
  return default_of(info(Key::formulation, static_cast<std::size_t>(x)), argument);
}
double default_value(Stabilisation x, Argument argument) {
  return default_of(info(Key::stabilise, static_cast<std::size_t>(x)), argument);
}
double default_value(Contact x, Argument argument) {
  return default_of(info(Key::contact, static_cast<std::size_t>(x)), argument);
}

}  // namespace mbc::settings

// Values outside of an enum have the text "?".
namespace mbc {

namespace {

template <class Enum>
const char* word_of(settings::Key key, Enum value) {
  const std::span<const settings::ChoiceInfo> all = settings::choices(key);
  const auto k = static_cast<std::size_t>(value);
  return k < all.size() ? all[k].name : "?";
}

}  // namespace

const char* to_text(Integrator value) { return word_of(settings::Key::integrator, value); }
const char* to_text(Formulation value) { return word_of(settings::Key::formulation, value); }
const char* to_text(Representation value) { return word_of(settings::Key::bodies, value); }
const char* to_text(Stabilisation value) { return word_of(settings::Key::stabilise, value); }
const char* to_text(AtSingular value) { return word_of(settings::Key::at_singular, value); }

}  // namespace mbc
