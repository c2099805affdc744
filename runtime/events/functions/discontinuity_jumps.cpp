// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/discontinuity_jumps.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {
constexpr double kKinkAside = 1e-9;  // of a step: the time between the instant and a look beside it
constexpr double kKinkJumps = 1e-6;  // of the compared quantity: continuous quantities differ by less
constexpr double kKinkNearer = 0.1;  // of that time: continuous quantities differ by this part as much there
}  // namespace

DiscontinuityJumps::DiscontinuityJumps(Equations& equations, const problem::Problem& info, double step)
    : equations_(equations), info_(info), step_(step) {}

DiscontinuityJumps::Seen DiscontinuityJumps::look(double aside) {
  beside_ = y_;
  rate_ = dy_;
  for (std::size_t i = 0; i < y_.size(); ++i) beside_[i] += aside * dy_[i];
  equations_.outputs(t_ + aside, beside_.data(), rate_.data());
  const double* first = equations_.output_values() + info_.events.first_value;
  return {equations_.kinetic(), equations_.potential(), {first, first + info_.events.n_values}};
}

DiscontinuityJumps::Beside DiscontinuityJumps::look_beside(double side) {
  return {look(side * kKinkAside * step_), look(side * kKinkNearer * kKinkAside * step_)};
}

// Returns whether a value jumps. The difference of a continuous value shrinks with the distance of the looks.
template <class Value>
bool DiscontinuityJumps::jumped(const Beside& later, double size, const Value& value) const {
  const double far = std::fabs(value(later.far) - value(seen_.far));
  return far > kKinkJumps * size && std::fabs(value(later.near) - value(seen_.near)) > 0.5 * far;
}

void DiscontinuityJumps::before(double t, const std::vector<double>& y, const std::vector<double>& dy) {
  t_ = t;
  y_ = y;
  dy_ = dy;
  seen_ = look_beside(-1);
}

std::optional<Diagnostic> DiscontinuityJumps::after(double t, std::uint32_t kink, double exchanged) {
  t_ = t;
  const problem::Event& e = info_.events.list[kink];
  const Beside later = look_beside(1);
  if (std::optional<Diagnostic> d = of_prescribed(later, e)) return d;
  if (std::optional<Diagnostic> d = of_energy(later, e, exchanged)) return d;
  return of_momenta(later, e);
}

// Builds the diagnostic. `of` names the energy or the prescribed body.
Diagnostic DiscontinuityJumps::jumps(const problem::Event& e, const std::string& of, const std::string& what,
                                     const char* help) const {
  Diagnostic d = diagnostic_of(Kind::jumps_at_kink, t_, {what}, help);
  d.span = e.span;
  name_instances(d, info_, of);
  return d;
}

bool DiscontinuityJumps::differs(const Beside& later, std::uint32_t first, std::uint32_t count, double size) const {
  for (std::uint32_t k = first; k < first + count; ++k)
    if (jumped(later, size, [k](const Seen& s) { return s.values[k]; })) return true;
  return false;
}

// A potential may jump if it depends on the time alone; its gain is the work of the event.
std::optional<Diagnostic> DiscontinuityJumps::of_energy(const Beside& later, const problem::Event& e,
                                                        double exchanged) const {
  if (e.kink->of.empty()) return {};
  const Seen &before = seen_.far, &behind = later.far;
  const double size =
      std::max({exchanged, before.kinetic, behind.kinetic, std::fabs(before.potential), std::fabs(behind.potential)});
  if (jumped(later, size, [](const Seen& s) { return s.kinetic; }))
    return jumps(e, e.kink->of, "the kinetic energy",
                 "let the inertia change over a short distance, which a step can resolve");
  if (!e.kink->of_time && jumped(later, size, [](const Seen& s) { return s.potential; }))
    return jumps(e, e.kink->of, "the potential energy",
                 "let it rise over a short distance, or write a wall as `constraint: x <= 0`");
  return {};
}

// Compares momenta with themselves and with the momentum that the kinetic energy gives the speeds. Terms that speeds
// switch are not tested. The energy does not show a jump of a term that is linear in the speeds.
std::optional<Diagnostic> DiscontinuityJumps::of_momenta(const Beside& later, const problem::Event& e) const {
  if (e.kink->of.empty() || e.kink->of_speeds) return {};
  double fastest = 0;
  for (std::size_t j = 0; j < info_.speeds.size(); ++j)
    fastest = std::max(fastest, std::fabs(y_[info_.coordinates.size() + j]));
  double size = fastest > 0 ? 2 * std::fabs(later.far.kinetic) / fastest : 0;
  for (const problem::ContinuityCheck& m : info_.events.momenta)
    for (std::uint32_t k = m.value; k < m.value + m.speeds; ++k)
      size = std::max({size, std::fabs(seen_.far.values[k]), std::fabs(later.far.values[k])});
  for (const problem::ContinuityCheck& m : info_.events.momenta)
    if (differs(later, m.value, m.speeds, size))
      return jumps(e, m.name,
                   m.name.empty() ? std::string("a momentum") : "a momentum of the kinetic energy " + quoted(m.name),
                   "let it change over a short distance or time, which a step can resolve");
  return {};
}

std::optional<Diagnostic> DiscontinuityJumps::of_prescribed(const Beside& later, const problem::Event& e) const {
  double place = 0, speed = 0;  // the largest of all prescribed bodies
  for (const problem::ContinuityCheck& f : info_.events.followed)
    for (std::uint32_t k = 0; k < f.places + f.speeds; ++k) {
      double& size = k < f.places ? place : speed;
      size = std::max({size, std::fabs(seen_.far.values[f.value + k]), std::fabs(later.far.values[f.value + k])});
    }
  const double of_places = place;  // place or speed may be zero there
  place = std::max(place, speed * step_);
  if (step_ > 0) speed = std::max(speed, of_places / step_);
  for (const problem::ContinuityCheck& f : info_.events.followed) {
    const bool of_place = differs(later, f.value, f.places, place);
    if (!of_place && !differs(later, f.value + f.places, f.speeds, speed)) continue;
    return jumps(e, f.name, (of_place ? "the place of " : "the velocity of ") + quoted(f.name),
                 "let the place be smooth: round the corner, or take points with `method = cubic`");
  }
  return {};
}

}  // namespace mbc::runtime
