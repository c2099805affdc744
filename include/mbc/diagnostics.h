// SPDX-License-Identifier: Apache-2.0
// Diagnostics of the compiler and of runs, as data and as text.
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
  std::vector<std::pair<Place, std::string>> labels;  // further places, each with a text on what to see there
  std::vector<std::string> notes;
  std::string help;
  std::optional<double> time;  // of a run-time failure
};

// Returns one JSON object without a line end: file, line, column, end_line, end_column (if there is a place), severity,
// code, kind, message, labels, notes, help, time.
[[nodiscard]] std::string to_json(const DiagnosticInfo& diagnostic);

// Returns the text of `mbc explain CODE`; "" for an unknown code.
[[nodiscard]] std::string explain(const std::string& code);

struct CodeInfo {
  std::string code, name;
  Severity severity = Severity::error;
  std::string message;
};
[[nodiscard]] std::vector<CodeInfo> all_codes();

}  // namespace mbc
