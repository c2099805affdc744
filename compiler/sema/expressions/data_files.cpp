// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/data_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/read_file.h"
#include "base/text.h"
#include "compiler/sema/confined_path.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/expressions/operators.h"
#include "compiler/sema/expressions/unit_text.h"

namespace mbc::sema {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostRows = 1'000'000;
constexpr std::size_t kMostColumns = 1000;

struct Line {
  std::size_t begin = 0, end = 0, next = 0;  // bytes; end: without the line end; next: the line behind
};

// Returns the next line from `at` on that is neither empty nor a comment; nothing at the end.
std::optional<Line> next_line(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    const std::size_t next = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
    const std::size_t first = text.find_first_not_of(" \t", at);
    if (first < end && text[first] != '#') return Line{at, end, next};
    at = next;
  }
  return {};
}

struct Cell {
  std::size_t begin = 0, end = 0;
};

// Returns the cell from `at` on, without blanks and quotes around it; moves `at` behind its comma, or behind the line.
Cell next_cell(std::string_view text, std::size_t& at, std::size_t line_end) {
  std::size_t end = at;
  for (bool quoted = false; end < line_end && (quoted || text[end] != ','); ++end) quoted ^= text[end] == '"';
  Cell cell{at, end};
  at = end + 1;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (cell.begin < cell.end && blank(text[cell.begin])) ++cell.begin;
  while (cell.begin < cell.end && blank(text[cell.end - 1])) --cell.end;
  if (cell.end - cell.begin >= 2 && text[cell.begin] == '"' && text[cell.end - 1] == '"') ++cell.begin, --cell.end;
  return cell;
}

std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) return {};
  return value;
}

Span span_of(std::uint32_t source, std::size_t begin, std::size_t end) {
  return {source, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

bool is_from_command_line(const std::string& source) {
  return source.starts_with(kSetSource) || source.starts_with(kInputSource);
}

}  // namespace

// Returns the text of a file. A file that was read for another model of the same texts is not read again.
std::optional<std::uint32_t> DataFiles::text_of(const std::string& name, Span span, Sink& sink) {
  const auto refuse = [&](const std::string& why) {
    return mbc::refuse(sink, Kind::table_file, span, printable(name), why);
  };
  const std::string &root = modules_.folder(), folder = modules_.folder_of(span.file, sources_);
  const bool loaded = modules_.loader() != nullptr;
  if (name.empty()) return refuse("the name is empty");
  // the command line may name any file, relative to the current folder
  const bool outside = is_from_command_line(sources_[span.file].name());
  if (root.empty() && !outside && !loaded) return refuse("a model that is not a file has no folder to look in");
  const std::optional<std::string> path = outside
                                              ? std::optional(loaded ? kCommandLineFile + name : name)
                                              : (loaded ? path_below(name, folder) : confined_path(name, folder, root));
  if (!path) return refuse(kNotConfined);
  const auto asked = [&](std::uint32_t source) {
    asked_.insert({source, outside ? kCommandLineFile + name : ""});
    return source;
  };
  for (std::uint32_t k = 1; k < sources_.size(); ++k)
    if (sources_[k].name() == *path) return asked(k);
  std::string text, why;
  if (!(loaded ? given(*path, text) : read_text(*path, text, why)))
    return refuse(why.empty() ? "there is no such file" : why);
  if (text.size() > kMostBytes) return refuse("it is larger than 64 MiB");
  if (text.find('\0') != std::string::npos) return refuse("it is not a text");
  return asked(sources_.add(*path, std::move(text)));
}

bool DataFiles::given(const std::string& path, std::string& text) const {
  std::optional<std::string> found = modules_.loader()(path);
  if (found) text = std::move(*found);
  return found.has_value();
}

bool DataFiles::read_text(const std::string& path, std::string& text, std::string& why) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) why = "it is a folder";
  return why.empty() && std::filesystem::is_regular_file(path, none) && read_file(path, text, why, kMostBytes + 1);
}

const DataFiles::File* DataFiles::open(const std::string& name, Span span, Sink& sink) {
  const std::optional<std::uint32_t> source = text_of(name, span, sink);
  if (!source) return nullptr;
  const std::string& path = sources_[*source].name();
  if (const auto known = files_.find(path); known != files_.end()) return &known->second;
  File file;
  file.source = *source;
  const std::optional<Label> outer = sink.set_context(Label{span, "read here"});
  const bool good = read_header(file, sink);
  sink.set_context(outer);
  if (!good) return nullptr;
  return &files_.emplace(path, std::move(file)).first->second;
}

bool DataFiles::read_header(File& file, Sink& sink) {
  const std::string_view text = sources_[file.source].text();
  const std::size_t mark = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::optional<Line> line = next_line(text, mark);
  if (!line) return mbc::refuse(sink, Kind::table_header, span_of(file.source, mark, mark), "the file is empty");
  file.rows_at = line->next;
  for (std::size_t at = line->begin; at <= line->end;) {
    const Cell cell = next_cell(text, at, line->end);
    if (!header_cell(file, text.substr(cell.begin, cell.end - cell.begin), cell.begin, sink)) return false;
  }
  return true;
}

bool DataFiles::has_arguments(const File& file, Span span, Sink& sink) const {
  if (file.columns.size() >= 2) return true;
  const DataColumn& only = file.columns[0];
  Diagnostic& d = sink.report(Kind::table_header, only.header, "it has one column; a table needs arguments and values");
  d.label(span, "read here");
  if (sources_.text(only.header).find_first_of(";\t") != std::string_view::npos)
    d.hint("columns are separated by commas");
  return false;
}

// Reads a cell of the header: `v [m/s]` or `n`.
bool DataFiles::header_cell(File& file, std::string_view cell, std::size_t at, Sink& sink) {
  const Span span = span_of(file.source, at, at + cell.size());
  const auto refuse = [&](const std::string& why) { return mbc::refuse(sink, Kind::table_header, span, why); };
  const std::size_t bracket = cell.find('[');
  std::string name(cell.substr(0, bracket));
  name.erase(name.find_last_not_of(" \t") + 1);
  for (std::size_t k = 0; k < name.size(); k += utf8_length(name, k))
    if (utf8_length(name, k) == 0) return refuse("`" + printable(name) + "` is not UTF-8 text");
  if (name.empty()) return refuse("a column has no name");
  if (number_in(name)) return refuse("`" + printable(name) + "` is a number, and no name of a column");
  for (const DataColumn& other : file.columns)
    if (other.name == name) return refuse("two columns have the name `" + printable(name) + "`");
  if (file.columns.size() == kMostColumns) return refuse("it has more than 1000 columns");
  UnitValue unit;
  if (bracket != std::string_view::npos) {
    if (!cell.ends_with(']')) return refuse("the unit of `" + printable(name) + "` has no closing bracket");
    const Span inside = span_of(file.source, at + bracket + 1, at + cell.size() - 1);
    const std::optional<ast::Unit> written = parse_unit(cell.substr(bracket + 1, cell.size() - bracket - 2), inside);
    if (!written) return refuse("`" + printable(std::string(sources_.text(inside))) + "` is no unit");
    const std::optional<std::pair<double, Dimension>> value = unit_value(*written, sink);
    if (!value) return false;
    unit = {value->first, value->second};
  }
  file.columns.push_back({std::move(name), unit, span, bracket != std::string_view::npos});
  return true;
}

bool DataFiles::read(const File& file, const std::vector<std::size_t>& columns, std::vector<DataColumnValues>& out,
                     Sink& sink) {
  const std::string_view text = sources_[file.source].text();
  out.assign(columns.size(), {});
  std::vector<Cell> cells;
  std::size_t rows = 0;
  for (std::optional<Line> line = next_line(text, file.rows_at); line; line = next_line(text, line->next)) {
    if (++rows > kMostRows)
      return mbc::refuse(sink, Kind::table_file, span_of(file.source, line->begin, line->end),
                         printable(sources_[file.source].name()), "it has more than 1,000,000 rows");
    cells.clear();
    for (std::size_t at = line->begin; at <= line->end;) cells.push_back(next_cell(text, at, line->end));
    if (cells.size() != file.columns.size())
      return mbc::refuse(sink, Kind::table_row, span_of(file.source, line->begin, line->end),
                         counted(cells.size(), "value"), counted(file.columns.size(), "column"));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Cell& cell = cells[columns[k]];
      const std::string_view written = text.substr(cell.begin, cell.end - cell.begin);
      const std::optional<double> value = number_in(written);
      const double factor = file.columns[columns[k]].unit.factor;
      if (!value || !std::isfinite(*value * factor))
        return mbc::refuse(sink, Kind::table_cell, span_of(file.source, cell.begin, cell.end),
                           printable(std::string(written)));
      out[k].values.push_back(*value * factor);
      out[k].cells.push_back(span_of(file.source, cell.begin, cell.end));
    }
  }
  return true;
}

}  // namespace mbc::sema
