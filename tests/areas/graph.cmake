# SPDX-License-Identifier: Apache-2.0
# Tests compiler/graph: nodes, copies, sizes, printing, simplifications, and names.
mbc_add_doctest(mbc_unit_graph compiler/graph/graph_test.cpp compiler/graph/simplify_test.cpp compiler/graph/contract_fma_test.cpp
  compiler/graph/reduce_sin_cos_test.cpp compiler/graph/planar_rotation_test.cpp compiler/graph/ranges_test.cpp compiler/graph/steepness_test.cpp compiler/graph/tables_test.cpp base/name_test.cpp LIBS mbc_test_expressions)
