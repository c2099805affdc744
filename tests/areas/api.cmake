# SPDX-License-Identifier: Apache-2.0
# Tests include/mbc: simulations step by step, on several threads, in large numbers, and with invalid calls.
mbc_add_doctest(mbc_unit_simulation api/simulation_test.cpp api/simulation_values_test.cpp api/given_values_test.cpp api/contact_queries_test.cpp
  physics/run.cpp LIBS mbc)
mbc_add_doctest(mbc_unit_forged api/forged_states_test.cpp LIBS mbc)
if(MBC_JIT)
  mbc_add_doctest(mbc_unit_native_refused api/native_refused_test.cpp LIBS mbc)
endif()
mbc_add_doctest(mbc_unit_threads api/threads_test.cpp LIBS mbc)
mbc_add_doctest(mbc_unit_memory api/memory_test.cpp LIBS mbc)
mbc_add_doctest(mbc_unit_preconditions api/preconditions_test.cpp LIBS mbc)
mbc_add_doctest(mbc_unit_equations api/equations_test.cpp api/printed_models.cpp LIBS mbc mbc_base Eigen3::Eigen)
mbc_add_doctest(mbc_unit_advice api/advice_test.cpp LIBS mbc)
# Linear models and equilibria.
mbc_add_doctest(mbc_unit_questions api/questions_test.cpp LIBS mbc)
