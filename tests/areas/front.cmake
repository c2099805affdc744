# SPDX-License-Identifier: Apache-2.0
# Tests the front end: text, diagnostics, and parser.
mbc_add_doctest(mbc_unit_front
  base/diagnostics/diagnostics_test.cpp compiler/parse/parse_test.cpp compiler/parse/parse_limits_test.cpp compiler/parse/syntax_files_test.cpp
  compiler/sema/correlated_draws_test.cpp
  LIBS mbc_compiler)
