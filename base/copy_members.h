// SPDX-License-Identifier: Apache-2.0
// Copies members that a struct takes from another one unchanged, under the same names.
#pragma once

#define MBC_COPY_PARENTHESES ()
#define MBC_COPY_SCAN(...) MBC_COPY_SCAN_3(MBC_COPY_SCAN_3(MBC_COPY_SCAN_3(__VA_ARGS__)))
#define MBC_COPY_SCAN_3(...) MBC_COPY_SCAN_2(MBC_COPY_SCAN_2(MBC_COPY_SCAN_2(__VA_ARGS__)))
#define MBC_COPY_SCAN_2(...) MBC_COPY_SCAN_1(MBC_COPY_SCAN_1(MBC_COPY_SCAN_1(__VA_ARGS__)))
#define MBC_COPY_SCAN_1(...) __VA_ARGS__
#define MBC_COPY_NEXT() MBC_COPY_MEMBER
#define MBC_COPY_MEMBER(to, from, name, ...) \
  (to).name = (from).name __VA_OPT__(; MBC_COPY_NEXT MBC_COPY_PARENTHESES(to, from, __VA_ARGS__))

// MBC_COPY_MEMBERS(to, from, a, b) expands to `to.a = from.a; to.b = from.b` and takes at most 27 members.
#define MBC_COPY_MEMBERS(to, from, ...) MBC_COPY_SCAN(MBC_COPY_MEMBER(to, from, __VA_ARGS__))
