// SPDX-License-Identifier: Apache-2.0
// Diagnostics are data: a kind, a place, arguments, labels, notes, one help line. Only the renderers turn them into
// text, and nothing prints while compiling.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/span.h"
#include "mbc/diagnostics.h"  // Severity

namespace mbc {

enum class Kind : std::uint16_t {
#define MBC_KIND(code, name, severity, message, explanation) name,
#include "base/diagnostics/kinds.def"
#undef MBC_KIND
};

struct KindInfo {
  std::string_view code;  // "E0302"
  std::string_view name;  // "unit_mismatch"
  Severity severity;
  std::string_view message;
  std::string_view explanation;
};

const KindInfo& info(Kind kind);
const std::vector<KindInfo>& all_kinds();
bool known(Kind kind);

struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  Kind kind{};
  Span span;                      // the place underlined with ^
  std::vector<std::string> args;  // fill {0}, {1}, ... of the message
  std::vector<Label> labels;      // other places, underlined with -
  std::vector<std::string> notes;
  std::string help;
  std::optional<double> time;  // simulation time of a run-time failure

  Diagnostic& label(Span where, std::string text);
  Diagnostic& note(std::string text);
  Diagnostic& hint(std::string text);
  [[nodiscard]] std::string message() const;
};

// Collects diagnostics in the order found. At most `limit` errors are kept (the rest are counted), an error whose
// primary span equals that of an earlier error is dropped as a follow-on.
class Sink {
 public:
  explicit Sink(std::size_t limit = 20) : limit_(limit) {}

  template <class... Args>
  Diagnostic& report(Kind kind, Span span, Args&&... args) {
    return add(Diagnostic{kind, span, {std::string(std::forward<Args>(args))...}, {}, {}, {}, {}});
  }
  Diagnostic& add(Diagnostic d);

  [[nodiscard]] bool has_errors() const { return errors_ > 0; }
  [[nodiscard]] std::size_t error_count() const { return errors_; }
  [[nodiscard]] std::size_t suppressed() const { return suppressed_; }
  // Returns whether an error at this place would be dropped as a follow-on.
  [[nodiscard]] bool repeats(Span span) const;
  [[nodiscard]] bool full() const { return errors_ >= limit_; }
  // Returns the diagnostics sorted by file, then place; run-time ones last.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;
  void clear();
  // Sets a label that every error gets until it is replaced: the call whose function body is being elaborated, the
  // instance whose component is. Returns the label before.
  std::optional<Label> set_context(std::optional<Label> label) { return std::exchange(context_, std::move(label)); }
  // Does the same for the enclosing context: a call in the body of an instance. The label is made only if there is an
  // error.
  struct Around {
    const void* of = nullptr;
    Label (*label)(const void* of) = nullptr;  // null: none
  };
  Around set_around(Around around) { return std::exchange(around_, around); }

 private:
  std::size_t limit_;
  std::size_t errors_ = 0;
  std::size_t suppressed_ = 0;
  std::vector<Diagnostic> list_;
  Diagnostic dropped_;
  std::optional<Label> context_;
  Around around_;
};

}  // namespace mbc
