// SPDX-License-Identifier: Apache-2.0
// main() of every doctest program (cmake/mbc_tests.cmake links it): doctest's own, but that no test reads or fills the
// user's cache of compiled code, nor do the programs it starts.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>

namespace {
[[maybe_unused]] const int without_cache = setenv("MBC_CACHE", "off", 1);
}
