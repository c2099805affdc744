// SPDX-License-Identifier: Apache-2.0
// Checks of conditions that hold for every input. A failed check is a defect of mbc: it throws InternalError, which the
// api catches at its boundary and the program answers with exit code 70.
//
//   CHECK(rows.size() == names.size(), "every row has a name");
//
// Only .cpp files include this header: doctest has a macro of the same name, and the parser's generated headers have a
// token.
#pragma once
#include <string>

#include "base/internal_error.h"

namespace mbc {

// This function is out of line, so that a check costs its caller one comparison and a call that is never taken.
[[noreturn, gnu::cold]] void fail_check(const char* file, int line, const char* condition, const std::string& what);

}  // namespace mbc

// `what` states the condition; it is evaluated only if the condition is false.
#define CHECK(condition, what) \
  ((condition) ? static_cast<void>(0) : ::mbc::fail_check(__FILE__, __LINE__, #condition, (what)))
