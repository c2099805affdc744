// SPDX-License-Identifier: Apache-2.0
// The structs of include/mbc that several answers contain, as JSON: each is written in one place. The functions named
// to_json() are those that nlohmann's JSON finds by itself, also for lists of such structs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mbc/mbc.h"

namespace mbc {

void to_json(nlohmann::ordered_json& j, const TimeSpan& span);
void to_json(nlohmann::ordered_json& j, const InitialMove& move);
void to_json(nlohmann::ordered_json& j, const RankChange& change);
void to_json(nlohmann::ordered_json& j, const Accumulation& accumulation);
void to_json(nlohmann::ordered_json& j, const EventCount& event);
void to_json(nlohmann::ordered_json& j, const ConstraintReport& row);
void to_json(nlohmann::ordered_json& j, const Difference& difference);
void to_json(nlohmann::ordered_json& j, const DoctorRow& row);
void to_json(nlohmann::ordered_json& j, const RankSample& sample);
void to_json(nlohmann::ordered_json& j, const ConservedQuantity& quantity);
void to_json(nlohmann::ordered_json& j, const EntityInfo& entity);
void to_json(nlohmann::ordered_json& j, const CoordinateInfo& coordinate);
void to_json(nlohmann::ordered_json& j, const ParameterInfo& parameter);
void to_json(nlohmann::ordered_json& j, const ConstraintInfo& constraint);
void to_json(nlohmann::ordered_json& j, const ConservedMomentum& momentum);
void to_json(nlohmann::ordered_json& j, const UnconservedMomentum& momentum);
void to_json(nlohmann::ordered_json& j, const SimulationInfo& simulation);
void to_json(nlohmann::ordered_json& j, const VariedInfo& varied);
void to_json(nlohmann::ordered_json& j, const SweepInfo& sweep);
void to_json(nlohmann::ordered_json& j, const LinearModel& model);
void to_json(nlohmann::ordered_json& j, const Quantity& quantity);  // without its description

}  // namespace mbc

// Puts members of `of` into `j` under their names; the macros inside belong to nlohmann's JSON.
#define MBC_PUT_MEMBERS(j, of, ...)                                          \
  {                                                                          \
    auto& nlohmann_json_j = (j);                                             \
    const auto& nlohmann_json_t = (of);                                      \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__)) \
  }

namespace mbc::api {

// Returns the text of an answer: indented, or in one line. It ends with a line end; bytes that are not UTF-8 are
// replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& answer);
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& answer);

}  // namespace mbc::api
