// SPDX-License-Identifier: Apache-2.0
// What a failed internal check throws (base/check.h), for those who catch it.
#pragma once
#include <stdexcept>

namespace mbc {

// what() is "file:line: what (condition)".
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace mbc
