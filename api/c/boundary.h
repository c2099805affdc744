// SPDX-License-Identifier: Apache-2.0
// The boundary to C: every function of mbc_c.h wraps its call of the C++ interface with these functions. Exceptions
// become codes, structs of other versions are accepted as far as both sides know them, given texts may be NULL.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mbc/mbc_c.h"
#include "mbc/model.h"
#include "mbc/result.h"
#include "mbc/run.h"

namespace mbc::c {

struct Failure {
  mbc_code code = MBC_OK;
  std::string message, diagnostics;
  std::size_t index = 0;
};

// The failure of this thread, for calls that make an object or have none.
[[nodiscard]] Failure& of_thread();

[[nodiscard]] mbc_code code_of(ErrorCode code);
[[nodiscard]] mbc_code code_of(Status status);
[[nodiscard]] std::string json_of(const std::vector<DiagnosticInfo>& diagnostics);
// A message without its last line feed; `otherwise` replaces an empty one.
[[nodiscard]] std::string message_of(std::string rendered, const char* otherwise = "");

// Records an error and gives its code.
mbc_code fail(Failure& failure, const Error& error);
mbc_code fail(Failure& failure, mbc_code code, const char* message) noexcept;
// Records the exception that is being handled.
mbc_code fail_by_exception(Failure& failure) noexcept;

[[nodiscard]] inline Error wrong(const std::string& what) { return {ErrorCode::invalid_argument, what}; }
[[nodiscard]] inline Error missing(const char* what) { return wrong(std::string(what) + " is NULL"); }
mbc_code no_object(const char* what) noexcept;  // a NULL in place of the object of a call

// A call needs these pointers. `what` stands for a pointer in the message if it is NULL.
struct Needed {
  const void* pointer;
  const char* what;
};
using AllNeeded = std::initializer_list<Needed>;

// Calls `call`, which returns a Result<void>, and keeps the reason of a failure.
template <class Call>
mbc_code enter(Failure& failure, AllNeeded needed, Call&& call) noexcept {
  if (failure.code != MBC_OK) failure = {};
  try {
    for (const Needed& n : needed)
      if (n.pointer == nullptr) return fail(failure, missing(n.what));
    const Result<void> done = std::forward<Call>(call)();
    return done ? MBC_OK : fail(failure, done.error());
  } catch (...) {
    return fail_by_exception(failure);
  }
}

template <class Call>
mbc_code enter(Failure& failure, Call&& call) noexcept {
  return enter(failure, {}, std::forward<Call>(call));
}

// Stores a value that was found.
template <class T>
Result<void> put(const Result<T>& found, T* place) {
  if (!found) return found.error();
  *place = *found;
  return {};
}

// Calls `call` as enter() does. It makes an object and returns a Result<T*>.
template <class T, class Call>
T* make(AllNeeded needed, Call&& call) noexcept {
  T* made = nullptr;
  enter(of_thread(), needed, [&]() -> Result<void> {
    Result<T*> result = std::forward<Call>(call)();
    if (!result) return result.error();
    made = *result;
    of_thread() = {};  // a loader may have left its own
    return {};
  });
  return made;
}

// Copies the fields that the host's struct has; the others are 0. It fails for a size that the struct never had, and
// for unknown fields that are not 0.
template <class T>
Result<void> take(const T* given, T& out, const char* what) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>);
  out = {};
  out.size = sizeof(T);
  if (given == nullptr) return {};
  const Error wrong_size{ErrorCode::wrong_size, std::string("the size of ") + what + " is not one it ever had"};
  if (given->size < 2 * sizeof(std::size_t) || given->size > 64 * sizeof(T)) return wrong_size;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (std::any_of(bytes + std::min(sizeof(T), given->size), bytes + given->size, [](unsigned char b) { return b; }))
    return Error{ErrorCode::wrong_size, std::string(what) + " asks for something this version does not know"};
  std::memcpy(&out, given, std::min(sizeof(T), given->size));
  out.size = sizeof(T);
  return {};
}

// Fills in a struct of the host as far as its size goes.
template <class T>
Result<void> check_size(const T* given, const char* what) {
  if (given != nullptr && given->size < 2 * sizeof(std::size_t))
    return Error{ErrorCode::wrong_size, std::string("the size of ") + what + " is not one it ever had"};
  return {};
}
template <class T>
void give(T value, T* to) {
  if (to == nullptr) return;
  const std::size_t size = to->size;
  value.size = size;
  std::memcpy(to, &value, std::min(sizeof(T), size));
}

[[nodiscard]] inline std::string text_or(const char* given, const char* otherwise = "") {
  return given != nullptr ? given : otherwise;
}
[[nodiscard]] Result<std::vector<std::string>> texts(const char* const* list, std::size_t count, const char* what);

[[nodiscard]] Result<CompileOptions> compile_options(const mbc_compile_options* given);

}  // namespace mbc::c
