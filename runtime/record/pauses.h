// SPDX-License-Identifier: Apache-2.0
// Between two steps of a run: whether it goes on, or somebody wants it to end there.
#pragma once
#include <functional>
#include <string>

#include "runtime/record/options.h"
#include "runtime/record/run_data.h"

namespace mbc::runtime {

class Pauses {
 public:
  // save: the whole run as bytes. Everything outlives the object.
  Pauses(const SimulateOptions& options, RunData& data, std::function<std::string()> save)
      : options_(options), data_(data), save_(std::move(save)) {}

  // At an accepted state behind its row: false when the run ends here, interrupted or by what watches it.
  bool goes_on(double t);

 private:
  const SimulateOptions& options_;
  RunData& data_;
  std::function<std::string()> save_;
};

}  // namespace mbc::runtime
