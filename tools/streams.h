// SPDX-License-Identifier: Apache-2.0
// Text input and output of the program: standard streams and small files, with every failure detected.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mbc::tools {

// Must be called first in main: a closed stdout must not become the next file that is opened, and a reader that goes
// away or a limit on the size of files becomes an error value and does not end the process.
void prepare_streams();

// Printed text contains texts of models, names of files and words of the command line; their control characters are
// escaped (escaped() of base/text.h). `colours`: the colours of diagnostics and plots are kept.
enum class Shows : std::uint8_t { text, colours };

// Prints to stderr; a failure is ignored.
void print_error(std::string_view text, Shows shows = Shows::text);

// Prints to stdout at once. Returns kOk, or kOutputFailed after a message on stderr. A reader that closes early (`|
// head`) is not a failure.
[[nodiscard]] int print_output(std::string_view text, Shows shows = Shows::text);
// Does the same without escapes, for data that programs read: code, rows, the text of a model from `mbc fmt`.
[[nodiscard]] int print_data(std::string_view bytes);

// Returns whether nobody reads standard output any more, so that there is no reason to continue.
[[nodiscard]] bool reader_left();

// Writes to a file in one step (the old file stays until the new one is complete); "-" and paths that are not plain
// files are written directly. Returns false on failure; `error` names the path.
[[nodiscard]] bool write_text(const std::string& path, std::string_view text, std::string& error);

// Returns why `path` cannot be written, as "cannot write `x.csv`: Is a directory", without touching it; "" if there is
// no objection.
[[nodiscard]] std::string why_not_writable(const std::string& path);

// Returns whether two names refer to the same existing file.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

// Returns all of standard input, at most a little more than the largest accepted model; nullopt and `error` on failure.
[[nodiscard]] std::optional<std::string> read_standard_input(std::string& error);

}  // namespace mbc::tools
