// SPDX-License-Identifier: Apache-2.0
#include "api/output/sidecar.h"

#include <sys/stat.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/numbers.h"
#include "base/read_file.h"

namespace mbc::output {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "mbc-csv-sidecar";
constexpr int kSidecarFormat = 2;  // 1 had no texts, events and summary

Json to_value(double value) { return std::isfinite(value) ? Json(value) : Json(text::number(value)); }

Json to_value(const Sidecar::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) return to_value(*real);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return std::get<bool>(value);
}

// A file name need not be UTF-8, but JSON has to be.
std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

void append_column(std::string& text, const Sidecar::Column& c) {
  Json entry{{"name", c.name}, {"unit", c.unit}};
  if (!c.description.empty()) entry["description"] = c.description;
  for (const char letter : dumped(entry)) {
    text += letter;
    if (letter == '\n') text += "    ";
  }
}

// Writes the columns in place of the empty list that ends `text`: there may be a million columns, too many for one tree
// or one text.
void write_columns(std::string& text, const Sidecar& sidecar, const TakePiece& take) {
  constexpr std::size_t kPiece = 64 * 1024;
  const std::string empty = "[]\n}";
  const std::size_t count = sidecar.columns.size() + sidecar.more_columns;
  if (count == 0) return;
  text.resize(text.size() - empty.size());
  text += "[";
  for (std::size_t k = 0; k < count; ++k) {
    text += k == 0 ? "\n    " : ",\n    ";
    const std::size_t given = sidecar.columns.size();
    append_column(text, k < given ? sidecar.columns[k] : sidecar.column_behind(k - given));
    if (text.size() < kPiece) continue;
    take(text);
    text.clear();
  }
  text += "\n  ]\n}";
}

Json parameters_to_json(const std::vector<Sidecar::Parameter>& parameters) {
  Json list = Json::array();
  for (const Sidecar::Parameter& p : parameters) {
    Json entry{{"name", p.name}, {"value", to_value(p.value)}, {"unit", p.unit}};
    if (!p.description.empty()) entry["description"] = p.description;
    list.push_back(std::move(entry));
  }
  return list;
}

Json texts_to_json(const std::vector<ModelText>& texts) {
  constexpr std::array kKinds = {"model", "library", "file"};  // in the order of the enumerators
  Json list = Json::array();
  for (const ModelText& t : texts)
    list.push_back({{"kind", kKinds.at(static_cast<std::size_t>(t.kind))}, {"name", t.name}, {"text", t.text}});
  return list;
}

Json plots_to_json(const std::vector<PlotInfo>& plots) {
  const auto column = [](const PlottedColumn& c) {
    Json j{{"name", c.name}};
    if (!c.unit.empty()) j["unit"] = c.unit;
    return j;
  };
  Json list = Json::array();
  for (const PlotInfo& p : plots) {
    Json entry{{"curves", Json::array()}};
    for (const PlottedColumn& c : p.curves) entry["curves"].push_back(column(c));
    if (p.over) entry["over"] = column(*p.over);
    list.push_back(std::move(entry));
  }
  return list;
}

// Adds the data of a run, which a sweep does not have.
void add_run(const Sidecar& sidecar, Json& document) {
  if (!sidecar.summary.empty()) document["summary"] = sidecar.summary;
  for (const std::string& text : sidecar.diagnostics)
    document["diagnostics"].push_back(Json::parse(text, nullptr, false));
  if (!sidecar.plots.empty()) document["plots"] = plots_to_json(sidecar.plots);
  if (sidecar.held.count > 0) {
    Json changes = Json::array();
    for (const Sidecar::Held::Change& c : sidecar.held.changes)
      changes.push_back({to_value(c.time), c.index, to_value(c.value)});
    document["held"] = {{"count", sidecar.held.count}, {"changes", std::move(changes)}};
  }
  for (const Sidecar::Event& e : sidecar.events)
    document["events"].push_back({{"time", to_value(e.time)}, {"name", e.name}});
  if (sidecar.events_left_out > 0) document["events_left_out"] = sidecar.events_left_out;
}

void write_json(const Sidecar& sidecar, const TakePiece& take) {
  Json settings = Json::object();
  for (const auto& [key, value] : sidecar.settings) settings[key] = to_value(value);
  Json document{{"format", kFormat},
                {"format_version", kSidecarFormat},
                {"data", sidecar.data_file},
                {"status", sidecar.status},
                {"rows", sidecar.rows},
                {"model", {{"file", sidecar.model_file}, {"hash", sidecar.source_hash}}},
                {"program", {{"name", "mbc"}, {"version", sidecar.mbc_version}}},
                {"settings", std::move(settings)},
                {"parameters", parameters_to_json(sidecar.parameters)}};
  add_run(sidecar, document);
  document["texts"] = texts_to_json(sidecar.texts);
  document["columns"] = Json::array();
  std::string text = dumped(document);
  write_columns(text, sidecar, take);
  take(text + "\n");
}

// The first members of a description; a million columns may follow them.
constexpr std::size_t kHead = 16 * 1024;
struct Head final : nlohmann::json_sax<Json> {
  Described found;
  std::string format;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override {
    if (depth_ != 1) return true;
    if (key_ == "format") format = text;
    if (key_ == "data") found.data_file = text;
    if (key_ == "status") found.status = text;
    return true;
  }
  bool key(string_t& text) override {
    if (depth_ == 1) key_ = text;
    return true;
  }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return depth_-- > 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  int depth_ = 0;
  std::string key_;
};

}  // namespace

std::optional<Described> read_description(const std::string& path) {
  std::string text;
  std::string error;
  if (!read_file(path, text, error, kHead)) return std::nullopt;
  Head head;
  Json::sax_parse(text, &head);  // fails if the head is incomplete
  if (head.format != kFormat || head.found.data_file.empty() || head.found.status.empty()) return std::nullopt;
  return head.found;
}

Produce json_of(const Sidecar& sidecar) {
  return [&sidecar](const TakePiece& take) { write_json(sidecar, take); };
}

bool write_sidecar(const std::string& path, const Sidecar& sidecar, std::string& error, const SystemCalls& calls) {
  return write_file_atomically(path, json_of(sidecar), error, calls);
}

std::string content_hash(std::string_view text) {
  std::uint64_t hash = digest(text);
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 0xF];
  return "fnv1a64:" + digits;
}

}  // namespace mbc::output
