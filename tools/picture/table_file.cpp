// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/table_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/read_file.h"
#include "base/row_format.h"
#include "base/text.h"
#include "tools/link/beside.h"
#include "tools/picture/stored_json.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 30;

// Returns the fields of the line at `at` without quotes, and moves `at` to the next line.
std::vector<std::string> fields_of(const std::string& text, std::size_t& at) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
    const char c = text[at];
    if (c == '"' && quoted && at + 1 < text.size() && text[at + 1] == '"')
      fields.back() += text[++at];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r' || quoted)
      fields.back() += c;
  }
  at += at < text.size() ? 1 : 0;
  return fields;
}

std::vector<PlotInfo> plots_in(const nlohmann::json& description) {
  std::vector<PlotInfo> all;
  const auto column = [](const nlohmann::json& j) { return PlottedColumn{text_in(j, "name"), text_in(j, "unit")}; };
  const StoredJson& plots = member_of(description, "plots");
  if (!plots.is_array()) return all;
  for (const StoredJson& entry : plots) {
    const StoredJson& curves = member_of(entry, "curves");
    if (!curves.is_array()) continue;
    PlotInfo made;
    for (const StoredJson& c : curves) made.curves.push_back(column(c));
    if (entry.contains("over")) made.over = column(entry["over"]);
    all.push_back(std::move(made));
  }
  return all;
}

double field_number(const char* begin, const char* end) {
  double value = 0;
  const auto [stop, problem] = std::from_chars(begin, end, value);
  const bool whole = stop == end || *stop == ',' || *stop == '\r';
  return problem == std::errc{} && whole ? value : std::numeric_limits<double>::quiet_NaN();
}

bool is_number(const std::string& name) { return std::isfinite(field_number(name.data(), name.data() + name.size())); }

// Returns whether the bytes are text, since other data has no columns, even with commas; of long files only the head is
// examined.
bool is_text(const std::string& bytes) {
  constexpr std::size_t kHead = 1 << 20;
  for (std::size_t at = 0, length = 0; at < std::min(bytes.size(), kHead); at += length) {
    length = utf8_length(bytes, at);
    const bool control =
        bytes[at] >= 0 && bytes[at] < ' ' && bytes[at] != '\t' && bytes[at] != '\n' && bytes[at] != '\r';
    if (length == 0 || control) return false;
  }
  return true;
}

// Returns the end of the field at `p`: a comma, or the end of the line.
const char* field_end(const char* p, const char* end) {
  if (p < end && *p == '"') {
    for (++p; p < end && (*p != '"' || (p + 1 < end && p[1] == '"')); ++p) p += *p == '"' ? 1 : 0;
  }
  while (p < end && *p != ',') ++p;
  return p;
}

}  // namespace

bool TableFile::fail(const std::string& why) {
  error_ = why;
  return false;
}

bool TableFile::open_hdf5(const std::string& path) {
  std::string error;
  const output::Hdf5Library* library = output::load_hdf5(library_beside(output::kHdf5File), error);
  if (library != nullptr) hdf5_ = library->table(path, error);
  if (!hdf5_) return fail("cannot read `" + path + "`: " + error);
  for (const output::Sidecar::Column& c : hdf5_->columns())
    columns_.push_back({c.name, c.unit, c.description == "output"});
  describe(path);
  return true;
}

bool TableFile::open(const std::string& path) {
  if (names_hdf5(path)) return open_hdf5(path);
  std::string error;
  if (path == "-")
    text_.assign(std::istreambuf_iterator<char>(std::cin), {});
  else if (!read_file(path, text_, error, kMostBytes))
    return fail("cannot read `" + path + "`: " + error);
  const auto no_table = [&](const std::string& why) { return fail("`" + path + "` is no table of results: " + why); };
  if (!is_text(text_)) return no_table("it is not UTF-8 text");
  std::vector<std::string> names = fields_of(text_, rows_at_);
  if (names.size() < 2 || rows_at_ >= text_.size())
    return no_table("a line of names and lines of numbers, as `mbc run -o` writes it");
  if (std::all_of(names.begin(), names.end(), is_number)) return no_table("its first line holds numbers and no names");
  for (std::string& name : names) columns_.push_back({std::move(name), "", false});
  if (path != "-") describe(path);
  return true;
}

void TableFile::describe(const std::string& path) {
  std::string text;
  std::string error;
  if (!read_file(path + ".json", text, error, kMostBytes)) return;
  const nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
  if (!j.is_object() || !j.contains("columns") || !j["columns"].is_array()) return;
  if (const std::string status = text_in(j, "status"); status != "complete") ended_ = status;
  plots_ = plots_in(j);
  if (const StoredJson& events = member_of(j, "events"); events.is_array())
    for (const StoredJson& e : events) events_.push_back({number_in(e, "time"), text_in(e, "name")});
  lists_all_events_ = !(number_in(j, "events_left_out") > 0);
  const nlohmann::json& list = j["columns"];
  for (std::size_t k = 0; k < columns_.size() && k < list.size(); ++k) {
    if (!list[k].is_object() || text_in(list[k], "name") != columns_[k].name) continue;
    columns_[k].unit = text_in(list[k], "unit");
    columns_[k].output = text_in(list[k], "description") == "output";
  }
}

std::vector<std::vector<double>> TableFile::read(const std::vector<std::size_t>& wanted) const {
  std::vector<std::vector<double>> values(wanted.size());
  constexpr std::size_t kMost = 1 << 24;  // limit of the values for which memory is reserved in advance
  for (std::vector<double>& column : values) column.reserve(std::min(rows_about(), kMost / wanted.size()));
  rows(wanted, [&](std::span<const double> row) {
    for (std::size_t k = 0; k < row.size(); ++k) values[k].push_back(row[k]);
    return true;
  });
  return values;
}

// Returns an estimate of the number of rows; it is exact if all lines are as long as the first one.
std::size_t TableFile::rows_about() const {
  const std::size_t end = std::min(text_.find('\n', rows_at_), text_.size());
  return hdf5_ ? hdf5_->rows() : (text_.size() - rows_at_) / (end + 1 - rows_at_) + 1;
}

void TableFile::hdf5_rows(const std::vector<std::size_t>& wanted,
                          const std::function<bool(std::span<const double>)>& row) const {
  constexpr std::size_t kValues = 1 << 16;  // at a time
  const std::size_t width = columns_.size(), most = std::max<std::size_t>(1, kValues / width);
  std::vector<double> piece, values(wanted.size());
  for (std::uint64_t first = 0; first < hdf5_->rows(); first += most) {
    const std::uint64_t count = std::min<std::uint64_t>(most, hdf5_->rows() - first);
    piece.resize(count * width);
    if (!hdf5_->read(first, count, piece.data())) return;
    for (std::uint64_t r = 0; r < count; ++r) {
      for (std::size_t k = 0; k < wanted.size(); ++k) values[k] = piece[r * width + wanted[k]];
      if (!row(values)) return;
    }
  }
}

void TableFile::rows(const std::vector<std::size_t>& wanted,
                     const std::function<bool(std::span<const double>)>& row) const {
  if (hdf5_) return hdf5_rows(wanted, row);
  std::vector<double> values(wanted.size());
  std::vector<int> place(columns_.size(), -1);
  std::size_t last = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    place[wanted[k]] = static_cast<int>(k);
    last = std::max(last, wanted[k]);
  }
  const char *p = text_.data() + rows_at_, *all = text_.data() + text_.size();
  for (const char* next = p; p < all; p = next) {
    const auto* end = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(all - p)));
    if (end == nullptr) end = all;
    next = end + 1;
    if (end - p <= 1 && *p == '\r') continue;
    for (std::size_t k = 0; k <= last; ++k) {
      const char* stop = p < end ? field_end(p, end) : end;
      if (place[k] >= 0) values[static_cast<std::size_t>(place[k])] = field_number(p, stop);
      p = stop < end ? stop + 1 : end;
    }
    if (!row(values)) return;
  }
}

}  // namespace mbc::tools
