// SPDX-License-Identifier: Apache-2.0
// Runs the golden files: tests/diagnostics (refused models, with the texts and places of the messages) and
// tests/language (accepted models and their values, by the interpreter and by native code). The files contain the
// expectations. README.md describes their forms.
//
//   mbc_filetest PROGRAM TESTS_FOLDER [--update] [--only TEXT] [--no-coverage]
//
// The output ends with `filetest: N passed, N failed`. Each file is one test, and so is the coverage of the
// diagnostics: for every code of `mbc explain --list` there must be a file that triggers it or a line with a reason in
// tests/diagnostics/exempt.txt.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/filetest/case.h"
#include "tests/filetest/expectation.h"
#include "tests/filetest/process.h"

namespace filetest {
namespace {

struct Options {
  std::string program;
  std::string tests;
  std::string only;
  bool update = false;
  bool coverage = true;
};

bool read_options(int argc, char** argv, Options& options) {
  std::vector<std::string> places;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--update") {
      options.update = true;
    } else if (arg == "--no-coverage") {
      options.coverage = false;
    } else if (arg == "--only" && i + 1 < argc) {
      options.only = argv[++i];
      options.coverage = false;
    } else {
      places.push_back(arg);
    }
  }
  if (places.size() != 2) return false;
  options.program = std::filesystem::absolute(places[0]).string();
  options.tests = std::filesystem::absolute(places[1]).lexically_normal().string();
  return true;
}

std::vector<CaseResult> run_all(const Options& options, const std::vector<Case>& cases) {
  std::vector<CaseResult> results(cases.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = 0; (i = next++) < cases.size();)
      results[i] = run_case(options.program, cases[i], options.update);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return results;
}

// Reads lines of the form `CODE the rest`. Blank lines and lines that begin with # are skipped.
std::map<std::string, std::string> read_codes(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> codes;
  for (const std::string& raw : lines) {
    const std::string line = trimmed(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.find_first_of(" \t");
    codes[line.substr(0, blank)] = blank == std::string::npos ? "" : trimmed(line.substr(blank));
  }
  return codes;
}

std::vector<std::string> coverage_failures(const Options& options, const std::set<std::string>& triggered) {
  const ProcessResult list = run_process({options.program, "explain", "--list"}, options.tests, "");
  if (list.exit_code != 0) return {"mbc explain --list: " + list.describe()};
  const std::map<std::string, std::string> codes = read_codes(split_lines(list.out));
  std::vector<std::string> exempt_lines;
  std::ifstream file(options.tests + "/diagnostics/exempt.txt");
  for (std::string line; std::getline(file, line);) exempt_lines.push_back(line);
  const std::map<std::string, std::string> exempt = read_codes(exempt_lines);

  std::vector<std::string> failures;
  for (const auto& [code, name] : codes)
    if (!triggered.contains(code) && !exempt.contains(code))
      failures.push_back(code + " " + name + " is triggered by no file");
  for (const auto& [code, reason] : exempt) {
    if (!codes.contains(code)) failures.push_back("exempt.txt: there is no " + code);
    if (triggered.contains(code)) failures.push_back("exempt.txt: " + code + " is triggered by a file, take it out");
    if (reason.empty()) failures.push_back("exempt.txt: " + code + " has no reason");
  }
  if (codes.empty()) failures.emplace_back("mbc explain --list names no code");
  return failures;
}

// Prints the failures of one test. Returns 1 if there are any.
int report(const std::string& name, const std::vector<std::string>& failures) {
  if (failures.empty()) return 0;
  std::cout << "FAILED " << name << "\n";
  for (const std::string& failure : failures) std::cout << "  " << failure << "\n";
  return 1;
}

int run(const Options& options) {
  std::vector<Case> cases = find_cases(options.tests);
  std::erase_if(cases, [&](const Case& c) { return c.shown.find(options.only) == std::string::npos; });
  const std::vector<CaseResult> results = run_all(options, cases);
  std::set<std::string> triggered;
  int failed = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    failed += report(cases[i].shown, results[i].failures);
    triggered.insert(results[i].codes.begin(), results[i].codes.end());
  }
  auto total = static_cast<int>(cases.size());
  if (options.coverage) {
    failed += report("coverage of the diagnostics", coverage_failures(options, triggered));
    ++total;
  }
  if (cases.empty()) {
    failed += report("search", {"there is no test file under " + options.tests + " that fits"});
    ++total;
  }
  std::cout << "filetest: " << total - failed << " passed, " << failed << " failed" << std::endl;
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace filetest

int main(int argc, char** argv) {
  setenv("MBC_CACHE", "off", 1);  // The started programs must not use the user's cache of compiled code.
  filetest::Options options;
  if (filetest::read_options(argc, argv, options)) return filetest::run(options);
  std::cerr << "usage: mbc_filetest PROGRAM TESTS_FOLDER [--update] [--only TEXT] [--no-coverage]\n";
  return 2;
}
