# SPDX-License-Identifier: Apache-2.0
# Linear algebra of constraint rows (runtime/rows/rank, conflict, generalised_inverse, counted_inverse, projection).
mbc_add_doctest(mbc_unit_numerics
  runtime/rows/rank_test.cpp runtime/rows/singular_values_test.cpp runtime/rows/spectral_radius_test.cpp runtime/rows/rank_mechanism_test.cpp runtime/rows/generalised_inverse_test.cpp
  runtime/rows/counted_inverse_test.cpp runtime/constraints/gauss_newton_test.cpp
  LIBS mbc_numerics)
# The contact problem (runtime/rows/cone): drawn problems, enumeration, shares, sparse matrices.
mbc_add_doctest(mbc_unit_cone runtime/rows/cone/solve_test.cpp runtime/rows/cone/planes_test.cpp runtime/rows/cone/drawn_problem.cpp LIBS mbc_numerics)
