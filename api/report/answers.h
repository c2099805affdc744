// SPDX-License-Identifier: Apache-2.0
// The output of verbs that answer questions, for people and for programs. `file` is the name of the model.
#pragma once
#include <string>

#include "mbc/mbc.h"

namespace mbc::api {

[[nodiscard]] std::string doctor_text(const DoctorReport& report, const std::string& file);
[[nodiscard]] std::string doctor_json(const DoctorReport& report);
[[nodiscard]] std::string linear_text(const LinearModel& model, const std::string& file);
[[nodiscard]] std::string linear_json(const LinearModel& model);
// Returns [A B; C D] with names of rows and columns, in full precision.
[[nodiscard]] std::string linear_csv(const LinearModel& model);
[[nodiscard]] std::string equilibrium_text(const EquilibriumReport& report, const std::string& file);
[[nodiscard]] std::string equilibrium_json(const EquilibriumReport& report);
[[nodiscard]] std::string info_text(const ModelInfo& info, const std::string& file);
[[nodiscard]] std::string info_json(const ModelInfo& info);

}  // namespace mbc::api
