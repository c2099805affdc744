# SPDX-License-Identifier: Apache-2.0
# find_package(mbc): the target mbc::mbc, the shared library with its headers.
include(${CMAKE_CURRENT_LIST_DIR}/mbcTargets.cmake)
