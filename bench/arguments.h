// SPDX-License-Identifier: Apache-2.0
// The programs of `./dev bench` are given a part of the names of what is wanted, as Google Benchmark takes it.
#pragma once
#include <string>

namespace mbc::bench {

// That part, also when it is given alone; "" for everything.
inline std::string wanted_of(int argc, char** argv) {
  std::string argument = argc > 1 ? argv[1] : "";
  const std::string option = "--benchmark_filter=";
  if (argument.starts_with(option)) argument.erase(0, option.size());
  return argument == "." ? "" : argument;
}

}  // namespace mbc::bench
