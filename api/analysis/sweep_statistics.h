// SPDX-License-Identifier: Apache-2.0
// Mean, deviation, extremes and quantiles of what the members of a sample record.
#pragma once
#include <vector>

#include "mbc/mbc.h"

namespace mbc::api {

class SweepStatistics {
 public:
  // `random`: the draws are independent of each other, so that the mean has a standard error.
  SweepStatistics(const std::vector<Quantity>& records, bool random);
  // Takes the values of a member that succeeded.
  void add(const SweepMember& member);
  [[nodiscard]] std::vector<RecordStatistics> result() const;

 private:
  struct Record {
    RecordStatistics known;
    double squares = 0;          // of the distances from the mean
    std::vector<double> values;  // of at most kMostForQuantiles members
  };
  std::vector<Record> records_;
  bool random_;
};

}  // namespace mbc::api
