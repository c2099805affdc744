// SPDX-License-Identifier: Apache-2.0
#include "api/simulation/exchange.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "api/model/guard.h"
#include "api/model/settings.h"
#include "api/simulation/simulation_impl.h"
#include "runtime/run/model_exchange.h"

namespace mbc::api {
namespace {

// Returns the current motion, or a new one from that time and state if parameters were set.
Result<runtime::ModelExchange*> exchange_at(Simulation::Impl& impl, double t, std::span<const double> y) {
  if (Result<void> fits = impl.check_state(t, y); !fits) return fits.error();
  if (impl.motion && impl.motion->exchange() != nullptr) return impl.motion->exchange();
  impl.time = t;
  impl.y.assign(y.begin(), y.end());
  impl.fresh = false;
  impl.take_gains();
  impl.complete_inertia(t, impl.y);
  impl.model_exchange = true;
  if (impl.y.size() != y.size()) return Error{ErrorCode::wrong_size, "the model has another state with these values"};
  impl.motion = impl.make_motion();
  if (impl.motion->begin()) {
    impl.take_discrete_state(impl.motion->equations());
    return impl.motion->exchange();
  }
  if (const auto& ended = impl.motion->data().ended_by) {
    const Error why{ErrorCode::stopped, "the motion has ended: " + printable(*ended)};
    impl.motion.reset();
    return why;
  }
  const Error why = impl.error_of(impl.motion->data());
  impl.motion.reset();
  return why;
}

Error undefined_there(const Simulation::Impl& impl, const runtime::ModelExchange& exchange) {
  if (!exchange.why()) return {ErrorCode::undefined_value, "the motion has no rate here"};
  return impl.error_of(*exchange.why());
}

template <class Call>
auto at(Simulation& simulation, double t, std::span<const double> y, Call&& call) {
  Simulation::Impl& impl = simulation.impl();
  using Answer = decltype(call(impl, std::declval<runtime::ModelExchange&>()));
  return guarded([&]() -> Answer {
    Result<runtime::ModelExchange*> exchange = exchange_at(impl, t, y);
    if (!exchange) return exchange.error();
    return call(impl, **exchange);
  });
}

}  // namespace

Result<void> begin_exchange(Simulation& simulation) {
  Simulation::Impl& impl = simulation.impl();
  return guarded([&]() -> Result<void> {
    impl.motion.reset();
    const std::vector<double> y = impl.state();
    const Result<runtime::ModelExchange*> exchange = exchange_at(impl, impl.time, y);
    if (!exchange) return exchange.error();
    return {};
  });
}

Result<void> exchange_rate(Simulation& simulation, double t, std::span<const double> y, std::span<double> dy) {
  return at(simulation, t, y, [&](Simulation::Impl& impl, runtime::ModelExchange& exchange) -> Result<void> {
    if (dy.size() != y.size()) return Error{ErrorCode::wrong_size, "a rate has as many entries as the state"};
    if (!exchange.rate(t, y.data(), dy.data())) return undefined_there(impl, exchange);
    return {};
  });
}

Result<void> exchange_indicators(Simulation& simulation, double t, std::span<const double> y, std::span<double> out) {
  return at(simulation, t, y, [&](Simulation::Impl& impl, runtime::ModelExchange& exchange) -> Result<void> {
    std::fill(out.begin(), out.end(), 1.0);
    if (out.size() < exchange.indicator_count())
      return Error{ErrorCode::wrong_size, "there are " + std::to_string(exchange.indicator_count()) + " indicators"};
    if (!exchange.indicators(t, y.data(), out.data())) return undefined_there(impl, exchange);
    return {};
  });
}

Result<std::vector<double>> exchange_columns(Simulation& simulation, double t, std::span<const double> y) {
  return at(simulation, t, y,
            [&](Simulation::Impl& impl, runtime::ModelExchange& exchange) -> Result<std::vector<double>> {
              if (!exchange.look(t, y.data())) return undefined_there(impl, exchange);
              // The state of the simulation is that of the run; it is restored afterwards.
              const double time = std::exchange(impl.time, t);
              const std::vector<double> state = std::exchange(impl.y, exchange.looked());
              Result<std::vector<double>> values = impl.columns();
              impl.time = time;
              impl.y = state;
              return values;
            });
}

Result<double> complete_step(Simulation& simulation, double t, std::span<const double> y) {
  return at(simulation, t, y, [&](Simulation::Impl& impl, runtime::ModelExchange& exchange) -> Result<double> {
    double off = 0;
    if (!exchange.completed(t, y.data(), off)) return impl.error_of(impl.motion->data());
    impl.time = t;
    return off;
  });
}

double constraint_tolerance(Simulation& simulation) {
  return settings_of(simulation.impl().chosen_block(), {}).tolerance;
}

Result<Instant> make_instant(Simulation& simulation, double t, std::span<const double> y) {
  return at(simulation, t, y, [&](Simulation::Impl& impl, runtime::ModelExchange& exchange) -> Result<Instant> {
    Instant out;
    const std::vector<double> before(y.begin(), y.end());
    const std::vector<double> held = impl.held;
    const std::uint64_t kinks = impl.motion->data().kinks;
    const bool good = exchange.instant(t, before.data());
    impl.time = t;
    impl.take_discrete_state(impl.motion->equations());
    if (const auto& ended = impl.motion->data().ended_by)
      out.ended = *ended;
    else if (!good)
      return impl.error_of(impl.motion->data());
    out.moved = impl.y != before || impl.held != held || impl.motion->data().kinks != kinks;
    out.next = exchange.next_time();
    return out;
  });
}

// ---- what it consists of

namespace {

Model as_simulated(const Model& model, const std::string& block) {
  if (block.empty()) return model;
  const Result<Model> shaped = model.shaped(block);
  return shaped && shaped->ok() ? *shaped : model;
}

}  // namespace

// Nominal values are the largest initial values in the same unit, unless they are below 1.
std::vector<StateEntry> state_entries(const Model& given, const std::string& block) {
  const Model model = as_simulated(given, block);
  std::vector<StateEntry> out;
  for (const std::vector<Quantity>& list : {model.coordinates(), model.speeds(), model.states()})
    for (const Quantity& q : list) out.push_back({q.name, q.unit, 1});
  const std::string energy = model.time_unit().empty() ? "" : "J";
  for (std::size_t k = 0; out.size() < model.state_size(); ++k)
    out.push_back({"work[" + std::to_string(k) + "]", energy});
  Result<Simulation> simulation = Simulation::create(model, block);
  if (!simulation) return out;
  const std::vector<double> y = simulation->state();
  std::map<std::string, double> largest;
  for (std::size_t k = 0; k < std::min(y.size(), out.size()); ++k)
    if (std::isfinite(y[k])) largest[out[k].unit] = std::max(largest[out[k].unit], std::fabs(y[k]));
  for (StateEntry& e : out)
    if (largest[e.unit] > 1e-12) e.nominal = largest[e.unit];
  return out;
}

namespace {

// Returns the indices of the events that have indicators.
std::vector<std::size_t> indicated_events(const EquationVariant& variant, const std::string& block) {
  const problem::Events& events = variant.facts().info.events;
  sema::Simulation chosen = usual_block();
  for (const sema::Simulation& s : variant.facts().simulations)
    if (s.name == block) chosen = s;
  const bool kinks = settings_of(chosen, {}).locates_kinks;
  std::vector<std::size_t> out;
  if (events.empty() && !(kinks && events.has_kinks())) return out;
  for (std::size_t k = 0; k < events.list.size(); ++k)
    if (events.list[k].followed(kinks)) out.push_back(k);
  return out;
}

// Returns the dependencies of expressions of the model.
std::optional<Knowns> knowns_of(const sema::Model& m, const kernel::SystemLayout& l,
                                const std::vector<graph::NodeId>& roots) {
  Knowns out;
  for (const graph::Node& leaf : graph::leaves(m.graph, roots)) {
    switch (leaf.leaf) {
      case graph::LeafKind::time:
        out.time = true;
        break;
      case graph::LeafKind::coordinate:
        out.states.push_back(leaf.a);
        break;
      case graph::LeafKind::speed:
        out.states.push_back(l.speeds_at() + leaf.a);
        break;
      case graph::LeafKind::state:
        out.states.push_back(l.states_at() + leaf.a);
        break;
      case graph::LeafKind::input:  // the inputs after them are the discrete state
        if (leaf.a < m.inputs.size()) out.inputs.push_back(leaf.a);
        break;
      case graph::LeafKind::param:
        break;
      case graph::LeafKind::accel:
      case graph::LeafKind::state_rate:
      case graph::LeafKind::slot_constant:
      case graph::LeafKind::multiplier:
      case graph::LeafKind::ideal:
      case graph::LeafKind::mask:
        return {};
    }
  }
  std::sort(out.states.begin(), out.states.end());
  std::sort(out.inputs.begin(), out.inputs.end());
  return out;
}

}  // namespace

std::vector<std::string> indicator_names(const Model& given, const std::string& block) {
  const Model model = as_simulated(given, block);
  const EquationVariant& variant = *model.state()->variant;
  std::vector<std::string> out;
  for (const std::size_t k : indicated_events(variant, block)) out.push_back(variant.facts().info.events.list[k].name);
  return out;
}

Dependencies dependencies(const Model& given, const std::string& block) {
  const Model model = as_simulated(given, block);
  const EquationVariant& variant = *model.state()->variant;
  const kernel::SystemLayout& l = variant.layout();
  const std::vector<std::size_t> events = indicated_events(variant, block);
  Dependencies out;
  out.rates.resize(l.n_y());
  out.indicators.resize(events.size());
  if (l.n_rows > 0 || !variant.facts().info.quaternions.empty()) return out;
  if (!variant.facts().signals.inputs.empty()) return out;  // a host that sets one of them gets another variant
  const AnalysedText::Tree tree = variant.analysis().tree();
  const sema::Model& m = tree.model();
  for (std::size_t k = 0; k < m.coordinates.size(); ++k) out.rates[k] = knowns_of(m, l, {m.coordinates[k].rate});
  for (std::size_t k = 0; k < m.states.size(); ++k) out.rates[l.states_at() + k] = knowns_of(m, l, {m.states[k].rate});
  for (const sema::Output& o : m.outputs)
    if (std::optional<Knowns> knowns = knowns_of(m, l, {o.value})) out.outputs.emplace(o.name, *std::move(knowns));
  for (std::size_t k = 0; k < events.size(); ++k) {
    const problem::Event& e = variant.facts().info.events.list[events[k]];
    std::vector<graph::NodeId> roots = {m.event_values[e.value]};
    for (const problem::ConditionTerm& c : e.terms)
      if (c.kind == problem::ConditionTerm::Kind::comparison || c.kind == problem::ConditionTerm::Kind::exact)
        roots.push_back(m.event_values[c.value]);
    if (!e.kink) out.indicators[k] = knowns_of(m, l, roots);
  }
  return out;
}

}  // namespace mbc::api
