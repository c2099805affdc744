// SPDX-License-Identifier: Apache-2.0
// The return value of a function that reports a diagnostic in place of its result.
#pragma once
#include <concepts>
#include <optional>
#include <string>
#include <utility>

#include "base/diagnostics/diagnostic.h"

namespace mbc {

// Stands for a missing result: it converts to false, a null pointer or an empty optional.
class Refusal {
 public:
  explicit Refusal(Diagnostic& reported) : reported_(&reported) {}
  Refusal& label(Span where, std::string text) { return reported_->label(where, std::move(text)), *this; }
  Refusal& note(std::string text) { return reported_->note(std::move(text)), *this; }
  Refusal& hint(std::string text) { return reported_->hint(std::move(text)), *this; }
  [[nodiscard]] Span span() const { return reported_->span; }

  template <std::same_as<bool> Bool>
  operator Bool() const {  // NOLINT(google-explicit-constructor)
    return false;
  }
  template <class T>
  operator T*() const {  // NOLINT(google-explicit-constructor)
    return nullptr;
  }
  template <class T>
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return {};
  }

 private:
  Diagnostic* reported_;
};

// Reports a diagnostic with these arguments. The caller returns the result.
template <class... Args>
[[nodiscard]] Refusal refuse(Sink& sink, Kind kind, Span span, Args&&... args) {
  return Refusal(sink.report(kind, span, std::forward<Args>(args)...));
}

}  // namespace mbc
