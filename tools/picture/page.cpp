// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/page.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tools/picture/converted.h"
#include "tools/picture/plot.h"
#include "tools/picture/viewer.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kOutputValues = 200'000;  // of outputs, energies and residuals together; beyond it fewer frames
constexpr std::size_t kColumnValues = 100'000;  // limit of the other columns
constexpr double kSteps = 65534;                // steps of 16 bits

static_assert(std::endian::native == std::endian::little, "the page reads what lies in memory");

// In the order of the enumerators.
constexpr std::array kShapes = {"none", "box", "cylinder", "ellipsoid", "torus", "cone", "capsule"};
constexpr std::array kLinks = {"rod", "joint", "spring", "force"};
constexpr std::array kParts = {"particle", "body", "place"};

Json end_json(const SceneEnd& end) {
  return {{"part", end.part == SceneEnd::kGround ? -1 : static_cast<std::int64_t>(end.part)}, {"at", end.offset}};
}

Json part_json(const ScenePart& p) {
  Json j = {{"kind", kParts.at(static_cast<std::size_t>(p.kind))}, {"name", p.name}, {"mass", p.mass}};
  if (!p.description.empty()) j["description"] = p.description;
  if (!p.shown) j["hidden"] = true;
  if (p.shape.kind == SceneShape::Kind::none) return j;
  j["shape"] = {{"kind", kShapes.at(static_cast<std::size_t>(p.shape.kind))},
                {"size", p.shape.size},
                {"axes", p.shape.axes},
                {"centre", p.shape.centre},
                {"known", p.shape.known},
                {"function", p.shape.function}};
  return j;
}

Json scene_json(const Scene& scene) {
  Json j = {{"space", scene.space}, {"units", scene.has_units}, {"up", scene.up}, {"gravity", scene.has_gravity}};
  for (const char* list : {"parts", "points", "links"}) j[list] = Json::array();
  for (const ScenePart& p : scene.parts) j["parts"].push_back(part_json(p));
  for (const ScenePoint& p : scene.points) j["points"].push_back({{"name", p.name}, {"at", end_json(p.at)}});
  for (const SceneLink& l : scene.links)
    j["links"].push_back({{"kind", kLinks.at(static_cast<std::size_t>(l.kind))},
                          {"name", l.name},
                          {"a", end_json(l.a)},
                          {"b", end_json(l.b)}});
  j["arrows"] = Json::array();
  for (const SceneArrow& a : scene.arrows)
    j["arrows"].push_back(
        {{"kind", a.kind == SceneArrow::Kind::force ? "force" : "reaction"}, {"name", a.name}, {"at", end_json(a.at)}});
  return j;
}

// Returns one entry for each value of a frame: {"from": least, "to": largest} and the place of its numbers in the
// block, or the constant value. Values that are not finite are the first of 65536 values, which is reserved for them.
Json columns_json(const std::vector<float>& values, std::size_t n, std::size_t size) {
  Json columns = Json::array();
  std::vector<std::uint16_t> block;
  std::size_t filled = 0;
  for (std::size_t c = 0; c < size; ++c) {
    double least = INFINITY, largest = -INFINITY;
    bool gaps = false;
    for (std::size_t k = 0; k < n; ++k) {
      const double v = double{values[k * size + c]};
      gaps = gaps || !std::isfinite(v);
      if (!std::isfinite(v)) continue;
      least = std::min(least, v);
      largest = std::max(largest, v);
    }
    if (!(largest > least) && (!gaps || !(least <= largest))) {
      columns.push_back({{"value", least <= largest ? Json(least) : Json(nullptr)}});
      continue;
    }
    columns.push_back({{"from", least}, {"to", largest}, {"column", filled++}});
    const double range = largest > least ? largest - least : 1;
    for (std::size_t k = 0; k < n; ++k) {
      const double v = double{values[k * size + c]};
      block.push_back(std::isfinite(v) ? static_cast<std::uint16_t>(1 + std::lround((v - least) / range * kSteps))
                                       : std::uint16_t{0});
    }
  }
  return {{"columns", std::move(columns)}, {"data", base64(bytes_of(block))}};
}

// Returns the divisor for the numbers of a curve: 1, or a power of two that brings them into the range of 32-bit
// numbers.
double scale_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double v : values)
    if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
  return largest < std::numeric_limits<float>::max() ? 1 : std::exp2(std::ilogb(largest));
}

Json series_json(const Recording& r, double share) {
  const std::size_t n = r.times().size();
  std::size_t others = 0;
  for (const Recording::Series& s : r.series()) others += s.group == "column" ? 1 : 0;
  const auto every = [&](std::size_t count, std::size_t of_page) {
    const auto most = static_cast<std::size_t>(static_cast<double>(of_page) * share);
    return std::max<std::size_t>(1, (count * n + most - 1) / most);
  };
  const std::size_t of_outputs = every(r.series().size() - others, kOutputValues),
                    of_others = every(others, kColumnValues);
  Json all = Json::array();
  for (const Recording::Series& s : r.series()) {
    const std::size_t step = s.group == "column" ? of_others : of_outputs;
    std::vector<float> values;
    const double scale = scale_of(s.values);
    for (std::size_t k = 0; k < n; k += step) values.push_back(static_cast<float>(s.values[k] / scale));
    all.push_back({{"name", s.quantity.name},
                   {"unit", s.quantity.unit},
                   {"group", s.group},
                   {"every", step},
                   {"data", base64(bytes_of(values))}});
    if (scale != 1) all.back()["scale"] = scale;
  }
  for (const std::size_t which : {0, 1}) {
    std::vector<float> values;
    for (const std::array<float, 2>& rank : r.ranks()) values.push_back(rank[which]);
    if (values.empty()) continue;
    all.push_back({{"name", which == 0 ? "rank of the rows" : "smallest singular value"},
                   {"unit", ""},
                   {"group", "rank"},
                   {"every", r.frames_a_rank()},
                   {"data", base64(bytes_of(values))}});
  }
  return all;
}

Json diagnostics_json(const PageFacts& facts) {
  Json all = Json::array();
  for (const std::string& text : facts.diagnostics) all.push_back(Json::parse(text, nullptr, false));
  return all;
}

Json parameters_json(const PageFacts& facts) {
  Json all = Json::array();
  for (const output::Sidecar::Parameter& p : facts.parameters)
    all.push_back({{"name", p.name}, {"value", p.value}, {"unit", p.unit}, {"description", p.description}});
  return all;
}

// Returns the column with the factor from its unit to the unit of the plot.
Json plotted_json(const Recording& recording, const PlottedColumn& c) {
  Json j = {{"name", c.name}};
  for (const Recording::Series& s : recording.series()) {
    if (s.quantity.name != c.name || c.unit.empty() || c.unit == s.quantity.unit) continue;
    std::string why;
    if (const std::optional<double> factor = unit_factor(s.quantity.unit, c.unit, why)) {
      j["unit"] = c.unit;
      j["factor"] = *factor;
    }
  }
  return j;
}

Json plots_json(const Recording& recording, const PageFacts& facts) {
  Json all = Json::array();
  for (const PlotInfo& p : facts.plots) {
    Json entry = {{"curves", Json::array()}};
    for (const PlottedColumn& c : p.curves) entry["curves"].push_back(plotted_json(recording, c));
    if (p.over && p.over->name != "time") entry["over"] = plotted_json(recording, *p.over);
    all.push_back(std::move(entry));
  }
  return all;
}

Json events_json(const Recording& recording) {
  Json all = Json::array();
  for (const Recording::Event& e : recording.events()) all.push_back({{"time", e.time}, {"name", e.name}});
  return all;
}

// Returns the script with characters outside of ASCII written as \u and four digits: browsers store a pure ASCII page
// with one byte for each letter, otherwise two, which takes longer to read.
std::string in_ascii(const std::string& script) {
  std::string out;
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  for (auto at = script.begin(); at != script.end();) {
    const auto end = std::find_if(at, script.end(), is_ascii);
    if (const std::string run(at, end); !run.empty()) {
      const std::string quoted = Json(run).dump(-1, ' ', true);
      out += quoted.substr(1, quoted.size() - 2);
    }
    at = std::find_if_not(end, script.end(), is_ascii);
    out.append(end, at);
  }
  return out;
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

}  // namespace

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const auto byte = [&](std::size_t i) {
      return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0;
    };
    const std::uint32_t three = byte(k) << 16 | byte(k + 1) << 8 | byte(k + 2);
    out += kDigits[three >> 18];
    out += kDigits[three >> 12 & 63];
    out += k + 1 < bytes.size() ? kDigits[three >> 6 & 63] : '=';
    out += k + 2 < bytes.size() ? kDigits[three & 63] : '=';
  }
  return out;
}

namespace {

// The equations of motion for a page, without the title; of a large model they take longer than the page is worth.
std::string equations_of(const Model& model) {
  constexpr std::size_t kMostSpeeds = 40;
  if (model.speeds().size() > kMostSpeeds) return "";
  const Result<std::string> text = model_equations(model);
  return text ? text->substr(std::min(text->find_first_not_of('\n', text->find('\n')), text->size())) : "";
}

}  // namespace

PageFacts page_facts(const Simulation& simulation, const RunResult& result, const std::string& file,
                     bool with_equations) {
  const Model& model = simulation.model();
  PageFacts facts{file,
                  result.simulation,
                  model.info(false).value_or(ModelInfo{}).description,
                  model.time_unit(),
                  model.source_text(),
                  summary_text(result),
                  {},
                  {},
                  model_plots(model, result.simulation),
                  "time",
                  with_equations ? equations_of(model) : ""};
  for (const Quantity& p : model.parameters())
    facts.parameters.push_back({p.name, simulation.parameter(facts.parameters.size()).value(), p.unit, p.description});
  const auto add = [&facts](const DiagnosticInfo& d) { facts.diagnostics.push_back(to_json(d)); };
  for (const DiagnosticInfo& d : model.diagnostics()) add(d);
  for (const DiagnosticInfo& d : result.warnings) add(d);
  if (result.diagnostic) add(*result.diagnostic);
  return facts;
}

std::string embedded(std::string json) {
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;) json.replace(at, 1, "\\u003c");
  return json;
}

std::string page_data(const Recording& recording, const PageFacts& facts, double share) {
  Json j = {{"format", 1}, {"mbc", version()}, {"file", facts.file}, {"simulation", facts.simulation}};
  j["title"] = facts.title;
  j["time_unit"] = facts.time_unit;
  j["abscissa"] = facts.abscissa;
  j["rows"] = recording.rows();
  j["frames"] = recording.times().size();
  j["columns_left_out"] = recording.columns_left_out();
  if (!facts.plots.empty()) j["plots"] = plots_json(recording, facts);
  j["events"] = events_json(recording);
  j["events_left_out"] = recording.events_left_out();
  if (!recording.no_picture().empty()) j["no_picture"] = recording.no_picture();
  j["scene"] = scene_json(recording.scene());
  j["times"] = base64(bytes_of(recording.times()));
  const std::size_t frames = recording.times().size();
  j["poses"] = columns_json(recording.poses(), frames, recording.pose_size());
  j["arrows"] = columns_json(recording.arrows(), frames, 3 * recording.scene().arrows.size());
  j["series"] = series_json(recording, share);
  j["parameters"] = parameters_json(facts);
  if (!facts.equations.empty()) j["equations"] = facts.equations;
  j["source"] = facts.source;
  j["diagnostics"] = diagnostics_json(facts);
  j["summary"] = facts.summary;
  return embedded(j.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::string page_around(const std::string& title, const std::string& data) {
  return page_of(viewer_page(), title, data, "");
}

std::string page_of(const char* layout, const std::string& title, const std::string& data, const std::string& more) {
  std::string page = layout;
  // The order is from the last to the first, so that no placeholder is found in inserted text.
  replace(page, "@script@", in_ascii(viewer_script()));
  replace(page, "@more@", more);
  replace(page, "@data@", data);
  replace(page, "@style@", viewer_style());
  replace(page, "@title@", xml_escaped(title));
  return page;
}

}  // namespace mbc::tools
