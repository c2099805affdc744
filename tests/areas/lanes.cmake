# SPDX-License-Identifier: Apache-2.0
# Tests compiler/formulate/lanes: systems divided into eight equal parts, and their right-hand side in lanes.
mbc_add_doctest(mbc_unit_lanes compiler/formulate/lanes_test.cpp LIBS mbc mbc_kernel mbc_compiler)
if(MBC_JIT)
  target_link_libraries(mbc_unit_lanes PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_unit_lanes PRIVATE MBC_HAVE_JIT)
endif()
