// SPDX-License-Identifier: Apache-2.0
// Text in and out of the program: standard streams and small files, with every failure seen.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mbc::tools {

// First thing in main: a closed stdout must not become the next file that is opened, and a reader that goes away or a
// limit on the size of files is an error value and not the end of the process.
void prepare_streams();

// What is printed holds texts of models, names of files and words of the command line: their control characters are
// written out (escaped() of base/text.h). `colours`: those that diagnostics and plots are drawn with go through.
enum class Shows : std::uint8_t { text, colours };

// To stderr; nothing can be done when that fails.
void print_error(std::string_view text, Shows shows = Shows::text);

// To stdout, at once. kOk, or kOutputFailed after saying so on stderr. A reader that has seen enough (`| head`) is no
// failure.
[[nodiscard]] int print_output(std::string_view text, Shows shows = Shows::text);
// The same of what a program reads, as it is: code, rows, the text of a model on its way through `mbc fmt`.
[[nodiscard]] int print_data(std::string_view bytes);

// Nobody reads standard output any more: there is nothing to go on for.
[[nodiscard]] bool reader_left();

// To a file as one step (the old file stays until the new one is complete); "-" and what is no plain file are written
// directly. False and `error`, which names the path.
[[nodiscard]] bool write_text(const std::string& path, std::string_view text, std::string& error);

// Why `path` cannot be written, as "cannot write `x.csv`: Is a directory", without touching it; "" when nothing speaks
// against it.
[[nodiscard]] std::string why_not_writable(const std::string& path);

// Whether two names stand for the same existing file.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

// All of standard input, at most a little more than the largest model that is accepted; nullopt and `error`.
[[nodiscard]] std::optional<std::string> read_standard_input(std::string& error);

}  // namespace mbc::tools
