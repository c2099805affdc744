// SPDX-License-Identifier: Apache-2.0
// The texts of a status: in a sentence, and as a value of a table or of JSON.
#pragma once
#include <iterator>

#include "mbc/run.h"

namespace mbc::api {

struct StatusWords {
  const char *text, *name;
};

[[nodiscard]] inline StatusWords words_of(Status status) {
  // The entries follow the order of the enumerators.
  static constexpr StatusWords kWords[] = {{"complete", "complete"},
                                           {"model error", "model_error"},
                                           {"inconsistent initial state", "inconsistent"},
                                           {"stopped", "stopped"},
                                           {"output failed", "output_failed"},
                                           {"interrupted", "interrupted"},
                                           {"no native code", "no native code"},
                                           {"no threads", "no threads"},
                                           {"internal error", "internal error"}};
  static_assert(std::size(kWords) == static_cast<std::size_t>(Status::internal_error) + 1);
  return kWords[static_cast<std::size_t>(status)];
}

}  // namespace mbc::api
