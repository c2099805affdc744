# SPDX-License-Identifier: Apache-2.0
# The layout of texts, on every text there is and on random ones.
mbc_add_doctest(mbc_unit_format
  compiler/format/format_test.cpp random/model_text.cpp random/tree_text.cpp
  LIBS mbc_compiler mbc_test_expressions)
# Tests that live with the model, through the embedding interface.
mbc_add_doctest(mbc_unit_model_tests api/model_tests_test.cpp LIBS mbc)
