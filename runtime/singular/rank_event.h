// SPDX-License-Identifier: Apache-2.0
// A change of the rank of the constraints during a run.
#pragma once
#include <string>
#include <vector>

#include "base/archive.h"

namespace mbc::runtime {

struct RankEvent {
  double t = 0;  // s
  int rank_before = 0, rank_after = 0;
  std::vector<std::string> rows;  // those that became dependent (or independent again)

  void transfer(Archive& archive) { archive(t, rank_before, rank_after, rows); }
};

}  // namespace mbc::runtime
