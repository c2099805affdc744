// SPDX-License-Identifier: Apache-2.0
#include "api/compare/method_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "api/simulation_impl.h"
#include "kernel/floating_point.h"
#include "runtime/constraints/doctor.h"

namespace mbc {

namespace {

constexpr double kRankTolerance = 1e-10;
// Residuals of a random state, relative to the largest coordinate: what is left of them is not the same for two
// representations of a body, so it would count as a difference of methods.
constexpr double kOnConstraints = 1e-12;
constexpr double kBatchSeconds = 2e-4;  // long for the clock, short for the system's other work
constexpr int kBatches = 25;
constexpr std::uint64_t kLongestBatch = 1u << 22;

bool holds(const sema::Model& model, graph::NodeId node, graph::LeafKind kind) {
  const std::vector<graph::NodeId> leaves = graph::leaves(model.graph, {&node, 1});
  return std::any_of(leaves.begin(), leaves.end(), [&](graph::NodeId id) { return model.graph.node(id).leaf == kind; });
}

ComparedColumns columns_of(const runtime::ModelInfo& info, const sema::Model& model) {
  using Kind = runtime::ModelInfo::Recorded::Kind;
  using Use = ComparedColumns::Use;
  ComparedColumns out;
  const auto add = [&](const runtime::ColumnInfo& c, Use use) { out.all.push_back({c.name, c.unit, use}); };
  for (const runtime::ModelInfo::Recorded& c : info.columns) switch (c.kind) {
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
      case Kind::output: {
        const sema::Output& o = model.outputs[c.index];
        add(info.outputs[c.index], !o.of_follower                                  ? Use::none
                                   : holds(model, o.value, graph::LeafKind::accel) ? Use::acceleration
                                   : holds(model, o.value, graph::LeafKind::speed) ? Use::speed
                                                                                   : Use::place);
        break;
      }
    }
  for (const runtime::BodyInfo& b : info.bodies)
    for (std::size_t k = 0; k + 4 <= out.all.size(); ++k)
      if (out.all[k].name == b.name + ".p0") out.quaternions.push_back(k);
  return out;
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
  columns_ = columns_of(facts.info, moving_.impl().shape().analysis().tree().model());
  info_ = facts.info;
  bodies_ = facts.info.bodies.empty() ? "" : settings::to_text(facts.bodies);
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
    return false;  // one row is all that is wanted
  });
  if (values.empty() || !columns_.all.empty()) return result;
  describe();
  initial_ = std::move(start);
  return result;
}

RunResult MethodRun::run(const Observer& row, const std::function<void(double t)>& progress, double& kinetic) {
  kinetic = 0;
  const runtime::Equations* equations = nullptr;  // known once the run has made them
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
  const runtime::ModelInfo& info = moving_.impl().facts().info;
  runtime::Doctor doctor(moving_.impl().ready(), info, kRankTolerance);
  std::vector<std::vector<double>> states;
  std::vector<double> y;
  nearest = 1;
  for (int k = 0; k < 2 * count && static_cast<int>(states.size()) < count && !(stop_ && *stop_); ++k) {
    if (!doctor.sample(span().begin, initial_, seed, static_cast<std::uint64_t>(k), y, kOnConstraints)) continue;
    states.push_back(y);
    if (info.rows.empty()) continue;
    const runtime::RankReport report = doctor.rows_at(span().begin, y);
    if (report.rank > 0) nearest = std::min(nearest, report.smallest_kept);
  }
  return states;
}

namespace {

// Momentum along a direction of the speeds by differences of the kinetic energy, which is quadratic in them: exact but
// for rounding, and for a step that makes both parts of T alike the rounding is that of sqrt(2 T c.Mc).
class Momentum {
 public:
  Momentum(runtime::Equations& equations, std::vector<std::pair<std::size_t, double>> direction)
      : equations_(equations), direction_(std::move(direction)), dy_(equations.layout().n_y()) {}

  double kinetic(double t, const std::vector<double>& y, double along) {
    moved_ = y;
    for (const auto& [speed, c] : direction_) moved_[equations_.layout().speeds_at() + speed] += along * c;
    equations_.outputs(t, moved_.data(), dy_.data());
    return equations_.kinetic();
  }
  // c.Mc at a state
  double inertia(double t, const std::vector<double>& y) {
    double h = 1;
    for (const auto& [speed, c] : direction_) h = std::max(h, std::fabs(y[equations_.layout().speeds_at() + speed]));
    return (kinetic(t, y, h) - 2 * kinetic(t, y, 0) + kinetic(t, y, -h)) / (h * h);
  }
  double value(double t, const std::vector<double>& y, double h) {
    return (kinetic(t, y, h) - kinetic(t, y, -h)) / (2 * h);
  }

 private:
  runtime::Equations& equations_;
  std::vector<std::pair<std::size_t, double>> direction_;
  std::vector<double> moved_, dy_;
};

}  // namespace

std::optional<double> MethodRun::momentum_error(const std::vector<ConservedMomentum>& momenta,
                                                const std::vector<State>& states) {
  const kernel::StrictFloatingPoint strict;
  std::optional<double> worst;
  for (const ConservedMomentum& m : momenta) {
    std::vector<std::pair<std::size_t, double>> direction;
    for (const auto& [name, c] : m.speeds)
      for (std::size_t j = 0; j < info_.speeds.size(); ++j)
        if (info_.speeds[j].name == name) direction.emplace_back(j, c);
    if (direction.size() != m.speeds.size() || states.empty()) continue;  // speeds of another representation
    Momentum momentum(moving_.impl().ready(), std::move(direction));
    double energy = 0, inertia = 0;
    for (const auto& [t, y] : states) {
      energy = std::max(energy, momentum.kinetic(t, y, 0));
      inertia = std::max(inertia, momentum.inertia(t, y));
    }
    const double bound = std::sqrt(2 * energy * inertia);
    if (!(bound > 0)) continue;  // nothing moves
    const double h = std::sqrt(2 * energy / inertia);
    const double first = momentum.value(states.front().first, states.front().second, h);
    for (const auto& [t, y] : states)
      worst = std::max(worst.value_or(0), std::fabs(momentum.value(t, y, h) - first) / bound);
  }
  return worst;
}

double MethodRun::rhs_seconds() {
  std::vector<double> values;
  look(initial_, values);  // rows certified at that state
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
