# SPDX-License-Identifier: Apache-2.0
# Tests compiler/lower/baumgarte.cpp: its rows in every kind of kernel and with every solver.
mbc_add_doctest(mbc_unit_baumgarte compiler/lower/baumgarte_test.cpp LIBS mbc_runtime mbc_compiler)

# This program tests sparse plans in models (compiler/formulate/solve/sparse_plan.cpp) and the runtime of large systems.
mbc_add_doctest(mbc_unit_sparse_model compiler/formulate/sparse_model_test.cpp LIBS mbc mbc_runtime mbc_compiler)
