// SPDX-License-Identifier: Apache-2.0
// How every call of mbc.h answers: a Result holds a value or an Error, never neither. A call that can fail returns one;
// nothing else is thrown for a mistake of the caller's, and nothing is left undefined.
//
//   if (mbc::Result<double> m = simulation.parameter("m"))
//     use(*m);
//   else
//     std::cerr << m.error().message;
//
// Taking the value of a failed Result throws BadResult (std::logic_error) with the error's message: for programs that
// would rather stop. Besides that only std::bad_alloc can leave the library, what a callback of the host throws,
// and, from the few calls that give no Result, std::logic_error where a check of mbc itself fails.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mbc/diagnostics.h"
#include "mbc/export.h"

namespace MBC_API mbc {

enum class ErrorCode : std::uint8_t {
  model_error,       // the model has errors (Model::ok() is false), or a request makes it one that has
  no_such_name,      // no parameter, input, output, simulation, ... of that name
  out_of_range,      // an index is too large
  wrong_size,        // a vector has another length than the model asks for
  not_finite,        // an argument is nan or infinite
  invalid_argument,  // an argument makes no sense: a step of 0, an end before its beginning
  undefined_value,   // a value of the model is not finite at this state, or an expression has no value
  inconsistent,      // the state does not satisfy the constraints, or they contradict each other
  stopped,           // the integration could not go on
  interrupted,       // RunOptions::stop was set
  wrong_bytes,       // what restore() was given was not saved by this version for this model
  no_native_code,    // native code was demanded and cannot be had
  too_large,         // the model is too large for what was asked (full matrices)
  no_threads,        // the system gives no more threads
  internal           // a mistake in mbc; please report it
};
[[nodiscard]] const char* to_text(ErrorCode code);  // "no_such_name"

struct Error {
  ErrorCode code{};
  std::string message;                        // one or more lines, without a line end
  std::vector<DiagnosticInfo> diagnostics{};  // what the model or the run had to say, where that is why
  std::size_t index = 0;                      // undefined_value, not_finite: the entry at fault, from 0
};

class BadResult : public std::logic_error {
 public:
  explicit BadResult(const Error& error) : std::logic_error(error.message) {}
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  // These throw BadResult when there is no value.
  [[nodiscard]] T& value() & { return *checked(); }
  [[nodiscard]] const T& value() const& { return *const_cast<Result*>(this)->checked(); }
  [[nodiscard]] T value() && { return std::move(*checked()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return checked(); }
  const T* operator->() const { return const_cast<Result*>(this)->checked(); }
  [[nodiscard]] T value_or(T other) const& { return value_ ? *value_ : std::move(other); }
  // Only of a failed one.
  [[nodiscard]] const Error& error() const {
    if (!error_) throw std::logic_error("mbc::Result: there is no error");
    return *error_;
  }

 private:
  T* checked() {
    if (!value_) throw error_ ? BadResult(*error_) : BadResult(Error{{}, "this result was moved from", {}, {}});
    return &*value_;
  }
  std::optional<T> value_;
  std::unique_ptr<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  [[nodiscard]] bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  void value() const {
    if (error_) throw BadResult(*error_);
  }
  [[nodiscard]] const Error& error() const {
    if (!error_) throw std::logic_error("mbc::Result: there is no error");
    return *error_;
  }

 private:
  std::unique_ptr<Error> error_;  // null: no error, so that success costs nothing
};

}  // namespace mbc
