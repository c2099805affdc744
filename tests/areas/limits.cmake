# SPDX-License-Identifier: Apache-2.0
# Tests every limit of a model at its value and one above it through the embedding interface. The texts are too large to
# be stored.
mbc_add_doctest(mbc_unit_limits api/limits_test.cpp api/large_model_test.cpp LIBS mbc mbc_compiler)
