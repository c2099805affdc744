// SPDX-License-Identifier: Apache-2.0
// Results of calls: a Result holds a value or an Error, never neither. Every call that can fail returns one; mistakes
// of the caller cause no other exceptions and no undefined behaviour.
//
//   if (mbc::Result<double> m = simulation.parameter("m"))
//     use(*m);
//   else
//     std::cerr << m.error().message;
//
// Taking the value of a failed Result throws BadResult (std::logic_error) with the error's message, for programs that
// prefer to stop. The only other exceptions that leave the library are std::bad_alloc, exceptions of the host's
// callbacks, and, from the few calls that return no Result, std::logic_error if a check of mbc itself fails.
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
  model_error,       // the model has errors (Model::ok() is false), or the request causes one
  no_such_name,      // no parameter, input, output, simulation, ... of that name
  out_of_range,      // an index is too large
  wrong_size,        // a vector does not have the length that the model requires
  not_finite,        // an argument is nan or infinite
  invalid_argument,  // an argument is invalid: a step of 0, an end before its beginning
  undefined_value,   // a value of the model is not finite at this state, or an expression has no value
  inconsistent,      // the state does not satisfy the constraints, or they contradict each other
  stopped,           // the integration could not go on
  interrupted,       // RunOptions::stop was set
  wrong_bytes,       // the bytes given to restore() were not saved by this version for this model
  no_native_code,    // native code was demanded and is not available
  too_large,         // the model is too large for the request (full matrices)
  no_threads,        // the system gives no more threads
  internal           // a mistake in mbc; please report it
};
[[nodiscard]] const char* to_text(ErrorCode code);  // "no_such_name"

struct Error {
  ErrorCode code{};
  std::string message;                        // one or more lines, without a line end
  std::vector<DiagnosticInfo> diagnostics{};  // diagnostics of the model or the run, if they are the cause
  std::size_t index = 0;                      // undefined_value, not_finite: index of the bad entry, from 0
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
  // These throw BadResult if there is no value.
  [[nodiscard]] T& value() & { return *checked(); }
  [[nodiscard]] const T& value() const& { return *const_cast<Result*>(this)->checked(); }
  [[nodiscard]] T value() && { return std::move(*checked()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return checked(); }
  const T* operator->() const { return const_cast<Result*>(this)->checked(); }
  [[nodiscard]] T value_or(T other) const& { return value_ ? *value_ : std::move(other); }
  // Requires a failed Result.
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
