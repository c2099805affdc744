// SPDX-License-Identifier: Apache-2.0
// Reads models of tests/physics/findings by their names.
#pragma once
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace mbc::test {

inline std::string finding(const std::string& name) {
  std::ifstream in(MBC_SOURCE_DIR "/tests/physics/findings/" + name + ".mbd");
  REQUIRE_MESSAGE(in.good(), "no finding " << name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace mbc::test
