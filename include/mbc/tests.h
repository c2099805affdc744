// SPDX-License-Identifier: Apache-2.0
// The `test` blocks of a model: Simulation::run_test(), `mbc test`.
#pragma once
#include <string>
#include <vector>

#include "mbc/diagnostics.h"
#include "mbc/export.h"
#include "mbc/info.h"
#include "mbc/run.h"

namespace MBC_API mbc {

struct TestResult {
  TestInfo test;
  bool passed = false;
  std::vector<DiagnosticInfo> failures;  // failed checks in the order of the file; why the run did not reach its end
  std::string rendered;                  // the same as text
  RunResult run;
};

}  // namespace mbc
