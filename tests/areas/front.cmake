# SPDX-License-Identifier: Apache-2.0
# The front end: text, diagnostics, parser.
mbc_add_doctest(mbc_unit_front
  base/diagnostics/diagnostics_test.cpp compiler/parse/parse_test.cpp compiler/parse/parse_limits_test.cpp compiler/parse/syntax_files_test.cpp
  LIBS mbc_compiler)
