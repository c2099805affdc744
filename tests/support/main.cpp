// SPDX-License-Identifier: Apache-2.0
// Defines main() of every doctest program (cmake/mbc_tests.cmake links it). It is the main function of doctest, but
// neither a test nor a program that it starts uses the user's cache of compiled code.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>

namespace {
[[maybe_unused]] const int without_cache = setenv("MBC_CACHE", "off", 1);
}
