// SPDX-License-Identifier: Apache-2.0
// Decides between two steps whether a run continues, or whether an observer ends it there.
#pragma once
#include <functional>
#include <string>

#include "runtime/record/options.h"
#include "runtime/record/run_data.h"

namespace mbc::runtime {

class Pauses {
 public:
  // `save` returns the whole run as bytes. References must outlive the object.
  Pauses(const SimulateOptions& options, RunData& data, std::function<std::string()> save)
      : options_(options), data_(data), save_(std::move(save)) {}

  // Returns false if the run ends at the accepted state after its row, because it was interrupted or by the pause
  // callback.
  bool goes_on(double t);
  // Ends a run that was interrupted in the middle of a step or an instant after t. It cannot be saved.
  void cut_short(double t);

 private:
  // Ends the run and returns false. `why` is the reason of the pause callback, or "" for an interruption.
  bool end(double t, std::string why);

  const SimulateOptions& options_;
  RunData& data_;
  std::function<std::string()> save_;
};

}  // namespace mbc::runtime
