// SPDX-License-Identifier: Apache-2.0
#include "tools/streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "api/output/partial_file.h"
#include "base/text.h"
#include "tools/exit_codes.h"
#include "tools/interrupt.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kMaxInput = std::size_t{16} << 20;  // the compiler refuses more than 8 MiB, with a diagnostic

std::string cannot_write(const std::string& path, int number) {
  return "cannot write `" + path + "`: " + std::system_category().message(number);
}

bool reader_has_left = false;

bool write_directly(const std::string& path, std::string_view text, std::string& error) {
  output::FileSink sink;
  const bool written = sink.open(path) && sink.append(text);
  if (sink.close() && written) return true;
  error = sink.error();
  return false;
}

}  // namespace

void prepare_streams() {
  // Missing descriptors are opened in the wrong direction on purpose: using such a stream stays an error.
  for (const int fd : {0, 1, 2}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    const int opened = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != fd) close(opened);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

namespace {

// Returns the length of a colour sequence of our own, such as "\x1b[1;31m", at `at`; 0 if there is none.
std::size_t length_of_colour(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 10;
  const std::string_view behind = text.substr(at).substr(0, kLongest);
  if (!behind.starts_with("\x1b[")) return 0;
  const std::size_t end = behind.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && behind[end] == 'm' ? end + 1 : 0;
}

std::string controls_out(std::string_view text, Shows shows) {
  if (shows == Shows::text) return escaped(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape =
        std::min(text.find('\x1b', at + (at < text.size() && text[at] == '\x1b' ? 1 : 0)), text.size());
    const std::size_t colour = length_of_colour(text, at);
    out += text.substr(at, colour);
    out += escaped(text.substr(at + colour, escape - at - colour));
    at = escape;
  }
  return out;
}

void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(2, text.data(), text.size());
    if (n > 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN) || interrupted()) {
      return;
    }
  }
}

}  // namespace

void print_error(std::string_view text, Shows shows) { write_error(controls_out(text, shows)); }

int print_output(std::string_view text, Shows shows) { return print_data(controls_out(text, shows)); }

int print_data(std::string_view text) {
  output::FileSink sink;
  sink.stop_waiting_at(interrupt_flag());
  const bool written = sink.open("-") && sink.append(text);
  if (sink.close() && written) return kOk;
  reader_has_left = sink.error_number() == EPIPE;
  if (reader_has_left) return kOk;
  print_error("mbc: " + sink.error() + "\n");
  return kOutputFailed;
}

bool reader_left() { return reader_has_left; }

bool write_text(const std::string& path, std::string_view text, std::string& error) {
  if (output::is_stream(path)) return write_directly(path, text, error);
  return output::write_file_atomically(path, text, error);
}

std::string why_not_writable(const std::string& path) {
  if (path == "-") return fcntl(1, F_GETFL) < 0 ? cannot_write("standard output", errno) : "";
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return cannot_write(path, EISDIR);
    if (access(path.c_str(), W_OK) != 0) return cannot_write(path, errno);
    const std::string folder = output::folder_of(output::follow_links(path));
    if (output::is_stream(path) || access(folder.c_str(), W_OK | X_OK) == 0) return "";
    return cannot_write(path, errno) + " in its folder, where the new file is made before it takes this name";
  }
  if (errno != ENOENT) return cannot_write(path, errno);
  if (path.empty() || path.back() == '/') return cannot_write(path, path.empty() ? ENOENT : EISDIR);
  return access(output::folder_of(path).c_str(), W_OK | X_OK) != 0 ? cannot_write(path, errno) : "";
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  if (stat(a.c_str(), &first) != 0 || stat(b.c_str(), &second) != 0) return false;
  return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::optional<std::string> read_standard_input(std::string& error) {
  std::string text;
  char chunk[65536];
  while (text.size() < kMaxInput) {
    const ssize_t n = read(0, chunk, sizeof chunk);
    if (n == 0) break;
    if (n > 0) {
      text.append(chunk, static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      error = "cannot read standard input: " + std::system_category().message(errno);
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace mbc::tools
