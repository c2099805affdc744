// SPDX-License-Identifier: Apache-2.0
#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace mbc::bench {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double smallest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

TableReporter::Measured& TableReporter::entry(const std::string& name) {
  const std::size_t slash = name.find('/');
  const std::string model = name.substr(0, slash), engine = name.substr(slash + 1);
  for (Measured& m : all_)
    if (m.model == model && m.engine == engine) return m;
  all_.push_back({model, engine, {}});
  return all_.back();
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> medians;
  for (const Run& run : runs) {
    if (run.run_type == Run::RT_Iteration && !run.error_occurred)
      entry(run.run_name.function_name).nanoseconds.push_back(run.GetAdjustedCPUTime());
    if (run.error_occurred || run.aggregate_name == "median") medians.push_back(run);
  }
  ConsoleReporter::ReportRuns(medians);
}

const TableReporter::Measured* TableReporter::yardstick_of(const std::string& model) const {
  for (const Measured& m : all_)
    if (m.model == model && m.engine == yardstick_) return &m;
  return nullptr;
}

void TableReporter::print_table() const {
  fmt::print("\n{:<14} {:<18} {:>12} {:>12} {:>9}\n", "model", "engine", "median ns", "best ns", "ratio");
  std::string last;
  for (const Measured& m : all_) {
    const Measured* hand = yardstick_of(m.model);
    const std::string ratio =
        hand != nullptr ? fmt::format("{:.2f}", median(m.nanoseconds) / median(hand->nanoseconds)) : "";
    fmt::print("{:<14} {:<18} {:>12.1f} {:>12.1f} {:>9}\n", m.model == last ? "" : m.model, m.engine,
               median(m.nanoseconds), smallest(m.nanoseconds), ratio);
    last = m.model;
  }
  fmt::print("ratio: of the medians, to `{}` of the same model, measured in this process\n", yardstick_);
}

}  // namespace mbc::bench
