# SPDX-License-Identifier: Apache-2.0
# Tests compiler/formulate/steps/step.cpp, code_builder.cpp and runtime/run/batch.cpp: members of a sweep in lanes.
mbc_add_doctest(mbc_unit_batch runtime/run/batch_test.cpp LIBS mbc)
if(MBC_JIT)
  target_compile_definitions(mbc_unit_batch PRIVATE MBC_HAVE_JIT)
endif()
