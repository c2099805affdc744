# SPDX-License-Identifier: Apache-2.0
# Tests the linear algebra of constraint rows (runtime/rows/rank, conflict, generalised_inverse, truncated_inverse,
# projection).
mbc_add_doctest(mbc_unit_numerics
  runtime/rows/rank_test.cpp runtime/rows/singular_values_test.cpp runtime/rows/spectral_radius_test.cpp runtime/rows/rank_mechanism_test.cpp runtime/rows/generalised_inverse_test.cpp
  runtime/rows/truncated_inverse_test.cpp runtime/constraints/gauss_newton_test.cpp
  LIBS mbc_numerics)
# This program tests the contact problem (runtime/rows/cone): random problems, enumeration, multipliers that are not
# unique, sparse matrices.
mbc_add_doctest(mbc_unit_cone runtime/rows/cone/solve_test.cpp runtime/rows/cone/planes_test.cpp runtime/rows/cone/drawn_problem.cpp LIBS mbc_numerics)
