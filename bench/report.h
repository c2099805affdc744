// SPDX-License-Identifier: Apache-2.0
// Collects the measurements of Google Benchmark and prints one table that compares each engine with the hand-written
// kernel.
#pragma once
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace mbc::bench {

// Benchmarks are named MODEL/ENGINE. The table shows processor time per call, because other load on the machine
// disturbs it less than wall time.
class TableReporter : public benchmark::ConsoleReporter {
 public:
  explicit TableReporter(std::string yardstick) : ConsoleReporter(OO_None), yardstick_(std::move(yardstick)) {}
  // The base class prints one line for each benchmark, the median of its repetitions.
  void ReportRuns(const std::vector<Run>& runs) override;
  void print_table() const;

 private:
  struct Measured {
    std::string model, engine;
    std::vector<double> nanoseconds;  // one value for each repetition
  };
  Measured& entry(const std::string& name);
  [[nodiscard]] const Measured* yardstick_of(const std::string& model) const;

  std::string yardstick_;
  std::vector<Measured> all_;  // in the order of registration
};

double median(std::vector<double> values);
double smallest(const std::vector<double>& values);

}  // namespace mbc::bench
