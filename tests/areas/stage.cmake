# SPDX-License-Identifier: Apache-2.0
# Compares the fast right-hand side of compiler/formulate/unrolled/fast_rhs.cpp with the full one, and tests mbc_sincos
# of kernel/support.
mbc_add_doctest(mbc_unit_stage compiler/formulate/fast_rhs_test.cpp kernel/support/sincos_test.cpp LIBS mbc_kernel mbc_compiler)
if(MBC_JIT)
  target_link_libraries(mbc_unit_stage PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_unit_stage PRIVATE MBC_HAVE_JIT)
endif()
