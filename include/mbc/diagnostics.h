// SPDX-License-Identifier: Apache-2.0
// What the compiler and a run say about a model, as data; and the texts of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mbc/export.h"

namespace MBC_API mbc {

enum class Severity : std::uint8_t { error, warning, note };
[[nodiscard]] const char* to_text(Severity severity);  // "error"

struct Place {  // lines and columns from 1; line 0 = no place
  std::string file;
  std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

struct DiagnosticInfo {
  Severity severity = Severity::error;
  std::string code;  // "E0302"
  std::string kind;  // "unit_mismatch"
  std::string message;
  Place place;
  std::vector<std::pair<Place, std::string>> labels;  // other places, and what to look at there
  std::vector<std::string> notes;
  std::string help;
  std::optional<double> time;  // of a run-time failure
};

// One JSON object, without a line end: file, line, column, end_line, end_column (where there is a place), severity,
// code, kind, message, labels, notes, help, time.
[[nodiscard]] std::string to_json(const DiagnosticInfo& diagnostic);

// What `mbc explain CODE` says; "" for an unknown code.
[[nodiscard]] std::string explain(const std::string& code);

struct CodeInfo {
  std::string code, name;
  Severity severity = Severity::error;
  std::string message;
};
[[nodiscard]] std::vector<CodeInfo> all_codes();

}  // namespace mbc
