# SPDX-License-Identifier: Apache-2.0
# Tests sweep(): members, threads, and failures. program_sweep_test.cpp tests the command.
mbc_add_doctest(mbc_unit_sweep api/sweep_test.cpp api/sweep_arguments_test.cpp api/sweep_draws_test.cpp api/sweep_starts_test.cpp physics/run.cpp LIBS mbc)
