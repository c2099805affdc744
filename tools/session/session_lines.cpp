// SPDX-License-Identifier: Apache-2.0
#include "tools/session/session_lines.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace mbc::tools {
namespace {

constexpr std::string_view kEarlier = "<session>";

std::size_t after_colour(std::string_view line) {
  std::size_t at = 0;
  while (line.substr(at).starts_with("\x1b[")) {
    const std::size_t end = line.find('m', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return at;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Returns whether a line is a heading; all lines below one are indented.
bool is_heading(std::string_view line) {
  const std::size_t at = after_colour(line);
  return at < line.size() && line[at] != ' ' && line[at] != '\n';
}

struct Number {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t value = 0;
};

std::optional<Number> number_at(std::string_view line, std::size_t begin) {
  Number number{begin, begin, 0};
  const auto [stop, problem] = std::from_chars(line.data() + begin, line.data() + line.size(), number.value);
  if (problem != std::errc{}) return std::nullopt;
  number.end = static_cast<std::size_t>(stop - line.data());
  return number;
}

// "<input>:12:3: error[E0201]: ..."
std::optional<Number> heading_number(std::string_view line) {
  const std::size_t at = after_colour(line);
  const std::string name = std::string(kSessionFile) + ":";
  return line.substr(at).starts_with(name) ? number_at(line, at + name.size()) : std::nullopt;
}

// "  12 | p.x + q"
std::optional<Number> gutter_number(std::string_view line) {
  const std::size_t digits = line.find_first_not_of(' ', after_colour(line));
  if (digits == std::string_view::npos) return std::nullopt;
  const std::optional<Number> number = number_at(line, digits);
  return number && line.substr(number->end).starts_with(" |") ? number : std::nullopt;
}

// Replaces the number in a gutter and keeps its width, so that the lines below stay aligned; a number that does not
// belong here becomes blank.
std::string gutter(std::string_view line, const Number& number, std::optional<std::uint32_t> shown) {
  const std::size_t width = number.end - number.begin;
  std::string text = shown ? std::to_string(*shown) : "";
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return std::string(line.substr(0, number.begin)) + text + std::string(line.substr(number.end));
}

}  // namespace

std::vector<std::string> split_diagnostics(const std::string& rendered) {
  std::vector<std::string> parts;
  for (const std::string_view line : lines_of(rendered)) {
    if (parts.empty() || is_heading(line)) parts.emplace_back();
    parts.back() += line;
  }
  return parts;
}

std::string translate_lines(const std::string& rendered, const LineMap& map) {
  std::string out;
  // Numbers below a heading of an earlier statement belong to earlier statements, and vice versa.
  bool earlier = false;
  bool ours = false;
  bool other_source = false;
  const auto shown = [&](std::uint32_t value) -> std::optional<std::uint32_t> {
    if (!other_source && (value < map.first) != earlier) return std::nullopt;
    // The header `mbd 1` is a line of the source, but not of the listing.
    return earlier ? value - std::min(value, 1U) : value - map.first + map.shown;
  };
  for (const std::string_view line : lines_of(rendered)) {
    if (is_heading(line)) {
      const std::optional<Number> number = heading_number(line);
      ours = number.has_value();
      other_source = false;
      if (ours) {
        earlier = number->value < map.first;
        const std::size_t name = after_colour(line);
        out += std::string(line.substr(0, name)) + std::string(earlier ? kEarlier : std::string_view(kSessionFile));
        out += ":" + std::to_string(*shown(number->value)) + std::string(line.substr(number->end));
        continue;
      }
    }
    if (const std::size_t name = line.find(std::string("--> ") + kSessionFile);
        ours && name != std::string_view::npos) {
      // An expression is a separate source; the statements that it refers to are in the session.
      earlier = true;
      out += std::string(line.substr(0, name + 4)) + std::string(kEarlier) + "\n";
      other_source = true;
      continue;
    }
    const std::optional<Number> number = ours ? gutter_number(line) : std::nullopt;
    out += number ? gutter(line, *number, shown(number->value)) : std::string(line);
  }
  return out;
}

}  // namespace mbc::tools
