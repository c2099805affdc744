# SPDX-License-Identifier: Apache-2.0
# Tests the interface to C in the shared library, the symbols that this library exports, the installed tree, and the
# hosts of examples/embed.
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

# The Python package is tested with the Python of the system and its pytest, or skipped without it. Python cannot load a
# library with a sanitizer.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_test(NAME mbc_python COMMAND sh ${PROJECT_SOURCE_DIR}/tests/api/python/run.sh $<TARGET_FILE:mbc_shared>)
  set_tests_properties(mbc_python PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# Hosts of earlier versions are compiled against the headers of their versions and run with the present library. The
# functions that they may link to are also tested. abi/README.md says how a version is added.
find_program(MBC_NM nm)
file(GLOB versions CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/abi/*/host.c)
foreach(host IN LISTS versions)
  get_filename_component(folder ${host} DIRECTORY)
  get_filename_component(version ${folder} NAME)
  string(REPLACE . _ suffix ${version})
  add_executable(mbc_abi_${suffix} ${host})
  set_target_properties(mbc_abi_${suffix} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    BUILD_RPATH $<TARGET_FILE_DIR:mbc_shared>)
  target_include_directories(mbc_abi_${suffix} PRIVATE ${folder})  # The includes must not be those of the library.
  target_link_libraries(mbc_abi_${suffix} PRIVATE $<TARGET_FILE:mbc_shared>)
  add_dependencies(mbc_abi_${suffix} mbc_shared)
  add_test(NAME mbc_abi_${suffix} COMMAND sh -c "$<TARGET_FILE:mbc_abi_${suffix}> | diff ${folder}/host.txt -")
  set_tests_properties(mbc_abi_${suffix} PROPERTIES TIMEOUT 60)
  if(MBC_NM)
    add_test(NAME mbc_abi_exports_${suffix} COMMAND sh -c "! ${MBC_NM} -D --defined-only $<TARGET_FILE:mbc_shared> | \
      sed 's/.* //; s/@.*//' | LC_ALL=C sort -u | LC_ALL=C comm -13 - ${folder}/exports.txt | grep .")
  endif()
endforeach()
# The functions for GNU Octave are tested if it is installed.
add_test(NAME mbc_octave_functions COMMAND sh ${PROJECT_SOURCE_DIR}/tests/api/octave/run.sh ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/octave/mbc)
set_tests_properties(mbc_octave_functions PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
