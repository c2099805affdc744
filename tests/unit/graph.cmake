# compiler/graph: nodes, copies, sizes, printing; the simplifications; names.
mbc_add_doctest(mbc_unit_graph unit/graph_test.cpp unit/simplify_test.cpp unit/fuse_test.cpp
  unit/trigonometric_test.cpp unit/turn_test.cpp unit/name_test.cpp LIBS mbc_test_expressions)
