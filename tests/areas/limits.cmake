# SPDX-License-Identifier: Apache-2.0
# Every limit of a model, at it and one beyond, through the embedding interface; the texts are too large to be stored.
mbc_add_doctest(mbc_unit_limits api/limits_test.cpp api/large_model_test.cpp LIBS mbc mbc_compiler)
