// SPDX-License-Identifier: Apache-2.0
// The output of `mbc doctor` and `mbc info`, for people and for programs. `file` is the name of the model.
#pragma once
#include <string>

#include "mbc/mbc.h"

namespace mbc::api {

[[nodiscard]] std::string doctor_text(const DoctorReport& report, const std::string& file);
[[nodiscard]] std::string doctor_json(const DoctorReport& report);
[[nodiscard]] std::string info_text(const ModelInfo& info, const std::string& file);
[[nodiscard]] std::string info_json(const ModelInfo& info);

}  // namespace mbc::api
