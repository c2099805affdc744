// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/integration.h"

#include "runtime/record/series_order.h"

namespace mbc::runtime {

Integration::Integration(Equations& equations, const SimulateOptions& options, std::size_t n)
    : options_(options), method_(options.integrator, n) {
  refine();
  if (options.integrator != Integrator::taylor) return;
  jets_.emplace(options.jets, series_order(options), equations);
  method_.use<Taylor>(n, jets_->order(), [this](double t, const double* at) { return jets_->coefficients(t, at); });
}

void Integration::refine() {
  const StepSettings& c = options_.control;
  const double tolerance = c.by_sizes ? c.tolerance : c.rtol;
  gaps_known_ = 0;
  lowest_rebound_ = options_.chooses_steps() && tolerance > kFineSteps ? tolerance : kLowestRebound;
}

}  // namespace mbc::runtime
