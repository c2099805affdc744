// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/pauses.h"

#include "base/stop_flag.h"

namespace mbc::runtime {

bool Pauses::goes_on(double t) {
  const bool stopped = is_set(options_.stop);
  const std::string why = options_.pause ? options_.pause({t, data_.steps, stopped, save_}) : std::string();
  if (stopped) data_.status = RunStatus::interrupted;
  if (stopped || why.empty()) return !stopped;
  Diagnostic d;
  d.kind = Kind::run_limit;
  d.args = {why};
  d.time = t;
  return data_.end(RunStatus::interrupted, std::move(d));
}

}  // namespace mbc::runtime
