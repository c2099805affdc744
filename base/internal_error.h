// SPDX-License-Identifier: Apache-2.0
// The exception of a failed internal check (base/check.h), for code that catches it.
#pragma once
#include <stdexcept>

namespace mbc {

// what() is "file:line: what (condition)".
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace mbc
