# SPDX-License-Identifier: Apache-2.0
# Tests the documents: their samples compile and run, and their tables agree with the sources.
mbc_add_doctest(mbc_unit_docs api/docs_test.cpp LIBS mbc)
