# SPDX-License-Identifier: Apache-2.0
# runtime/singular/crossing.cpp, runtime/singular/generic_rank.cpp: steps beside singular positions.
mbc_add_doctest(mbc_unit_singular
  runtime/singular/crossing_test.cpp runtime/constraints/row_components_test.cpp runtime/singular/sign_changes_test.cpp
  physics/run.cpp
  LIBS mbc mbc_runtime)
