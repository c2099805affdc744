# Linear algebra of constraint rows (runtime/rank, conflict, generalised_inverse, projection).
mbc_add_doctest(mbc_unit_numerics
  unit/rank_test.cpp unit/rank_mechanism_test.cpp unit/generalised_inverse_test.cpp unit/projection_test.cpp
  LIBS mbc_numerics)
