# SPDX-License-Identifier: Apache-2.0
# Tests FMUs that the program exports with an importer of the tests.
if(TARGET mbc_program)
  mbc_add_doctest(mbc_unit_fmu tools/fmu/fmu_test.cpp tools/fmu/exchange_test.cpp tools/fmu/exchange.cpp tools/fmu/importer.cpp tools/program_runner.cpp
    LIBS mbc ${MBC_ZIP_LIBRARY} ${CMAKE_DL_LIBS})
  target_compile_definitions(mbc_unit_fmu PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>" MBC_SOURCE="${PROJECT_SOURCE_DIR}")
  add_dependencies(mbc_unit_fmu mbc_program mbc_fmi)
endif()
