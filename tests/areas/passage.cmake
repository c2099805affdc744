# SPDX-License-Identifier: Apache-2.0
# Tests runtime/simulation/passage.cpp and runtime/constraints/singular/usual_rank.cpp: steps near singular positions.
mbc_add_doctest(mbc_unit_passage
  runtime/simulation/passage_test.cpp runtime/constraints/row_parts_test.cpp runtime/constraints/crossing_test.cpp
  physics/run.cpp
  LIBS mbc mbc_runtime)
