#include "runtime/output/sidecar.h"

#include <sys/stat.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/output/numbers.h"

namespace mbc::output {
namespace {

using Json = nlohmann::ordered_json;

Json to_value(double value) { return std::isfinite(value) ? Json(value) : Json(number(value)); }

Json to_value(const Sidecar::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) return to_value(*real);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return std::get<bool>(value);
}

Json columns_to_json(const std::vector<Sidecar::Column>& columns) {
  Json list = Json::array();
  for (const Sidecar::Column& c : columns) {
    Json entry{{"name", c.name}, {"unit", c.unit}};
    if (!c.description.empty()) entry["description"] = c.description;
    list.push_back(std::move(entry));
  }
  return list;
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

}  // namespace

std::string to_json(const Sidecar& sidecar) {
  Json settings = Json::object();
  for (const auto& [key, value] : sidecar.settings) settings[key] = to_value(value);
  const Json document{{"format", "mbc-csv-sidecar"},
                      {"format_version", 1},
                      {"data", sidecar.data_file},
                      {"status", sidecar.status},
                      {"rows", sidecar.rows},
                      {"model", {{"file", sidecar.model_file}, {"hash", sidecar.source_hash}}},
                      {"program", {{"name", "mbc"}, {"version", sidecar.mbc_version}}},
                      {"settings", std::move(settings)},
                      {"parameters", parameters_to_json(sidecar.parameters)},
                      {"columns", columns_to_json(sidecar.columns)}};
  // A file name need not be UTF-8; JSON has to be.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<std::string> sidecar_path(const std::string& csv_path) {
  if (csv_path == "-") return std::nullopt;
  struct stat info {};
  if (stat(csv_path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return std::nullopt;
  return csv_path + ".json";
}

bool write_sidecar(const std::string& path, const Sidecar& sidecar, std::string& error, const SystemCalls& calls) {
  return write_file_atomically(path, to_json(sidecar), error, calls);
}

std::string content_hash(std::string_view text) {
  // Parameters of FNV-1a, 64 bits: offset basis and prime.
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 0xF];
  return "fnv1a64:" + digits;
}

}  // namespace mbc::output
