// SPDX-License-Identifier: Apache-2.0
// Collects what Google Benchmark measured and prints it as one table, each engine beside the hand-written kernel.
#pragma once
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace mbc::bench {

// Benchmarks are called MODEL/ENGINE. Processor time per call: other work on the machine disturbs it less than wall
// time does.
class TableReporter : public benchmark::ConsoleReporter {
 public:
  explicit TableReporter(std::string yardstick) : ConsoleReporter(OO_None), yardstick_(std::move(yardstick)) {}
  // The base prints one line a benchmark, the median of its repetitions.
  void ReportRuns(const std::vector<Run>& runs) override;
  void print_table() const;

 private:
  struct Measured {
    std::string model, engine;
    std::vector<double> nanoseconds;  // one a repetition
  };
  Measured& entry(const std::string& name);
  [[nodiscard]] const Measured* yardstick_of(const std::string& model) const;

  std::string yardstick_;
  std::vector<Measured> all_;  // in the order of registration
};

double median(std::vector<double> values);
double smallest(const std::vector<double>& values);

}  // namespace mbc::bench
