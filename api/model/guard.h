// SPDX-License-Identifier: Apache-2.0
// The boundary of the library: every call that computes goes through guarded(), which sets the floating-point
// environment in which results are defined and turns a failed internal check into an error.
#pragma once
#include <string>
#include <utility>

#include "base/internal_error.h"
#include "kernel/floating_point.h"
#include "mbc/result.h"

namespace mbc::api {

[[nodiscard]] inline Error internal(const InternalError& e) {
  return {ErrorCode::internal,
          std::string("internal error: ") + e.what() +
              "\nhint: this is a mistake in mbc, not in the model; please report it together with the model"};
}

// `call` returns a Result.
template <class Call>
auto guarded(Call&& call) -> decltype(call()) {
  const kernel::StrictFloatingPoint strict;
  try {
    return std::forward<Call>(call)();
  } catch (const InternalError& e) {
    return internal(e);
  }
}

}  // namespace mbc::api
