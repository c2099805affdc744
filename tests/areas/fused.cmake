# SPDX-License-Identifier: Apache-2.0
# Tests compiler/formulate/steps/step.cpp (after rates), runtime/step/fused_step.cpp and api/model/equation_variant.cpp: steps
# as one function.
mbc_add_doctest(mbc_unit_fused
  runtime/simulation/fused_test.cpp runtime/equations/backoff_test.cpp runtime/singular/regularity_test.cpp
  LIBS mbc mbc_runtime mbc_compiler)
if(MBC_JIT)
  target_link_libraries(mbc_unit_fused PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_unit_fused PRIVATE MBC_HAVE_JIT)
endif()
