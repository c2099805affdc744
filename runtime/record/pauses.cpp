// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/pauses.h"

#include "base/stop_flag.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

bool Pauses::goes_on(double t) {
  const bool stopped = is_set(options_.stop);
  std::string why = options_.pause ? options_.pause({t, data_.steps, stopped, save_}) : std::string();
  return !stopped && why.empty() ? true : end(t, std::move(why));
}

void Pauses::cut_short(double t) {
  data_.cut_short = true;
  const std::function<std::string()> unsaved;
  end(t, options_.pause ? options_.pause({t, data_.steps, true, unsaved}) : std::string());
}

bool Pauses::end(double t, std::string why) {
  data_.status = RunStatus::interrupted;
  if (why.empty()) return false;
  return data_.end(RunStatus::interrupted, diagnostic_of(Kind::run_limit, t, {std::move(why)}));
}

}  // namespace mbc::runtime
