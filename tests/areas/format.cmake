# SPDX-License-Identifier: Apache-2.0
# Tests the layout of texts on every available text and on random ones.
mbc_add_doctest(mbc_unit_format
  compiler/format/format_test.cpp random/model_text.cpp random/tree_text.cpp
  LIBS mbc_compiler mbc_test_expressions)
# This program tests the `test` blocks of models through the embedding interface.
mbc_add_doctest(mbc_unit_model_tests api/model_tests_test.cpp LIBS mbc)
