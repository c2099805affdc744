# SPDX-License-Identifier: Apache-2.0
# Tests the index of names and the words of the language, which editors use.
mbc_add_doctest(mbc_unit_index api/index/source_index_test.cpp api/index/vocabulary_test.cpp LIBS mbc mbc_compiler)
