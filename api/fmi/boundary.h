// SPDX-License-Identifier: Apache-2.0
// What the functions of both versions of FMI have in common: the order of calls is looked at, nothing is thrown to the
// host, and a kept state is a text of bytes.
#pragma once
#include <cstring>
#include <exception>
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
// In which the numbers of Model Exchange have values.
inline constexpr std::initializer_list<Phase> kContinuous = {Phase::initialising, Phase::event, Phase::continuous,
                                                             Phase::ended, Phase::closed};

template <class Call>
int entered(Instance& instance, const char* name, std::initializer_list<Phase> phases, Call&& call) noexcept {
  try {
    if (!instance.may(name, phases)) return static_cast<int>(Status::error);
    return static_cast<int>(std::forward<Call>(call)(instance));
  } catch (const std::exception& e) {
    try {
      return static_cast<int>(instance.fail(std::string(name) + ": " + e.what()));
    } catch (...) {
      return static_cast<int>(Status::error);
    }
  } catch (...) {
    return static_cast<int>(Status::error);
  }
}

template <class Call>
void* made(Call&& call) noexcept {
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    return nullptr;
  }
}

// ---- kept states: *state is a std::string, made where it is null

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
