// SPDX-License-Identifier: Apache-2.0
// Rows: A, r = b - A M^-1 f and S_kk of each, S_kl of those that share speeds.
#include "compiler/formulate/lanes/lane_rows.h"

#include <algorithm>
#include <map>

namespace mbc::formulate {

namespace {

constexpr std::size_t kMostTemplates = 64;
constexpr const char* kCoupling = "coupling";

using Entry = LaneRowTable::Entry;
using BasePair = std::pair<std::uint32_t, std::uint32_t>;
template <class Key>
using Coefficients = std::map<Key, Literal>;  // known factors of the values of templates

// Returns the sum of coefficient * value. Terms with equal coefficients are grouped and ordered by their keys, or in
// reverse order if the graph already has that sum.
template <class Key>
NodeId collect(Graph& g, const Coefficients<Key>& coefficient, const std::map<Key, NodeId>& value) {
  using Term = std::pair<bool, NodeId>;  // subtracted?
  std::vector<std::pair<double, std::vector<Term>>> groups;
  for (const auto& [key, literal] : coefficient) {
    const double c = literal.value;
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

// ---- rows

// The key of instances that share a template: the same statement, inertia, and places of the same kinds.
struct RowKey {
  const Part* part = nullptr;        // ordered as the system's parts, which are one array
  std::vector<Space> spaces;         // by slot
  Coefficients<BasePair> S;          // S_kk = sum of S times products of bases
  Coefficients<std::uint32_t> a;     // A M^-1 f as far as it is literal, by base
  std::vector<std::size_t> unknown;  // entries whose M^-1 f is not literal

  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

class RowWriter {
 public:
  explicit RowWriter(const LaneContext& c) : c_(c) {}

  void add(const Across& rows, std::uint32_t lanes, std::uint32_t run = 0);
  [[nodiscard]] const LaneTemplates<RowKey>& templates() const { return templates_; }

 private:
  [[nodiscard]] RowKey key_of(std::uint32_t row) const;
  LaneTemplate& template_of(std::uint32_t row);
  void write(LaneTemplate& code, const RowKey& key, std::uint32_t row) const;
  void store_results(LaneTemplate& code, const RowValues& values, NodeId r, NodeId diagonal) const;
  [[nodiscard]] std::vector<std::uint32_t> places_of(std::uint32_t row) const;

  const LaneContext& c_;
  LaneTemplates<RowKey> templates_;
};

RowKey RowWriter::key_of(std::uint32_t row) const {
  const LaneRowTable::Instance& instance = c_.rows.instance(row);
  RowKey key;
  key.part = instance.part;
  for (std::uint32_t s = 0; s < key.part->family.shape.slots.size(); ++s)
    key.spaces.push_back(c_.places.of_slot(*key.part, instance.number, s).space);
  const std::vector<Entry>& entries = c_.rows.entries(row);
  for (std::size_t x = 0; x < entries.size(); ++x) {
    const Entry& e = entries[x];
    for (const Entry& o : entries)
      key.S[{std::min(e.base, o.base), std::max(e.base, o.base)}].value +=
          e.sign * o.sign * c_.inertia.inverse(e.speed, o.speed);
    if (c_.known(e.speed))
      key.a[e.base].value += e.sign * c_.free(e.speed);
    else
      key.unknown.push_back(x);
  }
  return key;
}

LaneTemplate& RowWriter::template_of(std::uint32_t row) {
  const RowKey key = key_of(row);
  return templates_.of(key, key.part->what, [&](LaneTemplate& code) { write(code, key, row); });
}

// Writes a template. Columns: slots, bases, M^-1 f where it is not literal, results.
void RowWriter::write(LaneTemplate& code, const RowKey& key, std::uint32_t row) const {
  code.graph = key.part->family.shape.graph;
  Graph& g = code.graph;
  for (const Space space : key.spaces) code.column(space);
  const RowValues values = row_values(g, *key.part, c_.wanted);
  std::map<BasePair, NodeId> products;
  std::map<std::uint32_t, NodeId> bases;
  for (const auto& [pair, w] : key.S) products[pair] = g.mul(values.bases[pair.first], values.bases[pair.second]);
  for (const auto& [base, w] : key.a) bases[base] = values.bases[base];
  const NodeId diagonal = collect(g, key.S, products);
  NodeId r = g.sub(values.right_side, collect(g, key.a, bases));
  for (NodeId base : values.bases) code.store(code.column(Space::work), base);
  const std::vector<Entry>& entries = c_.rows.entries(row);
  for (std::size_t x : key.unknown) {
    const NodeId term = g.mul(values.bases[entries[x].base], code.load(Space::work));
    r = entries[x].sign < 0 ? g.add(r, term) : g.sub(r, term);
  }
  store_results(code, values, r, diagonal);
}

// Stores the results in the order of the last places of places_of().
void RowWriter::store_results(LaneTemplate& code, const RowValues& values, NodeId r, NodeId diagonal) const {
  Graph& g = code.graph;
  std::vector<NodeId> results{r, diagonal, diagonal};
  const NodeId size = values.factor.square.valid() ? g.mul(diagonal, values.factor.square) : diagonal;
  if (!c_.motion()) results.insert(results.end(), {values.residual, size, size});
  if (c_.wanted == LaneFunction::full)
    results.insert(results.end(), {size, values.factor.inverse.valid() ? values.factor.inverse : g.one()});
  for (const NodeId value : results) code.store(code.column(Space::work), value);
}

std::vector<std::uint32_t> RowWriter::places_of(std::uint32_t row) const {
  const LanePlaces& to = c_.places;
  const SystemLayout& l = c_.s.layout;
  const LaneRowTable::Instance& instance = c_.rows.instance(row);
  std::vector<std::uint32_t> at;
  for (std::uint32_t s = 0; s < instance.part->family.shape.slots.size(); ++s)
    at.push_back(to.of_slot(*instance.part, instance.number, s).index);
  for (std::uint32_t k = 0; k < c_.rows.n_bases(row); ++k) at.push_back(to.of_base(row, k));
  for (const Entry& e : c_.rows.entries(row))
    if (!c_.known(e.speed)) at.push_back(to.of_speed(to.speeds.free, e.speed));
  at.push_back(to.of_row(to.lanes.r, to.separators.r, row));
  at.push_back(to.of_row(to.lanes.S, to.separators.S, row));
  at.push_back(to.of_row(to.lanes.scale, to.separators.scale, row));
  if (c_.wanted == LaneFunction::full) {
    at.push_back(l.pivot_scale + row);
    at.push_back(to.of_row(to.lanes.row_inverse, to.separators.row_inverse, row));
  }
  if (c_.motion()) return at;
  at.push_back((c_.wanted == LaneFunction::position ? l.position_residual : l.velocity_residual) + row);
  at.push_back(l.pivot_scale + row);
  at.push_back(l.pivot + row);
  return at;
}

// Adds one instance for all lanes if their templates are the same, otherwise one instance for each lane.
void RowWriter::add(const Across& rows, std::uint32_t lanes, std::uint32_t run) {
  std::vector<LaneTemplate*> code;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) code.push_back(&template_of(rows[lane]));
  if (std::ranges::any_of(code, [&](const LaneTemplate* one) { return one != code[0]; })) {
    for (std::uint32_t row : rows) add({row}, 1);
    return;
  }
  PlacesByLane places;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) places.push_back(places_of(rows[lane]));
  code[0]->add(places, run);
}

// ---- couplings

class CouplingWriter {
 public:
  explicit CouplingWriter(const LaneContext& c) : c_(c) {}

  // Adds S_kl of rows k and others l, for each lane.
  void add(const Across& rows, const Across& others, std::uint32_t lanes, std::uint32_t run = 0);
  [[nodiscard]] const LaneTemplates<Coefficients<BasePair>>& templates() const { return templates_; }

 private:
  // Returns the coefficients of S_kl, a sum of coefficients times a base of k and one of l.
  [[nodiscard]] Coefficients<BasePair> coefficients(std::uint32_t row, std::uint32_t other) const;

  const LaneContext& c_;
  LaneTemplates<Coefficients<BasePair>> templates_;
};

Coefficients<BasePair> CouplingWriter::coefficients(std::uint32_t row, std::uint32_t other) const {
  Coefficients<BasePair> out;
  for (const Entry& e : c_.rows.entries(row))
    for (const Entry& o : c_.rows.entries(other))
      if (const double w = c_.inertia.inverse(e.speed, o.speed); w != 0)
        out[{e.base, o.base}].value += e.sign * o.sign * w;
  return out;
}

void add_once(std::vector<std::uint32_t>& list, std::uint32_t value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

void CouplingWriter::add(const Across& rows, const Across& others, std::uint32_t lanes, std::uint32_t run) {
  const Coefficients<BasePair> wanted = coefficients(rows[0], others[0]);
  for (std::uint32_t lane = 1; lane < lanes; ++lane)
    if (coefficients(rows[lane], others[lane]) != wanted) {
      for (std::uint32_t k = 0; k < lanes; ++k) add({rows[k]}, {others[k]}, 1);
      return;
    }
  std::vector<std::uint32_t> first, second;  // bases, in the order of their columns
  for (const auto& [pair, w] : wanted) {
    add_once(first, pair.first);
    add_once(second, pair.second);
  }
  LaneTemplate& code = templates_.of(wanted, kCoupling, [&](LaneTemplate& fresh) {
    std::map<std::uint32_t, NodeId> a, b;
    for (std::uint32_t base : first) a[base] = fresh.load(Space::work);
    for (std::uint32_t base : second) b[base] = fresh.load(Space::work);
    std::map<BasePair, NodeId> products;
    for (const auto& [pair, w] : wanted) products[pair] = fresh.graph.mul(a[pair.first], b[pair.second]);
    const NodeId value = collect(fresh.graph, wanted, products);
    fresh.store(fresh.column(Space::work), value);
  });
  PlacesByLane places(lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    for (std::uint32_t base : first) places[lane].push_back(c_.places.of_base(rows[lane], base));
    for (std::uint32_t base : second) places[lane].push_back(c_.places.of_base(others[lane], base));
    places[lane].push_back(c_.places.of_coupling(rows[lane], others[lane]));
  }
  code.add(places, run);
}

}  // namespace

bool write_rows(const LaneContext& c, kernel::Function& f) {
  const LanePartition& p = c.s.partition;
  RowWriter writer(c);
  std::uint32_t local = 0;  // rows of a lane are numbered alternately from both ends: two runs
  for (const Across& rows : p.rows) writer.add(rows, kLanes, local++ % 2);
  for (const auto* rows : {&p.separator_rows, &p.extra})
    for (std::uint32_t row : *rows) writer.add({row}, 1);
  writer.templates().emit(f);
  return writer.templates().size() <= kMostTemplates;
}

bool write_couplings(const LaneContext& c, kernel::Function& f) {
  const LanePartition& p = c.s.partition;
  const auto n = static_cast<std::uint32_t>(p.rows.size());
  CouplingWriter writer(c);
  for (std::uint32_t s = 0; s < n; ++s)
    for (std::uint32_t name : c.elimination.coupled[s]) {
      Across others{};
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        others[lane] = name < n ? p.rows[name][lane] : p.separator_rows[p.interface_rows[name - n][lane]];
      writer.add(p.rows[s], others, kLanes, s % 2);
    }
  for (const auto& [pair, number] : c.elimination.separator_pair)
    writer.add({p.separator_rows[pair.first]}, {p.separator_rows[pair.second]}, 1);
  writer.templates().emit(f);
  return writer.templates().size() <= kMostTemplates;
}

}  // namespace mbc::formulate
