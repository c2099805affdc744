# compiler/lower/baumgarte.cpp: the rows it makes, in every kind of kernel and solution.
mbc_add_doctest(mbc_unit_baumgarte unit/baumgarte_test.cpp LIBS mbc_runtime)

# Sparse plans in models (compiler/formulate/sparse_plan.cpp), and the runtime of large systems.
mbc_add_doctest(mbc_unit_sparse_model unit/sparse_model_test.cpp LIBS mbc mbc_runtime)
