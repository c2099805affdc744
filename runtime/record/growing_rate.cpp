// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/growing_rate.h"

#include <cmath>
#include <vector>

#include "base/numbers.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/failure_text.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

struct GrowingRate {
  std::uint32_t entry = 0;               // of y = [q; u; s]
  double before = 0, now = 0, over = 0;  // over: the time between them
  std::optional<Span> term;
};

std::optional<GrowingRate> growing_rate(Equations& equations, double t, const double* y, const double* dy,
                                        double shortest, double longest) {
  const kernel::SystemLayout& l = equations.layout();
  std::vector<double> earlier(l.n_y()), rate(l.n_y());
  for (double back = shortest; back <= longest; back *= 2) {
    for (std::size_t i = 0; i < earlier.size(); ++i) earlier[i] = y[i] - back * dy[i];
    if (equations.rhs(t - back, earlier.data(), rate.data()) != 0) return {};
    std::optional<GrowingRate> found;
    double most = kGrownRate;
    for (std::uint32_t i = l.speeds_at(); i < l.work_at(); ++i) {
      if (rate[i] == 0 || !(std::fabs(dy[i]) >= most * std::fabs(rate[i]))) continue;
      most = std::fabs(dy[i] / rate[i]);
      found = GrowingRate{i, rate[i], dy[i], back, {}};
    }
    if (!found) continue;
    found->term = equations.growth_between(Equations::k_assemble, t - back, earlier.data(), t, y, kGrownTerm);
    return found;
  }
  return {};
}

}  // namespace

void name_growth(Diagnostic& d, Equations& equations, const problem::Problem& info, double t, const double* y,
                 const double* dy, double shortest, double longest) {
  const std::optional<GrowingRate> found = growing_rate(equations, t, y, dy, shortest, longest);
  if (!found) return;
  d.args.front() = quoted_name(entry_name(info, equations.layout(), found->entry));
  d.span = {};
  point_at_entry(d, info, equations.layout(), found->entry);
  if (found->term) d.labels.push_back({*found->term, "this grows without bound here"});
  d.notes.push_back("its rate grows from " + text::short_number(found->before, 3) + " to " +
                    text::short_number(found->now, 3) + " in " + text::short_number(found->over, 2) + " s");
  d.help = "end the run before, by an event with `stop`";
  if (found->term) d.help += "; or let what grows stay finite: keep what it is divided by away from zero";
}

}  // namespace mbc::runtime
