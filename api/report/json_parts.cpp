// SPDX-License-Identifier: Apache-2.0
#include "api/report/json_parts.h"

#include <array>
#include <nlohmann/json.hpp>

namespace mbc {

using Json = nlohmann::ordered_json;

// These structs have the names of their members as keys.
#define MBC_JSON(Type, ...) \
  void to_json(Json& j, const Type& t) { MBC_PUT_MEMBERS(j, t, __VA_ARGS__) }
MBC_JSON(TimeSpan, begin, end, step)
MBC_JSON(InitialMove, name, unit, given, taken)
MBC_JSON(RankChange, time, before, after, rows)
MBC_JSON(Accumulation, name, time)
MBC_JSON(EventCount, name, count, last)
MBC_JSON(ConservedQuantity, name, value, change, conserved)
MBC_JSON(EntityInfo, kind, name, detail, description)
MBC_JSON(UnconservedMomentum, name, reason)
MBC_JSON(Quantity, name, unit)
MBC_JSON(SweepInfo, name, simulation, members, varied, records)
#undef MBC_JSON

namespace {

// "initial", "random", "motion", in the order of the enumerators.
constexpr std::array kSampleKinds = {"initial", "random", "motion"};

Json described(const Quantity& q) { return {{"name", q.name}, {"unit", q.unit}, {"description", q.description}}; }

}  // namespace

void to_json(Json& j, const ConstraintReport& row) {
  j = {{"name", row.name}};
  for (const auto& [key, value] : {std::pair{"position", row.position}, std::pair{"velocity", row.velocity},
                                   std::pair{"acceleration", row.acceleration}})
    if (value) j[key] = *value;
}

void to_json(Json& j, const Difference& d) {
  j = {{"relative", d.relative}, {"absolute", d.absolute}, {"unit", d.unit}, {"column", d.name}, {"time", d.time}};
}

void to_json(Json& j, const DoctorRow& row) {
  j = {{"name", row.name},
       {"level", to_text(row.level)},
       {"independent", row.off ? Json() : Json(row.independent)},
       {"off", row.off},
       {"touching", row.touching},
       {"depends_on", row.depends_on},
       {"distance", row.distance},
       {"multiplier_unique", row.multiplier_unique},
       {"times_dependent", row.times_dependent}};
}

void to_json(Json& j, const RankSample& s) {
  j = {{"kind", kSampleKinds.at(static_cast<std::size_t>(s.kind))},
       {"time", s.time},
       {"rank", s.rank},
       {"smallest", s.smallest}};
}

void to_json(Json& j, const CoordinateInfo& c) {
  j = c.quantity;
  j["initial"] = c.initial;
  j["soft"] = c.soft;
}

void to_json(Json& j, const ParameterInfo& p) {
  j = described(p.quantity);
  j["value"] = p.value;
  j["from_outside"] = p.from_outside;
}

void to_json(Json& j, const ConstraintInfo& c) {
  j = {{"name", c.name},
       {"level", to_text(c.level)},
       {"rows", c.rows},
       {"pushes", c.pushes},
       {"description", c.description}};
}

void to_json(Json& j, const ConservedMomentum& m) {
  j = {{"name", m.name}, {"kind", m.kind}, {"unit", m.unit}, {"speeds", Json::object()}};
  for (const auto& [name, factor] : m.speeds) j["speeds"][name] = factor;
}

void to_json(Json& j, const SimulationInfo& s) {
  j = {{"name", s.name}, {"time", s.time}};
  if (!s.time.rows.empty()) j["rows"] = s.time.rows;
  for (const auto& [key, choice] : s.choices) j[key] = choice;
  j["defaults"] = s.defaults;
  j["assemble"] = s.assemble;
  j["save"] = s.save;
}

void to_json(Json& j, const VariedInfo& v) {
  j = v.quantity;
  j["values"] = v.count;
  j["first"] = v.first;
  j["last"] = v.last;
  j["list"] = v.list;
  if (!v.drawn.empty()) j["drawn"] = v.drawn;
}

}  // namespace mbc

namespace mbc::api {

namespace {

std::string dumped(const nlohmann::ordered_json& answer, int indent) {
  return answer.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& answer) { return dumped(answer, 2); }
std::string json_line(const nlohmann::ordered_json& answer) { return dumped(answer, -1); }

}  // namespace mbc::api
