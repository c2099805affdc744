// SPDX-License-Identifier: Apache-2.0
// The table of kinds, the text of a message, and the sink.
#include "base/diagnostics/diagnostic.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/digits.h"

namespace mbc {
namespace {

constexpr std::array kKinds = {
#define MBC_KIND(code, name, severity, message, explanation) \
  KindInfo{code, #name, Severity::severity, message, explanation},
#include "base/diagnostics/kinds.def"
#undef MBC_KIND
};

constexpr std::size_t kWarningsPerError = 10;  // warnings are cut off at ten times the limit of errors

}  // namespace

const KindInfo& info(Kind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

const std::vector<KindInfo>& all_kinds() {
  static const std::vector<KindInfo> list(kKinds.begin(), kKinds.end());
  return list;
}

bool known(Kind kind) { return static_cast<std::size_t>(kind) < kKinds.size(); }

Diagnostic& Diagnostic::label(Span where, std::string text) {
  labels.push_back({where, std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::note(std::string text) {
  notes.push_back(std::move(text));
  return *this;
}

Diagnostic& Diagnostic::hint(std::string text) {
  help = std::move(text);
  return *this;
}

// One pass over the pattern ensures that braces inside an argument are never treated as a slot.
std::string Diagnostic::message() const {
  const std::string_view pattern = info(kind).message;
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool slot = pattern[i] == '{' && i + 2 < pattern.size() && is_digit(pattern[i + 1]) && pattern[i + 2] == '}';
    if (!slot) {
      out += pattern[i];
      continue;
    }
    const auto index = static_cast<std::size_t>(pattern[i + 1] - '0');
    if (index < args.size()) out += args[index];
    i += 2;
  }
  return out;
}

bool Sink::repeats(Span span) const {
  return span.known() && std::any_of(list_.begin(), list_.end(), [span](const Diagnostic& earlier) {
           return info(earlier.kind).severity == Severity::error && earlier.span == span;
         });
}

Diagnostic& Sink::add(Diagnostic d) {
  const bool is_error = info(d.kind).severity == Severity::error;
  if (is_error && repeats(d.span)) return dropped_ = std::move(d);
  const std::size_t others = list_.size() - errors_;
  if (is_error ? full() : others >= limit_ * kWarningsPerError) {
    ++suppressed_;
    return dropped_ = std::move(d);
  }
  if (is_error) ++errors_;
  if (is_error && context_) d.labels.push_back(*context_);
  if (is_error && around_.label) d.labels.push_back(around_.label(around_.of));
  list_.push_back(std::move(d));
  return list_.back();
}

std::vector<Diagnostic> Sink::sorted() const {
  std::vector<Diagnostic> out = list_;
  const auto key = [](const Diagnostic& d) {
    return std::tuple<bool, std::uint32_t, std::uint32_t, double>(d.time.has_value(), d.span.file, d.span.begin,
                                                                  d.time.value_or(0));
  };
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return out;
}

void Sink::clear() {
  errors_ = 0;
  suppressed_ = 0;
  list_.clear();
}

}  // namespace mbc
