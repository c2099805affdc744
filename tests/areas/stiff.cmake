# SPDX-License-Identifier: Apache-2.0
# Tests the method for stiff problems alone, and stiff models with known results through the embedding interface.
mbc_add_doctest(mbc_unit_bdf runtime/integrators/bdf_test.cpp LIBS mbc_stiff)
mbc_add_doctest(mbc_unit_method runtime/integrators/method_test.cpp LIBS mbc_runtime)
mbc_add_doctest(mbc_physics_stiff physics/stiff_test.cpp physics/long_runs_test.cpp physics/stiff_events_test.cpp physics/row_times_test.cpp physics/run.cpp LIBS mbc)
