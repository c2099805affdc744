# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Nothing of it knows the prefix, so a tree may be moved: the program and the library
# look for libmbc-jit.so beside themselves and in ../lib, mbc.pc and the CMake package say where they are themselves.
# Components are the Debian packages (cmake/packages.cmake).
include(CMakePackageConfigHelpers)

set(MBC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mbc)
set(MBC_PYTHON_DIR ${CMAKE_INSTALL_LIBDIR}/python3/dist-packages CACHE PATH "folder of Python packages, below the prefix")
set(MBC_DOC_DIR ${CMAKE_INSTALL_DATAROOTDIR}/doc)

# the program, with its manual and the completion of its words
install(TARGETS mbc_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# what object files of models are linked with (mbc compile -o model.o, model.so)
install(TARGETS mbc_support ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
# what executables of models are made of (mbc compile --emit exe)
if(TARGET mbc_runner)
  install(TARGETS mbc_runner RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
endif()
# what FMUs hold and are packed by (mbc compile -o model.fmu)
install(TARGETS mbc_fmi mbc_zip LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" -DPROGRAM=$<TARGET_FILE:mbc_program> -DVERSION=${PROJECT_VERSION}
  -DOUT=${PROJECT_BINARY_DIR}/mbc.1 -P \"${PROJECT_SOURCE_DIR}/cmake/manual.cmake\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/mbc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES tools/completion/mbc.bash RENAME mbc
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions COMPONENT program)
install(FILES tools/completion/mbc.zsh RENAME _mbc
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions COMPONENT program)
install(FILES tools/completion/mbc.fish
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d COMPONENT program)
install(FILES LICENSE NOTICE DESTINATION ${MBC_DOC_DIR}/mbc COMPONENT program)

# the library, native code, what programs are built with
install(TARGETS mbc_shared EXPORT mbcTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
if(TARGET mbc_jit)
  install(TARGETS mbc_jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT jit)
endif()
if(TARGET mbc_hdf5)
  install(TARGETS mbc_hdf5 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT hdf5)
endif()
install(DIRECTORY include/mbc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN *.h
  PATTERN *.def)
install(EXPORT mbcTargets NAMESPACE mbc:: DESTINATION ${MBC_CMAKE_DIR} COMPONENT development)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mbcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH MBC_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/mbc.pc.in mbc.pc @ONLY)
install(FILES cmake/mbcConfig.cmake ${PROJECT_BINARY_DIR}/mbcConfigVersion.cmake DESTINATION ${MBC_CMAKE_DIR} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/mbc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Python
install(DIRECTORY api/python/mbc DESTINATION ${MBC_PYTHON_DIR} COMPONENT python FILES_MATCHING PATTERN *.py PATTERN py.typed)

# All that is installed, built.
add_custom_target(mbc_installed DEPENDS mbc_program mbc_shared)
if(TARGET mbc_octave)
  add_dependencies(mbc_installed mbc_octave)
endif()
