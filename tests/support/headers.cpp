// SPDX-License-Identifier: Apache-2.0
// Nothing: a precompiled header needs a library that it belongs to (cmake/mbc_tests.cmake).
