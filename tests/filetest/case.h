// SPDX-License-Identifier: Apache-2.0
// Runs one golden file, compares the result with its expectations, and can rewrite them.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace filetest {

struct Case {
  std::string folder;        // absolute path of the working directory of the program
  std::string file;          // "fail_unit.mbd"; messages then contain the file name without its folder
  std::string shown;         // "diagnostics/types/fail_unit.mbd"
  bool accepted = false;     // true in tests/language, where a file must pass; false in tests/diagnostics
  bool at_run_time = false;  // The folder is named `runtime...`, and the diagnostics come from runs with both engines.
};

struct CaseResult {
  std::vector<std::string> failures;
  std::set<std::string> codes;  // expected and produced diagnostics
};

// Returns all cases under the folder `tests`, sorted. A FILE.expect without a FILE is also a case, because it contains
// the command to run.
std::vector<Case> find_cases(const std::string& tests);

// If `update` is set, the expectations are replaced by the present results.
CaseResult run_case(const std::string& program, const Case& test, bool update);

}  // namespace filetest
