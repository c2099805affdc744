# SPDX-License-Identifier: Apache-2.0
# The interface to C, by the shared library; what that library shows; the installed tree and the hosts of examples/embed.
add_executable(mbc_c_interface api/c/interface_test.c)
set_target_properties(mbc_c_interface PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_link_libraries(mbc_c_interface PRIVATE mbc_flags mbc_shared m)
add_test(NAME mbc_c_interface COMMAND mbc_c_interface)
set_tests_properties(mbc_c_interface PROPERTIES TIMEOUT 120)

add_executable(mbc_c_layout api/c/layout.c)
set_target_properties(mbc_c_layout PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_link_libraries(mbc_c_layout PRIVATE mbc_flags)
add_test(NAME mbc_c_layout COMMAND sh -c "$<TARGET_FILE:mbc_c_layout> | diff ${PROJECT_SOURCE_DIR}/tests/api/c/layout.txt -")

mbc_add_doctest(mbc_unit_exports api/c/exports_test.cpp)
target_compile_definitions(mbc_unit_exports PRIVATE MBC_LIBRARY="$<TARGET_FILE:mbc_shared>")
add_dependencies(mbc_unit_exports mbc_shared)

if(TARGET mbc_program)
  mbc_add_doctest(mbc_unit_install api/install_test.cpp)
  target_compile_definitions(mbc_unit_install PRIVATE MBC_BUILD_DIR="${PROJECT_BINARY_DIR}" MBC_VERSION_TEXT="${PROJECT_VERSION}"
    MBC_CXX_FLAGS="${CMAKE_CXX_FLAGS}" MBC_HAVE_JIT=$<BOOL:${MBC_JIT}>
    MBC_HAVE_HDF5=$<TARGET_EXISTS:mbc_hdf5>)
  add_dependencies(mbc_unit_install mbc_program mbc_shared)
endif()

# The Python package, by the Python of the system with its pytest; without that it is skipped. A library with a
# sanitizer cannot be loaded into it.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_test(NAME mbc_python COMMAND sh ${PROJECT_SOURCE_DIR}/tests/api/python/run.sh $<TARGET_FILE:mbc_shared>)
  set_tests_properties(mbc_python PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()
