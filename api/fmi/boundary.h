// SPDX-License-Identifier: Apache-2.0
// Functions that both versions of FMI share: they check the order of calls, throw nothing to the host, and keep a state
// as a string of bytes.
#pragma once
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>

#include "api/fmi/instance.h"

namespace mbc::fmi {

inline constexpr std::initializer_list<Phase> kAnyPhase = {Phase::instantiated, Phase::initialising, Phase::stepping,
                                                           Phase::ended,        Phase::closed,       Phase::failed,
                                                           Phase::event,        Phase::continuous};
inline constexpr std::initializer_list<Phase> kReadable = {Phase::instantiated, Phase::initialising, Phase::stepping,
                                                           Phase::ended,        Phase::closed,       Phase::event,
                                                           Phase::continuous};
inline constexpr std::initializer_list<Phase> kSettable = {Phase::instantiated, Phase::initialising, Phase::stepping,
                                                           Phase::event, Phase::continuous};
inline constexpr std::initializer_list<Phase> kOpen = {Phase::stepping, Phase::ended, Phase::event, Phase::continuous};
inline constexpr std::initializer_list<Phase> kExchange = {Phase::event, Phase::continuous};
// In these phases the values of Model Exchange are defined.
inline constexpr std::initializer_list<Phase> kContinuous = {Phase::initialising, Phase::event, Phase::continuous,
                                                             Phase::ended, Phase::closed};

// Calls a member of the instance, or a function of it, if the phase allows it. `name` is the name of the function of
// the standard, for messages.
template <class Call, class... Arguments>
int entered(Instance* instance, const char* name, std::initializer_list<Phase> phases, Call&& call,
            Arguments... arguments) noexcept {
  if (instance == nullptr) return static_cast<int>(Status::error);
  try {
    if (!instance->may(name, phases)) return static_cast<int>(Status::error);
    return static_cast<int>(std::invoke(std::forward<Call>(call), *instance, arguments...));
  } catch (const std::exception& e) {
    try {
      return static_cast<int>(instance->fail(std::string(name) + ": " + e.what()));
    } catch (...) {
      return static_cast<int>(Status::error);
    }
  } catch (...) {
    return static_cast<int>(Status::error);
  }
}

inline int not_offered(Instance* instance, const char* name, const char* why) noexcept {
  return entered(instance, name, kAnyPhase, [&](Instance& i) { return i.fail(std::string(name) + ": " + why); });
}

// Functions for integers, booleans, strings and clocks succeed as long as no values are requested, since a model has
// none. `real` is the type that it has.
inline int no_others(Instance* instance, const char* name, std::size_t count, const char* real) noexcept {
  return entered(instance, name, kAnyPhase, [&](Instance& i) {
    return count == 0 ? Status::ok : i.fail(std::string(name) + ": all variables of this FMU are of type " + real);
  });
}

template <class Call>
void* made(Call&& call) noexcept {
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    return nullptr;
  }
}

// ---- kept states: *state is a std::string; it is created if it is null

inline Status keep(Instance& i, void** state) {
  if (state == nullptr) return i.fail("there is no place for the state");
  if (*state == nullptr) *state = new std::string;
  return i.save(*static_cast<std::string*>(*state));
}
inline Status take(Instance& i, void* state) {
  return state == nullptr ? i.fail("there is no state") : i.restore(*static_cast<std::string*>(state));
}
inline int release(void** state) noexcept {
  if (state != nullptr) delete static_cast<std::string*>(std::exchange(*state, nullptr));
  return static_cast<int>(Status::ok);
}
inline Status size_of(Instance& i, void* state, std::size_t* size) {
  if (state == nullptr || size == nullptr) return i.fail("there is no state");
  *size = static_cast<std::string*>(state)->size();
  return Status::ok;
}
inline Status write(Instance& i, void* state, void* bytes, std::size_t size) {
  if (state == nullptr || bytes == nullptr) return i.fail("there is no state");
  const std::string& kept = *static_cast<std::string*>(state);
  if (size < kept.size()) return i.fail("the state has " + std::to_string(kept.size()) + " bytes");
  std::memcpy(bytes, kept.data(), kept.size());
  return Status::ok;
}
inline Status read(Instance& i, const void* bytes, std::size_t size, void** state) {
  if (bytes == nullptr || state == nullptr) return i.fail("there is no place for the state");
  if (*state == nullptr) *state = new std::string;
  static_cast<std::string*>(*state)->assign(static_cast<const char*>(bytes), size);
  return Status::ok;
}

}  // namespace mbc::fmi
