# SPDX-License-Identifier: Apache-2.0
# compiler/formulate/steps/step.cpp (after rates), runtime/simulation/data/fused_step.cpp, api/shape.cpp: steps as one function.
mbc_add_doctest(mbc_unit_fused
  runtime/simulation/fused_test.cpp runtime/equations/backoff_test.cpp runtime/singular/regularity_test.cpp
  LIBS mbc mbc_runtime mbc_compiler)
if(MBC_JIT)
  target_link_libraries(mbc_unit_fused PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_unit_fused PRIVATE MBC_HAVE_JIT)
endif()
