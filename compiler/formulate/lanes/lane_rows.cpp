// SPDX-License-Identifier: Apache-2.0
// The rows: A, r = b - A M^-1 f and S_kk of each, S_kl of those that share speeds.
#include <algorithm>
#include <cstring>

#include "compiler/formulate/lanes/lane_kernel.h"
#include "compiler/formulate/solve/row_factors.h"

namespace mbc::formulate {

using graph::Graph;
using graph::NodeId;
using kernel::Space;
using lower::Contribution;
using lower::Target;

namespace {

constexpr std::size_t kMostTemplates = 64;

void append(std::string& key, const void* data, std::size_t size) { key.append(static_cast<const char*>(data), size); }
template <class T>
void append(std::string& key, T value) {
  append(key, &value, sizeof value);
}

// sum of coefficient * value: equal coefficients taken together, terms in order of their keys, or the other way round
// where the graph has that sum already.
template <class Key>
NodeId collect(Graph& g, const std::map<Key, double>& coefficient, const std::map<Key, NodeId>& value) {
  using Term = std::pair<bool, NodeId>;  // subtracted?
  std::vector<std::pair<double, std::vector<Term>>> groups;
  for (const auto& [key, c] : coefficient) {
    if (c == 0) continue;
    const double size = c < 0 ? -c : c;
    std::size_t at = 0;
    while (at < groups.size() && groups[at].first != size) ++at;
    if (at == groups.size()) groups.push_back({size, {}});
    groups[at].second.push_back({c < 0, value.at(key)});
  }
  const auto sum = [&g](const std::vector<Term>& terms) {
    NodeId total = g.zero();
    for (const auto& [minus, term] : terms) total = minus ? g.sub(total, term) : g.add(total, term);
    return total;
  };
  NodeId total = g.zero();
  for (auto& [size, terms] : groups) {
    const std::uint32_t before = g.size();
    const NodeId forward = sum(terms);
    const std::uint32_t between = g.size();
    std::reverse(terms.begin(), terms.end());
    const NodeId backward = sum(terms);
    const bool shorter = g.size() - between < between - before;
    total = g.add(total, g.mul(g.constant(size), shorter ? backward : forward));
  }
  return total;
}

// Whether the square of a value is there already (the value of a distance is made of some).
bool squared(Graph& g, NodeId value) {
  const std::uint32_t before = g.size();
  g.mul(value, value);
  return g.size() == before;
}

struct RowValues {
  RowFactor factor;
  NodeId residual;
  std::vector<NodeId> bases;
  std::vector<std::uint32_t> base;  // by contribution of jacobian
  std::vector<double> sign;
  NodeId right_side;
};

std::optional<Target> level_of(LaneStage::Wanted wanted) {
  if (wanted == LaneStage::Wanted::motion || wanted == LaneStage::Wanted::full) return {};
  return wanted == LaneStage::Wanted::position ? Target::position_residual : Target::velocity_residual;
}

// Whether b = -a by their form.
bool opposite(const Graph& g, NodeId a, NodeId b) {
  const Scaled x = split(g, a), y = split(g, b);
  if (x.c != 1 || y.c != 1) return x.c == -y.c ? x.x == y.x : x.c == y.c && opposite(g, x.x, y.x);
  const graph::Node &m = g.node(a), &n = g.node(b);
  if (m.op != n.op) return false;
  if (m.op == graph::Op::sub) return m.a == n.b && m.b == n.a;
  if (m.op != graph::Op::mul) return false;
  return (m.a == n.a && opposite(g, {m.b}, {n.b})) || (m.b == n.b && opposite(g, {m.a}, {n.a})) ||
         (m.a == n.b && opposite(g, {m.b}, {n.a})) || (m.b == n.a && opposite(g, {m.a}, {n.b}));
}

// The row divided by what its entries share, entries that differ in sign only once.
RowValues row_values(Graph& g, const lower::Part& part, LaneStage::Wanted wanted = LaneStage::Wanted::motion) {
  RowValues out;
  SparseRow row;
  out.right_side = g.zero();
  for (const Contribution& c : part.contributions) {
    if (c.target == Target::jacobian) row[static_cast<std::uint32_t>(row.size())] = c.value;
    if (c.target == Target::right_side) out.right_side = c.value;
    if (c.target == level_of(wanted)) out.residual = c.value;
  }
  out.factor = divide_by_common_factor(g, row, out.right_side);
  if (out.residual.valid())
    out.right_side = g.neg(out.factor.inverse.valid() ? g.mul(out.residual, out.factor.inverse) : out.residual);
  std::vector<NodeId> entries;
  for (const auto& [x, value] : row) entries.push_back(value);
  for (NodeId e : entries) {
    std::uint32_t k = 0;
    while (k < out.bases.size() && e != out.bases[k] && !opposite(g, e, out.bases[k])) ++k;
    if (k == out.bases.size())
      out.bases.push_back(e);
    else if (!squared(g, out.bases[k]) && squared(g, e))
      out.bases[k] = e;
    out.base.push_back(k);
  }
  for (std::size_t x = 0; x < entries.size(); ++x)
    out.sign.push_back(entries[x] == out.bases[out.base[x]] ? 1.0 : -1.0);
  return out;
}

}  // namespace

void LaneStage::make_room() {
  const LanePartition& p = c_.partition;
  instance_of_row_.assign(c_.system.n_rows, {nullptr, 0});
  entries_.resize(c_.system.n_rows);
  for (const lower::Part& part : c_.system.parts) {
    if (std::string_view(part.what) != "constraint") continue;
    Graph scratch = part.family.shape.graph;
    const RowValues values = row_values(scratch, part);
    shapes_[&part] = {values.base, values.sign, static_cast<std::uint32_t>(values.bases.size())};
    for (std::uint32_t k = 0; k < part.family.count; ++k) {
      const std::uint32_t row = part.family.items[k];
      instance_of_row_[row] = {&part, k};
      std::size_t x = 0;
      for (const Contribution& c : part.contributions)
        if (c.target == Target::jacobian) {
          entries_[row].push_back({part.family.index(k, c.i), values.base[x], values.sign[x]});
          ++x;
        }
    }
  }
  for (const auto& [part, unused] : instance_of_row_) possible_ = possible_ && part != nullptr;
  if (!possible_) return;
  // entries of A: of each local row, as many as its largest instance has; of the tail row by row
  std::uint32_t in_lanes = 0, in_tail = 0;
  for (const Across& rows : p.rows) {
    std::uint32_t most = 0;
    for (std::uint32_t row : rows) most = std::max(most, shapes_.at(instance_of_row_[row].first).bases);
    base_begin_.push_back(in_lanes);
    in_lanes += most;
  }
  for (const auto* rows : {&p.tail, &p.extra})
    for (std::uint32_t row : *rows) {
      base_begin_.push_back(in_tail);
      in_tail += shapes_.at(instance_of_row_[row].first).bases;
    }
  plan_elimination();
  const auto n = static_cast<std::uint32_t>(p.rows.size()), roles = static_cast<std::uint32_t>(p.roles.size());
  const auto tail = static_cast<std::uint32_t>(p.tail.size() + p.extra.size());
  const auto lanes = [&](const char* name, std::size_t size) {
    return c_.room(name, static_cast<std::uint32_t>(size) * kLanes);
  };
  q_ = lanes("lanes.q", p.coordinates.size());
  u_ = lanes("lanes.u", p.speeds.size());
  A_ = lanes("lanes.A", in_lanes);
  r_ = lanes("lanes.r", n);
  S_ = lanes("lanes.S", n);
  scale_ = lanes("lanes.scale", n);
  pivot_inverse_ = lanes("lanes.inverse", n);
  coupling_ = lanes("lanes.coupling", reach_begin_.back());
  lambda_ = lanes("lanes.lambda", n);
  role_coupling_ = lanes("lanes.tail.S", std::size_t{roles} * (roles + 1) / 2);
  role_r_ = lanes("lanes.tail.r", roles);
  role_lambda_ = lanes("lanes.tail.lambda", roles);
  acceleration_ = lanes("lanes.u'", p.speeds.size());
  tail_A_ = c_.room("tail.A", in_tail);
  tail_r_ = c_.room("tail.r", tail);
  tail_S_ = c_.room("tail.S", tail);
  tail_scale_ = c_.room("tail.scale", tail);
  tail_coupling_ = c_.room("tail.coupling", static_cast<std::uint32_t>(tail_pair_.size()));
  tail_lambda_ = c_.room("tail.lambda", tail);
  row_inverse_ = lanes("lanes.factor", n);
  tail_row_inverse_ = c_.room("tail.factor", tail);
  guard_ = c_.room("lanes.guard", tail);
  if (all_literal_) return;
  force_ = c_.room("lanes.f", c_.system.n_speeds);
  free_at_ = c_.room("lanes.free", c_.system.n_speeds);
}

// Instances that become one template: the same statement, inertia and places of the same kinds.
LaneStage::Group& LaneStage::row_group(Groups& groups, const lower::Part& part, std::uint32_t instance) {
  const auto n_slots = static_cast<std::uint32_t>(part.family.shape.slots.size());
  const std::uint32_t row = part.family.items[instance];
  std::string key;
  append(key, &part - c_.system.parts.data());
  for (std::uint32_t s = 0; s < n_slots; ++s) append(key, place_of(part, instance, s).space);
  const std::vector<Entry>& entries = entries_[row];
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> S;  // by pair of bases
  std::map<std::uint32_t, double> a;                            // by base: what M^-1 f adds up to, where literal
  std::vector<std::size_t> unknown;                             // entries whose M^-1 f is not
  for (std::size_t x = 0; x < entries.size(); ++x) {
    const Entry& e = entries[x];
    for (const Entry& o : entries)
      S[{std::min(e.base, o.base), std::max(e.base, o.base)}] += e.sign * o.sign * inverse(e.speed, o.speed);
    if (known(e.speed))
      a[e.base] += e.sign * free(e.speed);
    else
      unknown.push_back(x);
  }
  for (const auto& [pair, w] : S) append(key, w);
  for (const auto& [base, w] : a) append(key, w);
  for (std::size_t x : unknown) append(key, x);
  Group& group = groups[key];
  if (group.code) return group;

  group.code = std::make_unique<LaneTemplate>(part.what);
  LaneTemplate& code = *group.code;
  code.graph = part.family.shape.graph;
  Graph& g = code.graph;
  for (std::uint32_t s = 0; s < n_slots; ++s) code.column(place_of(part, instance, s).space);
  const RowValues values = row_values(g, part, wanted_);
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> products;
  std::map<std::uint32_t, NodeId> bases;
  for (const auto& [pair, w] : S) products[pair] = g.mul(values.bases[pair.first], values.bases[pair.second]);
  for (const auto& [base, w] : a) bases[base] = values.bases[base];
  const NodeId diagonal = collect(g, S, products);
  NodeId r = g.sub(values.right_side, collect(g, a, bases));
  for (NodeId base : values.bases) {
    code.store(code.column(Space::work), base);
  }
  for (std::size_t x : unknown) {
    const NodeId term = g.mul(values.bases[entries[x].base], code.load(Space::work));
    r = entries[x].sign < 0 ? g.add(r, term) : g.sub(r, term);
  }
  std::vector<NodeId> results{r, diagonal, diagonal};
  const NodeId size = values.factor.square.valid() ? g.mul(diagonal, values.factor.square) : diagonal;
  if (!motion()) results.insert(results.end(), {values.residual, size, size});
  if (wanted_ == Wanted::full)
    results.insert(results.end(), {size, values.factor.inverse.valid() ? values.factor.inverse : g.one()});
  for (const NodeId value : results) {
    code.store(code.column(Space::work), value);
  }
  return group;
}

void LaneStage::add_row(Groups& groups, const Across& rows, std::uint32_t lanes, std::uint32_t run) {
  std::vector<Group*> group;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const auto& [part, instance] = instance_of_row_[rows[lane]];
    group.push_back(&row_group(groups, *part, instance));
  }
  for (std::uint32_t lane = 1; lane < lanes; ++lane)
    if (group[lane] != group[0]) {
      for (std::uint32_t row : rows) add_row(groups, {row}, 1);
      return;
    }
  std::vector<std::vector<std::uint32_t>> places(lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::uint32_t row = rows[lane];
    const auto& [part, instance] = instance_of_row_[row];
    std::vector<std::uint32_t>& at = places[lane];
    for (std::uint32_t s = 0; s < part->family.shape.slots.size(); ++s)
      at.push_back(place_of(*part, instance, s).index);
    for (std::uint32_t k = 0; k < shapes_.at(part).bases; ++k) at.push_back(base_place(row, k));
    for (const Entry& e : entries_[row])
      if (!known(e.speed)) at.push_back(speed_place(free_at_, e.speed));
    at.push_back(row_place(r_, tail_r_, row));
    at.push_back(row_place(S_, tail_S_, row));
    at.push_back(row_place(scale_, tail_scale_, row));
    const SystemLayout& l = c_.layout;
    if (wanted_ == Wanted::full) {
      at.push_back(l.pivot_scale + row);
      at.push_back(row_place(row_inverse_, tail_row_inverse_, row));
    }
    if (motion()) continue;
    at.push_back((wanted_ == Wanted::position ? l.position_residual : l.velocity_residual) + row);
    at.push_back(l.pivot_scale + row);
    at.push_back(l.pivot + row);
  }
  add_places(*group[0]->code, places, run);
}

bool LaneStage::has(Wanted level) const {
  for (const auto& [part, shape] : shapes_) {
    bool there = false;
    for (const Contribution& c : part->contributions) there = there || c.target == level_of(level);
    if (!there) return false;
  }
  return true;
}

void LaneStage::rows(kernel::Function& f) {
  Groups groups;
  std::uint32_t local = 0;  // rows of a lane are numbered from both ends in turn
  for (const Across& rows : c_.partition.rows) add_row(groups, rows, kLanes, local++ % 2);
  for (const auto* rows : {&c_.partition.tail, &c_.partition.extra})
    for (std::uint32_t row : *rows) add_row(groups, {row}, 1);
  possible_ = possible_ && groups.size() <= kMostTemplates;
  for (const auto& [key, group] : groups) group.code->emit(f);
}

void LaneStage::add_coupling(Groups& groups, const Across& rows, const Across& others, std::uint32_t lanes,
                             std::uint32_t run) {
  using Coefficients = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;
  const auto coefficients = [&](std::uint32_t row, std::uint32_t other) {
    Coefficients out;
    for (const Entry& e : entries_[row])
      for (const Entry& o : entries_[other])
        if (const double w = inverse(e.speed, o.speed); w != 0) out[{e.base, o.base}] += e.sign * o.sign * w;
    return out;
  };
  const Coefficients wanted = coefficients(rows[0], others[0]);
  for (std::uint32_t lane = 1; lane < lanes; ++lane)
    if (coefficients(rows[lane], others[lane]) != wanted) {
      for (std::uint32_t k = 0; k < lanes; ++k) add_coupling(groups, {rows[k]}, {others[k]}, 1);
      return;
    }
  std::string key;
  for (const auto& [pair, w] : wanted) {
    append(key, pair);
    append(key, w);
  }
  std::vector<std::uint32_t> first, second;  // bases, in the order of their columns
  for (const auto& [pair, w] : wanted) {
    if (std::find(first.begin(), first.end(), pair.first) == first.end()) first.push_back(pair.first);
    if (std::find(second.begin(), second.end(), pair.second) == second.end()) second.push_back(pair.second);
  }
  Group& group = groups[key];
  if (!group.code) {
    group.code = std::make_unique<LaneTemplate>("coupling");
    LaneTemplate& code = *group.code;
    std::map<std::uint32_t, NodeId> a, b;
    for (std::uint32_t base : first) a[base] = code.load(Space::work);
    for (std::uint32_t base : second) b[base] = code.load(Space::work);
    std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> products;
    for (const auto& [pair, w] : wanted) products[pair] = code.graph.mul(a[pair.first], b[pair.second]);
    const NodeId value = collect(code.graph, wanted, products);
    code.store(code.column(Space::work), value);
  }
  std::vector<std::vector<std::uint32_t>> places(lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    for (std::uint32_t base : first) places[lane].push_back(base_place(rows[lane], base));
    for (std::uint32_t base : second) places[lane].push_back(base_place(others[lane], base));
    places[lane].push_back(coupling_place(rows[lane], others[lane]));
  }
  add_places(*group.code, places, run);
}

void LaneStage::couplings(kernel::Function& f) {
  const LanePartition& p = c_.partition;
  const auto n = static_cast<std::uint32_t>(p.rows.size());
  Groups groups;
  for (std::uint32_t s = 0; s < n; ++s)
    for (std::uint32_t name : coupled_[s]) {
      Across others{};
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        others[lane] = name < n ? p.rows[name][lane] : p.tail[p.roles[name - n][lane]];
      add_coupling(groups, p.rows[s], others, kLanes, s % 2);
    }
  for (const auto& [pair, unused] : tail_pair_) add_coupling(groups, {p.tail[pair.first]}, {p.tail[pair.second]}, 1);
  possible_ = possible_ && groups.size() <= kMostTemplates;
  for (const auto& [key, group] : groups) group.code->emit(f);
}

}  // namespace mbc::formulate
