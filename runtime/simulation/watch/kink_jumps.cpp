// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/watch/kink_jumps.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {
constexpr double kKinkAside = 1e-9;  // of a step: the time beside the instant
constexpr double kKinkJumps = 1e-6;  // of what it is compared with: continuous quantities differ by less
}  // namespace

KinkJumps::KinkJumps(Equations& equations, const ModelInfo& info, double step)
    : equations_(equations), info_(info), step_(step) {}

KinkJumps::Seen KinkJumps::look(double aside) {
  beside_ = y_;
  rate_ = dy_;
  for (std::size_t i = 0; i < y_.size(); ++i) beside_[i] += aside * dy_[i];
  equations_.outputs(t_ + aside, beside_.data(), rate_.data());
  const double* first = equations_.output_values() + info_.events.first_value;
  return {equations_.kinetic(), equations_.potential(), {first, first + info_.events.n_values}};
}

void KinkJumps::before(double t, const std::vector<double>& y, const std::vector<double>& dy) {
  t_ = t;
  y_ = y;
  dy_ = dy;
  seen_ = look(-kKinkAside * step_);
}

std::optional<Diagnostic> KinkJumps::after(double t, std::uint32_t kink, double exchanged) {
  t_ = t;
  const EventInfo& e = info_.events.list[kink];
  const Seen later = look(kKinkAside * step_);
  if (std::optional<Diagnostic> d = of_followers(later, e)) return d;
  return of_energy(later, e, exchanged);
}

// `of`: the energy, or the follower.
Diagnostic KinkJumps::jumps(const EventInfo& e, const std::string& of, const std::string& what,
                            const char* help) const {
  Diagnostic d;
  d.kind = Kind::jumps_at_kink;
  d.args = {what};
  d.span = e.span;
  name_instances(d, info_, of);
  d.time = t_;
  d.help = help;
  return d;
}

bool KinkJumps::differs(const Seen& later, std::uint32_t first, std::uint32_t count, double size) const {
  for (std::uint32_t k = first; k < first + count; ++k)
    if (std::fabs(later.values[k] - seen_.values[k]) > kKinkJumps * size) return true;
  return false;
}

// A potential that jumps with the time alone is another one from there on: what it gains is the work of the event.
std::optional<Diagnostic> KinkJumps::of_energy(const Seen& later, const EventInfo& e, double exchanged) const {
  if (e.kink->of.empty()) return {};
  const double size =
      std::max({exchanged, seen_.kinetic, later.kinetic, std::fabs(seen_.potential), std::fabs(later.potential)});
  if (std::fabs(later.kinetic - seen_.kinetic) > kKinkJumps * size)
    return jumps(e, e.kink->of, "the kinetic energy",
                 "let the inertia change over a short distance, which a step can resolve");
  if (!e.kink->of_time && std::fabs(later.potential - seen_.potential) > kKinkJumps * size)
    return jumps(e, e.kink->of, "the potential energy",
                 "let it rise over a short distance, or write a wall as `constraint: x <= 0`");
  return {};
}

std::optional<Diagnostic> KinkJumps::of_followers(const Seen& later, const EventInfo& e) const {
  double place = 0, speed = 0;  // the largest of all
  for (const FollowedInfo& f : info_.events.followed)
    for (std::uint32_t k = 0; k < f.places + f.speeds; ++k) {
      double& size = k < f.places ? place : speed;
      size = std::max({size, std::fabs(seen_.values[f.value + k]), std::fabs(later.values[f.value + k])});
    }
  const double of_places = place;  // either may be at zero there
  place = std::max(place, speed * step_);
  if (step_ > 0) speed = std::max(speed, of_places / step_);
  for (const FollowedInfo& f : info_.events.followed) {
    const bool of_place = differs(later, f.value, f.places, place);
    if (!of_place && !differs(later, f.value + f.places, f.speeds, speed)) continue;
    return jumps(e, f.name, (of_place ? "the place of " : "the velocity of ") + quoted(f.name),
                 "let the place be smooth: round the corner, or take points with `method = cubic`");
  }
  return {};
}

}  // namespace mbc::runtime
