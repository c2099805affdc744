// SPDX-License-Identifier: Apache-2.0
// How a status is told: in a sentence, and as a value of a table or of JSON.
#pragma once
#include "mbc/run.h"

namespace mbc::api {

struct StatusWords {
  const char *text, *name;
};

[[nodiscard]] inline StatusWords words_of(Status status) {
  switch (status) {
    case Status::complete:
      return {"complete", "complete"};
    case Status::model_error:
      return {"model error", "model_error"};
    case Status::inconsistent:
      return {"inconsistent initial state", "inconsistent"};
    case Status::stopped:
      return {"stopped", "stopped"};
    case Status::output_failed:
      return {"output failed", "output_failed"};
    case Status::interrupted:
      return {"interrupted", "interrupted"};
    case Status::no_native_code:
      return {"no native code", "no native code"};
    case Status::no_threads:
      return {"no threads", "no threads"};
    case Status::internal_error:
      return {"internal error", "internal error"};
  }
  return {"?", ""};
}

}  // namespace mbc::api
