// SPDX-License-Identifier: Apache-2.0
// A run as one self-contained HTML file: the viewer of this folder with the data of the run.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "api/output/sidecar.h"
#include "mbc/mbc.h"
#include "tools/picture/recording.h"

namespace mbc::tools {

// The contents of a page besides the numbers.
struct PageFacts {
  std::string file, simulation, title, time_unit, source, summary;
  std::vector<output::Sidecar::Parameter> parameters;
  std::vector<std::string> diagnostics;  // each a JSON object
  std::vector<PlotInfo> plots{};         // plots of the `simulate` block: the first charts
  std::string abscissa = "time";         // name of the quantity of the first column
  std::string equations{};               // of motion, as text; "" where the model is large
};
// `with_equations`: where one page holds many motions of a model they would be there many times.
[[nodiscard]] PageFacts page_facts(const Simulation& simulation, const RunResult& result, const std::string& file,
                                   bool with_equations = true);

// Returns the data: names, scene and texts as JSON, numbers in base64. Times are doubles, curves floats, poses 16 bits
// within the range of their column; all little-endian. A constant column has its value and no numbers. `share` is the
// fraction of a page's numbers that this motion may use, if several motions are in one page.
[[nodiscard]] std::string page_data(const Recording& recording, const PageFacts& facts, double share = 1);
// Returns the page with the data.
[[nodiscard]] std::string page_around(const std::string& title, const std::string& data);
// Returns a page of another layout with the data, followed by more elements of data.
[[nodiscard]] std::string page_of(const char* layout, const std::string& title, const std::string& data,
                                  const std::string& more);
// Returns JSON whose texts cannot end its HTML element.
[[nodiscard]] std::string embedded(std::string json);

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Returns "TWFu" for "Man" (RFC 4648).
[[nodiscard]] std::string base64(const std::string& bytes);

}  // namespace mbc::tools
