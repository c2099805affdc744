# SPDX-License-Identifier: Apache-2.0
# Tests Taylor's method: coefficients of every operation, and motions through the embedding interface.
mbc_add_doctest(mbc_taylor
  compiler/formulate/jets_test.cpp physics/taylor_test.cpp physics/run.cpp random/whole_model.cpp
  LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions)
