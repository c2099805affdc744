// SPDX-License-Identifier: Apache-2.0
// A run as one HTML file that needs nothing else: the viewer of this folder with the data of the run in it.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "api/output/sidecar.h"
#include "mbc/mbc.h"
#include "tools/picture/recording.h"

namespace mbc::tools {

// What a page says besides the numbers.
struct PageFacts {
  std::string file, simulation, title, time_unit, source, summary;
  std::vector<output::Sidecar::Parameter> parameters;
  std::vector<std::string> diagnostics;  // each a JSON object
  std::vector<PlotInfo> plots{};         // of the `simulate` block: the first charts
  std::string abscissa = "time";         // what the rows are numbered by
};
[[nodiscard]] PageFacts page_facts(const Simulation& simulation, const RunResult& result, const std::string& file);

// The data: names, scene and texts as JSON, numbers in base64. Times are doubles, curves floats, poses 16 bits within
// the range of their column; all little-endian. A column that does not move has its value and no numbers.
// `share`: of the numbers a page may hold, where several motions are in one.
[[nodiscard]] std::string page_data(const Recording& recording, const PageFacts& facts, double share = 1);
// The page around it.
[[nodiscard]] std::string page_around(const std::string& title, const std::string& data);
// Around data for a page of another layout, with more elements of data behind it.
[[nodiscard]] std::string page_of(const char* layout, const std::string& title, const std::string& data,
                                  const std::string& more);
// JSON that no text in it breaks out of its element.
[[nodiscard]] std::string embedded(std::string json);

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// "TWFu" of "Man" (RFC 4648).
[[nodiscard]] std::string base64(const std::string& bytes);

}  // namespace mbc::tools
