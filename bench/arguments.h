// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of the programs of `./dev bench`: a part of the names to measure, in the form of Google
// Benchmark.
#pragma once
#include <string>

namespace mbc::bench {

// Returns this part, which may also be given without the option name. The result is "" for everything.
inline std::string wanted_of(int argc, char** argv) {
  std::string argument = argc > 1 ? argv[1] : "";
  const std::string option = "--benchmark_filter=";
  if (argument.starts_with(option)) argument.erase(0, option.size());
  return argument == "." ? "" : argument;
}

}  // namespace mbc::bench
