// SPDX-License-Identifier: Apache-2.0
// This file is empty because a precompiled header must belong to a library (cmake/mbc_tests.cmake).
