# SPDX-License-Identifier: Apache-2.0
# Rows as HDF5, written by the program and looked at by h5dump.
if(TARGET mbc_program)
  mbc_add_doctest(mbc_unit_hdf5 tools/program_hdf5_test.cpp tools/program_runner.cpp LIBS nlohmann_json::nlohmann_json)
  target_compile_definitions(mbc_unit_hdf5 PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>"
    MBC_HAVE_HDF5=$<BOOL:$<TARGET_EXISTS:mbc_hdf5>>)
  add_dependencies(mbc_unit_hdf5 mbc_program)
endif()
