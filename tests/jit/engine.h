// SPDX-License-Identifier: Apache-2.0
// Provides the back end for tests that require it.
#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "jit/engine.h"

namespace mbc::test {

inline std::unique_ptr<jit::Engine> engine_or_fail() {
  std::string error;
  std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  REQUIRE_MESSAGE(engine != nullptr, error);
  return engine;
}

}  // namespace mbc::test
