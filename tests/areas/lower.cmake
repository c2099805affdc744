# SPDX-License-Identifier: Apache-2.0
# Tests compiler/lower/lower.cpp (quasi-velocities, offsets of rows and momenta, loads of `nonideal` blocks),
# kinetic_term.cpp and describe.cpp.
mbc_add_doctest(mbc_unit_lower compiler/lower/lower_test.cpp compiler/lower/kinetic_term_test.cpp compiler/lower/describe_test.cpp
  compiler/lower/lowered_values.cpp LIBS mbc_compiler)
