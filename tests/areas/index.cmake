# SPDX-License-Identifier: Apache-2.0
# The index of names and the words of the language, which editors go by.
mbc_add_doctest(mbc_unit_index api/index/source_index_test.cpp api/index/vocabulary_test.cpp LIBS mbc mbc_compiler)
