// SPDX-License-Identifier: Apache-2.0
#include "api/analysis/method_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "api/model/expression.h"
#include "api/simulation/simulation_impl.h"
#include "base/stop_flag.h"
#include "compiler/ad/forward.h"
#include "kernel/floating_point.h"
#include "runtime/constraints/doctor.h"
#include "runtime/equations/watched.h"

namespace mbc {

namespace {

constexpr double kRankTolerance = 1e-10;
// Residuals of a random state, relative to the largest coordinate. The remaining residuals differ between two
// representations of a body, so larger ones would count as a difference of methods.
constexpr double kOnConstraints = 1e-12;
constexpr double kBatchSeconds = 2e-4;  // long for the clock, short for other work of the system
constexpr int kBatches = 25;
constexpr std::uint64_t kLongestBatch = 1u << 22;

ComparedColumns columns_of(const problem::Problem& info, const sema::Model& model) {
  using Kind = problem::Recorded::Kind;
  using Use = ComparedColumns::Use;
  ComparedColumns out;
  const auto add = [&](const problem::Column& c, Use use) { out.all.push_back({c.name, c.unit, use}); };
  for (const problem::Recorded& c : info.columns) switch (c.kind) {
      case Kind::coordinate:
        add(info.coordinates[c.index], Use::place);
        break;
      case Kind::speed:
        add(info.speeds[c.index], Use::speed);
        break;
      case Kind::acceleration:
        add(info.accelerations[c.index], Use::acceleration);
        break;
      case Kind::state:
        add(info.states[c.index], Use::state);
        break;
      case Kind::held:
        add(info.held[c.index], Use::none);
        break;
      case Kind::event:
        add(info.event[c.index], Use::none);
        break;
      case Kind::output: {
        const sema::Output& o = model.outputs[c.index];
        add(info.outputs[c.index], !o.of_follower                                                 ? Use::none
                                   : graph::holds(model.graph, o.value, {graph::LeafKind::accel}) ? Use::acceleration
                                   : graph::holds(model.graph, o.value, {graph::LeafKind::speed}) ? Use::speed
                                                                                                  : Use::place);
        break;
      }
    }
  for (const problem::Body& b : info.bodies)
    for (std::size_t k = 0; k + 4 <= out.all.size(); ++k)
      if (out.all[k].name == b.name + ".p0") out.quaternions.push_back(k);
  return out;
}

// Returns the representations of free bodies, chosen by the block or by `coordinates` of the body.
std::string described(const std::vector<problem::Body>& bodies) {
  std::string text;
  for (std::size_t k = 0; k < settings::choices(settings::Key::bodies).size(); ++k) {
    const auto used = static_cast<settings::Representation>(k);
    if (std::any_of(bodies.begin(), bodies.end(), [used](const auto& b) { return b.representation == used; }))
      text += (text.empty() ? "" : " and ") + std::string(settings::to_text(used));
  }
  return text;
}

}  // namespace

std::vector<std::size_t> ComparedColumns::places_in(const ComparedColumns& other) const {
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < other.all.size(); ++k) places.emplace(other.all[k].name, k);
  std::vector<std::size_t> out;
  for (const Column& c : all) {
    const auto it = places.find(c.name);
    out.push_back(it == places.end() ? kMissing : it->second);
  }
  return out;
}

void MethodRun::describe() {
  const api::Facts& facts = moving_.impl().facts();
  columns_ = columns_of(facts.info, moving_.impl().variant().analysis().tree().model());
  info_ = facts.info;
  bodies_ = facts.bodies == settings::Representation::tree ? "tree" : described(facts.info.bodies);
}

RunResult MethodRun::look(const std::vector<double>& y, std::vector<double>& values) {
  const TimeSpan block = span();
  RunOptions options;
  options.simulation = simulation_;
  options.stop = stop_;
  if (moving_.model().time_span(simulation_)) options.span = {block.begin, block.begin + block.step};
  options.state = y;
  values.clear();
  std::vector<double> start;
  RunResult result = moving_.run(options, [&](const Row& row) {
    values.assign(row.values.begin(), row.values.end());
    start.assign(row.state.begin(), row.state.end());
    return false;  // one row is enough
  });
  if (values.empty() || !columns_.all.empty()) return result;
  describe();
  initial_ = std::move(start);
  return result;
}

std::vector<double> MethodRun::state_shown(const ComparedColumns& columns, const std::vector<double>& values) const {
  std::map<std::string, double> shown;
  for (std::size_t k = 0; k < values.size(); ++k) shown[columns.all[k].name] = values[k];
  std::vector<double> y = initial_;
  std::size_t entry = 0;
  for (const problem::Quantities* part : {&info_.coordinates, &info_.speeds, &info_.states})
    for (std::size_t k = 0; k < part->size(); ++k, ++entry)
      if (const auto at = shown.find((*part)[k].name.text()); at != shown.end()) y[entry] = at->second;
  return y;
}

RunResult MethodRun::run(const Observer& row, const std::function<void(double t)>& progress, double& kinetic) {
  kinetic = 0;
  const runtime::Equations* equations = nullptr;  // set when the run has made them
  RunOptions options;
  options.simulation = simulation_;
  options.stop = stop_;
  options.progress = progress;
  return moving_.run(options, [&](const Row& r) {
    if (!equations) equations = &moving_.impl().ready();
    kinetic = std::max(kinetic, equations->kinetic());
    return !row || row(r);
  });
}

std::vector<std::vector<double>> MethodRun::random_states(int count, std::uint64_t seed, double& nearest) {
  const kernel::StrictFloatingPoint strict;
  const problem::Problem& info = moving_.impl().facts().info;
  runtime::Doctor doctor(moving_.impl().ready(), info, kRankTolerance);
  std::vector<std::vector<double>> states;
  std::vector<double> y;
  nearest = 1;
  const runtime::Watched watched(moving_.impl().ready(), stop_);
  try {
    for (int k = 0; k < 2 * count && static_cast<int>(states.size()) < count && !is_set(stop_); ++k) {
      if (!doctor.sample(span().begin, initial_, seed, static_cast<std::uint64_t>(k), y, kOnConstraints)) continue;
      states.push_back(y);
      if (info.rows.empty()) continue;
      const runtime::RankReport report = doctor.rows_at(span().begin, y);
      if (report.rank > 0) nearest = std::min(nearest, report.smallest_kept);
    }
  } catch (const Interrupted&) {  // the states so far
  }
  return states;
}

namespace {

// The momentum c.(dT/du) along a direction c of the speeds, from the kinetic energy as the model writes it, which need
// not be quadratic in the speeds.
class Momentum {
 public:
  Momentum(api::Elaborated& energy, const std::vector<std::pair<std::size_t, double>>& direction)
      : model_(energy.model) {
    graph::Graph& g = model_.graph;
    const auto along = [&](const graph::Node& n) {
      for (const auto& [speed, c] : direction)
        if (n.leaf == graph::LeafKind::speed && n.a == speed) return g.constant(c);
      return graph::NodeId{};
    };
    nodes_ = energy.nodes;
    for (int k = 0; k < 2; ++k) nodes_.push_back(ad::derivative(g, {&nodes_.back(), 1}, along)[0]);
  }

  struct At {
    double energy = 0, momentum = 0, inertia = 0;  // T, c.T_u, c.T_uu c
  };
  [[nodiscard]] At at(const api::LeafValues& values) const {
    const std::vector<double> v = api::evaluate(model_, nodes_, values);
    return {v[0], v[1], v[2]};
  }

 private:
  sema::Model& model_;
  std::vector<graph::NodeId> nodes_;
};

// Returns the largest change of a momentum, relative to its bound; nothing if nothing moves.
std::optional<double> change_of(const Momentum& momentum, api::LeafValues values,
                                const std::vector<MethodRun::State>& states) {
  double energy = 0, inertia = 0, size = 0, change = 0;
  std::optional<double> first;
  for (const auto& [t, y] : states) {
    values.time = t;
    values.y = y;
    const Momentum::At at = momentum.at(values);
    first = first.value_or(at.momentum);
    energy = std::max(energy, std::fabs(at.energy));
    inertia = std::max(inertia, std::fabs(at.inertia));
    size = std::max(size, std::fabs(at.momentum));
    change = std::max(change, std::fabs(at.momentum - *first));
  }
  const double bound = std::max(std::sqrt(2 * energy * inertia), size);
  if (!(bound > 0)) return {};
  return change / bound;
}

}  // namespace

std::optional<double> MethodRun::momentum_error(const std::vector<ConservedMomentum>& momenta,
                                                const std::vector<State>& states) {
  const kernel::StrictFloatingPoint strict;
  std::optional<double> worst;
  if (momenta.empty() || states.empty()) return worst;
  Result<api::Elaborated> energy = api::elaborate(moving_.impl().variant(), "energy.kinetic");
  if (!energy) return worst;
  for (const ConservedMomentum& m : momenta) {
    std::vector<std::pair<std::size_t, double>> direction;
    for (const auto& [name, c] : m.speeds)
      for (std::size_t j = 0; j < info_.speeds.size(); ++j)
        if (info_.speeds[j].name == name) direction.emplace_back(j, c);
    if (direction.size() != m.speeds.size()) continue;  // speeds of another representation
    api::LeafValues values;
    values.params = moving_.impl().params;
    values.inputs = moving_.impl().inputs;
    const std::vector<double>& held = moving_.impl().held;
    values.inputs.insert(values.inputs.end(), held.begin(), held.end());
    if (const std::optional<double> change = change_of(Momentum(*energy, direction), std::move(values), states))
      worst = std::max(worst.value_or(0), *change);
  }
  return worst;
}

double MethodRun::rhs_seconds() {
  std::vector<double> values;
  look(initial_, values);  // certifies the rows at that state
  const kernel::StrictFloatingPoint strict;
  runtime::Equations& equations = moving_.impl().ready();
  const double t = span().begin;
  std::vector<double> dy(initial_.size());
  const auto batch = [&](std::uint64_t n) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t k = 0; k < n; ++k) equations.rhs(t, initial_.data(), dy.data());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::uint64_t n = 1;
  while (batch(n) < kBatchSeconds && n < kLongestBatch) n *= 2;
  double best = batch(n);
  for (int k = 1; k < kBatches; ++k) best = std::min(best, batch(n));
  return best / static_cast<double>(n);
}

}  // namespace mbc
