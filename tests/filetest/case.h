// SPDX-License-Identifier: Apache-2.0
// One golden file: how it is run, what it has to give, how its expectations are rewritten.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace filetest {

struct Case {
  std::string folder;        // absolute, where the program runs
  std::string file;          // "fail_unit.mbd"; messages then name the file without its folder
  std::string shown;         // "diagnostics/types/fail_unit.mbd"
  bool accepted = false;     // tests/language: has to pass; otherwise tests/diagnostics
  bool at_run_time = false;  // a folder `runtime...`: the diagnostics come from running, with both engines
};

struct CaseResult {
  std::vector<std::string> failures;
  std::set<std::string> codes;  // expected and produced
};

// All of them under the folder `tests`, sorted; FILE.expect without a FILE is a case too (it says how to run).
std::vector<Case> find_cases(const std::string& tests);

// With `update` the expectations become what the program does now.
CaseResult run_case(const std::string& program, const Case& test, bool update);

}  // namespace filetest
