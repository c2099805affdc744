// SPDX-License-Identifier: Apache-2.0
#include "api/analysis/state_question.h"

#include <algorithm>
#include <cmath>

#include "api/model/info.h"
#include "base/text.h"
#include "runtime/contact/joint_rest.h"
#include "runtime/tolerances.h"

namespace mbc::api {

std::vector<double> at_rest(std::vector<double> y, const problem::Problem& info) {
  std::fill_n(y.begin() + static_cast<long>(info.coordinates.size()), info.speeds.size(), 0.0);
  return y;
}

Error StateQuestion::refused(Kind kind, Span span, std::vector<std::string> args, double t) const {
  Diagnostic d{kind, span, std::move(args), {}, {}, {}, {}};
  d.time = t;
  Error error = simulation_.error_of(d);
  error.code = ErrorCode::undefined_value;
  return error;
}

Result<void> StateQuestion::begin() {
  Simulation::Impl& s = simulation_;
  for (const problem::InputSignal& signal : std::vector(info().input_signals)) {
    const Result<double> value = s.input(signal.input);
    if (!value) return value.error();
    if (Result<void> set = s.set_input(signal.input, *value); !set) return set;
  }
  Wanted wanted = s.variant().wanted();
  if (!wanted.contacts_apart && !wanted.baumgarte) return {};
  wanted.contacts_apart = wanted.baumgarte = false;
  const double time = s.time;
  const std::vector<double> y = s.state();
  s.adopt(s.model.state()->family->with(s.variant(), wanted));
  if (!s.variant().ok()) return model_error(s.model);
  s.time = time;
  s.y = y;
  s.fresh = false;
  return {};
}

Result<runtime::Equations*> StateQuestion::equations_at(double t, const std::vector<double>& y) {
  if (simulation_.made().beyond_dense() || simulation_.variant().layout().n_speeds > kernel::kMaxDenseRows)
    return Error{ErrorCode::too_large, "derivatives at a state are full matrices, of at most " +
                                           std::to_string(kernel::kMaxDenseRows) + " speeds and rows"};
  Result<runtime::Equations*> here = simulation_.equations_at(t, y);
  if (!here) return here;
  if (equations_ != *here) derivatives_.reset();
  equations_ = *here;
  if (Result<void> known = check_reactions(t); !known) return known.error();
  if (derivatives_) return here;
  derivatives_ = std::make_unique<runtime::ManifoldDerivatives>(
      simulation_.variant().partials(kernel::PartialsScope::manifold), *equations_, info());
  return here;
}

Result<void> StateQuestion::evaluate(double t, const std::vector<double>& y) {
  if (Result<runtime::Equations*> here = equations_at(t, y); !here) return here.error();
  if (Result<void> regular = check_ranks(t, y); !regular) return regular;
  if (Result<void> inside = check_contacts(t, y); !inside) return inside;
  if (!derivatives_->evaluate(t, y.data())) return undefined(t, y);
  if (const auto edge = derivatives_->discontinuity(t, y.data()))
    return refused(Kind::derivative_at_discontinuity, *edge, {}, t);
  return {};
}

Error StateQuestion::undefined(double t, const std::vector<double>& y) {
  return refused(Kind::derivative_undefined, derivatives_->failed(t, y.data()).value_or(Span{}), {}, t);
}

// A sliding friction with a limit of its own is a force like others.
Result<void> StateQuestion::check_reactions(double t) const {
  const problem::Events& events = info().events;
  if (!equations_->reaction_dependent().act(equations_->inputs())) return {};
  const problem::DiscreteState discrete = equations_->discrete_state(events);
  for (const problem::Friction& f : events.frictions)
    if (f.size && discrete.slides(f))
      return refused(Kind::derivative_by_reaction, info().rows[f.row].span, {"the friction " + quoted(f.name)}, t);
  if (events.reaction_dependent.empty()) return {};
  const problem::ReactionDependentForce& load = events.reaction_dependent.front();
  return refused(Kind::derivative_by_reaction, load.span, {"the load " + quoted(load.name)}, t);
}

// A row that is dependent here and independent at states nearby becomes dependent at this state.
Result<void> StateQuestion::check_ranks(double t, const std::vector<double>& y) {
  constexpr std::uint64_t kStates = 3;
  const std::size_t n_rows = info().rows.size();
  unique_multiplier_.assign(n_rows, true);
  if (n_rows == 0) return {};
  const std::vector<double> mask = equations_->mask;
  runtime::Doctor doctor(*equations_, info(), runtime::kRankTolerance);
  const problem::Level levels[] = {problem::Level::position, problem::Level::velocity, problem::Level::acceleration};
  std::vector<runtime::RankReport> here;
  for (const problem::Level level : levels) here.push_back(doctor.rows_at_level(t, y, level));
  for (std::size_t k = 0; k < n_rows; ++k) unique_multiplier_[k] = here.back().rows[k].multiplier_unique;
  std::optional<std::size_t> lost;
  std::vector<double> there;
  for (std::uint64_t k = 0; k < kStates && !lost; ++k) {
    if (!doctor.random_state(t, y, 0.01, k + 1, there)) continue;
    for (std::size_t level = 0; level < std::size(levels) && !lost; ++level) {
      const runtime::RankReport other = doctor.rows_at_level(t, there, levels[level]);
      for (std::size_t row = 0; row < n_rows && other.rank > here[level].rank && !lost; ++row)
        if (other.rows[row].state == runtime::RowState::independent &&
            here[level].rows[row].state != runtime::RowState::independent)
          lost = row;
    }
  }
  equations_->mask = mask;
  if (!lost) return {};
  return refused(Kind::derivative_at_singular, info().rows[*lost].span, {quoted(info().rows[*lost].name.text())}, t);
}

// Contacts are inside of their cones if they press, or have a gap.
Result<void> StateQuestion::check_contacts(double t, const std::vector<double>& y) {
  const problem::Events& events = info().events;
  if (!simulation_.has_contacts()) return {};
  std::vector<double> dy(y.size());
  const problem::DiscreteState discrete = equations_->discrete_state(events);
  runtime::ConstraintProjector projector(*equations_, info());
  projector.measure(t, at_rest(y, info()).data());
  equations_->rhs(t, y.data(), dy.data());
  runtime::shared_multipliers(*equations_, info(), t, y.data());
  equations_->outputs(t, y.data(), dy.data());
  const double* values = equations_->output_values() + events.first_value;
  double largest = 0;
  for (std::size_t k = 0; k < info().rows.size(); ++k) largest = std::max(largest, std::fabs(equations_->lambda()[k]));
  const double extent = projector.extent(true, y.data());
  for (const problem::Unilateral& u : events.unilaterals) {
    if (!discrete.is_enabled(u)) continue;
    const bool inside = discrete.is_active(u) ? equations_->lambda()[u.row] > runtime::kRoundedToZero * largest
                                              : values[u.gap] > runtime::kRoundedToZero * extent;
    if (!inside)
      return refused(Kind::derivative_at_contact, info().rows[u.row].span, {quoted(info().rows[u.row].name.text())}, t);
  }
  for (const problem::Friction& f : events.frictions) {
    if (!discrete.sticks(f)) continue;
    double force = 0;
    for (std::uint32_t k = 0; k < f.count; ++k) force = std::hypot(force, equations_->lambda()[f.row + k]);
    if (force >= (1 - runtime::kRoundedToZero) * values[f.still])
      return refused(Kind::derivative_at_contact, info().rows[f.row].span, {"the friction " + quoted(f.name)}, t);
  }
  return {};
}

bool StateQuestion::is_unique(std::uint32_t output) const {
  const std::vector<std::uint32_t> rows = derivatives_->multipliers_of_output(output);
  return std::all_of(rows.begin(), rows.end(), [this](std::uint32_t row) { return unique_multiplier_[row]; });
}

Quantity StateQuestion::displacement(std::uint32_t index) const {
  const auto n = static_cast<std::uint32_t>(info().speeds.size());
  if (index >= 2 * n) return quantity(info().states[index - 2 * n]);
  if (index >= n) return quantity(info().speeds[index - n]);
  const std::uint32_t q = info().coordinate_of_speed[index];
  if (q != problem::Problem::kNoCoordinate) return quantity(info().coordinates[q]);
  Quantity turn{"", info().time_unit.empty() ? "" : "1", "small rotation about an axis of the body"};
  for (const problem::Body& b : info().bodies)
    if (b.speeds() == 3 && index >= b.first_speed && index < b.first_speed + 3)
      turn.name = b.name + ".theta" + "xyz"[index - b.first_speed];
  return turn;
}

std::vector<Quantity> StateQuestion::directions() const {
  std::vector<Quantity> out;
  for (const std::uint32_t index : derivatives_->tangent().independent) out.push_back(displacement(index));
  return out;
}

}  // namespace mbc::api
