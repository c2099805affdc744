# SPDX-License-Identifier: Apache-2.0
# The house itself: who includes whom, how large things are, the habits every file keeps. It reads the sources when it
# runs and links nothing of mbc.
mbc_add_doctest(mbc_house
  house/include_test.cpp house/metrics_test.cpp house/habits_test.cpp house/docs_paths_test.cpp house/cpp_scan_test.cpp
  house/design_test.cpp house/cpp_scan.cpp house/cpp_tokens.cpp house/cpp_enums.cpp house/sources.cpp)
set_tests_properties(mbc_house PROPERTIES LABELS house)
