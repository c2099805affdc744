# SPDX-License-Identifier: Apache-2.0
# The kernel for notebooks as a C++ text, so that `mbc jupyter install` needs no files beside the program.
set(kernel_file ${PROJECT_SOURCE_DIR}/tools/jupyter/mbc_kernel.py)
file(READ ${kernel_file} kernel_text)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernel_file})
configure_file(${PROJECT_SOURCE_DIR}/cmake/kernel_text.cpp.in ${PROJECT_BINARY_DIR}/generated/mbc_kernel_text.cpp @ONLY)
