# compiler/lower/lower.cpp: quasi-velocities, offsets of rows and momenta, loads of `nonideal` blocks.
mbc_add_doctest(mbc_unit_lower unit/lower_test.cpp unit/lowered_values.cpp LIBS mbc_compiler)
