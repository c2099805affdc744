# compiler/lower/baumgarte.cpp: the rows it makes, in every kind of kernel and solution.
mbc_add_doctest(mbc_unit_baumgarte unit/baumgarte_test.cpp LIBS mbc_runtime)
