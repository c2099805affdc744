# SPDX-License-Identifier: Apache-2.0
# Tests the execution of kernels: interpreter, support library, printer, and the JIT and object files compared with
# them.
mbc_add_doctest(mbc_unit_kernel kernel/kernel_test.cpp kernel/failures_test.cpp kernel/error_analysis_test.cpp kernel/data_table_test.cpp kernel/enclosure_test.cpp kernel/problem/discrete_state_test.cpp kernel/tableau_dop853_test.cpp compiler/formulate/linear_plan_test.cpp compiler/formulate/articulated_test.cpp kernel/support/dense_solve_test.cpp kernel/support/augmented_solve_test.cpp kernel/support/sparse_solve_test.cpp kernel/random_kernel.cpp
  LIBS mbc_kernel mbc_compiler Eigen3::Eigen)

if(MBC_JIT)
  mbc_add_doctest(mbc_unit_jit jit/jit_test.cpp kernel/random_kernel.cpp LIBS mbc_kernel mbc_jit_loader)

  # This program tests objects kept between processes.
  mbc_add_doctest(mbc_unit_object_cache jit/object_cache_test.cpp kernel/random_kernel.cpp LIBS mbc_object_cache mbc_kernel)

  # This program tests the same without LLVM.
  mbc_add_doctest(mbc_unit_ready_code jit/ready_code_test.cpp kernel/random_kernel.cpp LIBS mbc_kernel mbc_jit_loader)

  # The long form of the comparison runs by hand: `ninja mbc_random_models`.
  add_custom_target(mbc_random_models
    COMMAND ${CMAKE_COMMAND} -E env MBC_RANDOM_MODELS=100000 $<TARGET_FILE:mbc_unit_jit> -tc=random*
    DEPENDS mbc_unit_jit USES_TERMINAL)

  # A kernel is written to an object file during the build and linked into a C program with only the support library.
  set(object_dir ${CMAKE_BINARY_DIR}/generated/object_test)
  file(MAKE_DIRECTORY ${object_dir})
  add_executable(mbc_emit_object ${PROJECT_SOURCE_DIR}/tests/jit/object/emit_object.cpp
    ${PROJECT_SOURCE_DIR}/tests/kernel/random_kernel.cpp)
  target_link_libraries(mbc_emit_object PRIVATE mbc_flags mbc_kernel mbc_jit_loader)
  add_custom_command(OUTPUT ${object_dir}/model.o ${object_dir}/model_data.h
    COMMAND mbc_emit_object ${object_dir}/model.o ${object_dir}/model_data.h
    DEPENDS mbc_emit_object mbc_jit)
  add_executable(mbc_object_host ${PROJECT_SOURCE_DIR}/tests/jit/object/host.c ${object_dir}/model_data.h
    ${object_dir}/model.o)
  set_source_files_properties(${object_dir}/model.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_include_directories(mbc_object_host PRIVATE ${object_dir} ${PROJECT_SOURCE_DIR})
  target_link_libraries(mbc_object_host PRIVATE mbc_flags $<TARGET_FILE:mbc_support> m)
  add_dependencies(mbc_object_host mbc_support)
  add_test(NAME mbc_object_host COMMAND mbc_object_host)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # The libraries of a sanitizer need the C++ library.
    add_test(NAME mbc_object_host_needs_no_llvm
      COMMAND sh -c "! ldd $<TARGET_FILE:mbc_object_host> | grep -e LLVM -e stdc++")
  endif()
endif()
