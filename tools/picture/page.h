// SPDX-License-Identifier: Apache-2.0
// A run as one HTML file that needs nothing else: the viewer of this folder with the data of the run in it.
#pragma once
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/picture/recording.h"

namespace mbc::tools {

// The data: names, scene and texts as JSON, numbers in base64. Times are doubles, curves floats, poses 16 bits within
// the range of their column; all little-endian. A column that does not move has its value and no numbers.
[[nodiscard]] std::string page_data(const Recording& recording, const Simulation& simulation, const RunResult& result,
                                    const std::string& file);
// The page around it.
[[nodiscard]] std::string page_around(const std::string& title, const std::string& data);

// "TWFu" of "Man" (RFC 4648).
[[nodiscard]] std::string base64(const std::string& bytes);

}  // namespace mbc::tools
