# The front end: text, diagnostics, parser.
mbc_add_doctest(mbc_unit_front
  unit/diagnostics_test.cpp unit/parse_test.cpp unit/parse_limits_test.cpp unit/syntax_files_test.cpp
  LIBS mbc_compiler)
