# SPDX-License-Identifier: Apache-2.0
# sweep(): members, threads, failures. The program's side is in program_sweep_test.cpp.
mbc_add_doctest(mbc_unit_sweep api/sweep_test.cpp physics/run.cpp LIBS mbc)
