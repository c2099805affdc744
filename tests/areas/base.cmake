# SPDX-License-Identifier: Apache-2.0
# Tests base/: checks and small utilities.
mbc_add_doctest(mbc_unit_base base/check_test.cpp base/text_test.cpp base/disjoint_sets_test.cpp base/sample_test.cpp LIBS mbc_base)
# This program has no short names of doctest, because CHECK is that of base/check.h.
set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/base/check_test.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
