# SPDX-License-Identifier: Apache-2.0
# Debian packages, one for each component of install.cmake: `cpack --config CPackConfig.cmake` in a build folder, or
# `./dev deb`. What they depend on of others is what dpkg-shlibdeps finds.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mbc)
set(CPACK_PACKAGE_VENDOR "the mbc authors")
# Who builds them, as Debian's tools have it: DEBFULLNAME, DEBEMAIL.
cmake_host_system_information(RESULT host QUERY FQDN)
set(packager "the mbc authors <mbc@${host}>")
if(NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(packager "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT "${packager}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development python)
if(TARGET mbc_jit)
  list(APPEND CPACK_COMPONENTS_ALL jit)
endif()
if(TARGET mbc_hdf5)
  list(APPEND CPACK_COMPONENTS_ALL hdf5)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
# Adds what a package has and an installed tree has not: copyright, changelog, the manual compressed.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_documents.cmake)
set(CPACK_MBC_SOURCE ${PROJECT_SOURCE_DIR})

set(same "(= ${PROJECT_VERSION})")
# component, package, section, depends, recommends, one line, a paragraph
function(mbc_package component name section depends recommends summary text)
  string(TOUPPER ${component} c)
  set(CPACK_DEBIAN_${c}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_PACKAGE_RECOMMENDS "${recommends}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${c}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  if(NOT component MATCHES "development|python")
    set(CPACK_DEBIAN_${c}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
  endif()
endfunction()
mbc_package(program mbc science "" "libmbc-jit ${same}" "compiler for the mechanics of constrained bodies"
  "Compiles text models of particles and rigid bodies with constraints\nof any kind to equations of motion, and runs them.")
mbc_package(library libmbc0 libs "" "libmbc-jit ${same}" "compiler for the mechanics of constrained bodies, library"
  "Compiles and runs models from C, C++ and Python programs.")
mbc_package(jit libmbc-jit libs "" "" "compiler for the mechanics of constrained bodies, native code"
  "Opened by the program and the library when a run is long enough for\nmachine code, which LLVM makes.")
mbc_package(hdf5 libmbc-hdf5 libs "" "" "compiler for the mechanics of constrained bodies, HDF5"
  "Opened by the program when rows go to an HDF5 file.")
mbc_package(development libmbc-dev libdevel "libmbc0 ${same}" "" "compiler for the mechanics of constrained bodies, headers"
  "What programs that use the library are built with.")
mbc_package(python python3-mbc python "libmbc0 ${same}, python3" "python3-numpy"
  "compiler for the mechanics of constrained bodies, Python" "Models are compiled and run from Python; columns of results are numpy arrays.")
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "libmbc 0 libmbc0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libmbc-hdf5 ${same}")
set(CPACK_DEBIAN_HDF5_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_JIT_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
include(CPack)
