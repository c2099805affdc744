// main() of every doctest program (cmake/mbc_tests.cmake links it): doctest's own, nothing added.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
