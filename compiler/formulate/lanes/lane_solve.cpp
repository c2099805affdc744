// SPDX-License-Identifier: Apache-2.0
// The lanes' part of S lambda = r: forwards, backwards, and the reported values.
#include "compiler/formulate/lanes/lane_solve.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace mbc::formulate {

namespace {

std::uint32_t lane0(std::uint32_t at, std::uint32_t local) { return at + local * kLanes; }

// Returns 1/d if d is large enough for a pivot, else NaN, which propagates to every acceleration that depends on it.
NodeId sure_inverse(Graph& g, NodeId d, NodeId scale) {
  const NodeId sure = g.binary(Op::lt, g.mul(g.constant(kSurePivot), scale), d);
  return g.select(sure, g.div(g.one(), d), g.constant(std::numeric_limits<double>::quiet_NaN()));
}

// Plans the columns: it tracks which entries of S have a value before a column is subtracted from them.
class ColumnPlanner {
 public:
  explicit ColumnPlanner(const LaneContext& c)
      : c_(c),
        n_(static_cast<std::uint32_t>(c.elimination.reach.size())),
        n_interface_(static_cast<std::uint32_t>(c.s.partition.interface_rows.size())),
        coupling_(c.elimination.n_entries(), false),
        interface_coupling_(std::size_t{n_interface_} * (n_interface_ + 1) / 2, false),
        interface_r_(n_interface_, false) {
    for (std::uint32_t s = 0; s < n_; ++s)
      for (std::uint32_t name : c.elimination.coupled[s]) coupling_[c.elimination.entry(s, name)] = true;
  }

  LaneColumn column(std::uint32_t s) {
    const LaneElimination::Names& names = c_.elimination.reach[s];
    const LanePlaces::InLanes& at = c_.places.lanes;
    LaneColumn column;
    column.size = static_cast<std::uint32_t>(names.size());
    for (std::uint32_t i = 0; i < column.size; ++i) {
      column.updates.push_back(of_right_side(i, names[i], column.size));
      for (std::uint32_t j = i; j < column.size; ++j) column.updates.push_back(of_entry(i, j, names));
    }
    column.places = {lane0(at.S, s), lane0(at.scale, s), lane0(at.r, s), lane0(at.pivot_inverse, s)};
    for (std::uint32_t i = 0; i < column.size; ++i)
      column.places.push_back(lane0(at.coupling, c_.elimination.reach_begin[s] + i));
    for (const LaneColumn::Update& u : column.updates) column.places.push_back(u.place);
    return column;
  }

 private:
  static bool touch(std::vector<bool>& list, std::uint32_t k) {
    const bool before = list[k];
    list[k] = true;
    return before;
  }

  LaneColumn::Update of_right_side(std::uint32_t i, std::uint32_t name, std::uint32_t size) {
    if (name < n_) return {i, size, lane0(c_.places.lanes.r, name), true};
    return {i, size, lane0(c_.places.interface.r, name - n_), touch(interface_r_, name - n_)};
  }

  LaneColumn::Update of_entry(std::uint32_t i, std::uint32_t j, const LaneElimination::Names& names) {
    if (names[i] < n_ && i == j) return {i, j, lane0(c_.places.lanes.S, names[i]), true};
    if (names[i] < n_) {
      const std::uint32_t e = c_.elimination.entry(names[i], names[j]);
      return {i, j, lane0(c_.places.lanes.coupling, e), touch(coupling_, e)};
    }
    const std::uint32_t e = interface_pair(names[i] - n_, names[j] - n_, n_interface_);
    return {i, j, lane0(c_.places.interface.coupling, e), touch(interface_coupling_, e)};
  }

  const LaneContext& c_;
  std::uint32_t n_, n_interface_;
  std::vector<bool> coupling_, interface_coupling_, interface_r_;
};

// The shape of columns that share a template.
struct ColumnShape {
  std::uint32_t size = 0;
  std::vector<bool> adds;

  explicit ColumnShape(const LaneColumn& c) : size(c.size) {
    for (const LaneColumn::Update& u : c.updates) adds.push_back(u.adds);
  }
  friend bool operator==(const ColumnShape&, const ColumnShape&) = default;
};

// Returns whether one column changes nothing that the other one reads or changes.
bool independent(const LaneColumn& one, const LaneColumn& other) {
  return std::ranges::none_of(one.updates, [&](const LaneColumn::Update& u) {
    return std::find(other.places.begin(), other.places.end(), u.place) != other.places.end();
  });
}

void write_column(LaneTemplate& code, const LaneColumn& column) {
  Graph& g = code.graph;
  const NodeId d = code.load(Space::work), scale = code.load(Space::work), r = code.load(Space::work);
  const NodeId inverse = sure_inverse(g, d, scale);
  code.store(code.column(Space::work), inverse);
  std::vector<NodeId> entries, l;
  for (std::uint32_t i = 0; i < column.size; ++i) {
    entries.push_back(code.load(Space::work));
    l.push_back(g.mul(entries.back(), inverse));
  }
  for (const LaneColumn::Update& u : column.updates) {
    const std::uint32_t at = code.column(Space::work);
    const NodeId product = g.mul(l[u.i], u.j == column.size ? r : entries[u.j]);
    code.store(at, u.adds ? g.sub(code.leaf(at), product) : g.neg(product));
  }
}

// Adds instances in the order of the elimination: an instance of another shape starts a new template.
template <class Shape>
class InOrder {
 public:
  InOrder(const char* name, kernel::Function& f) : name_(name), f_(f) {}

  template <class Write>
  LaneTemplate& of(const Shape& shape, Write&& write) {
    if (!code_ || *shape_ != shape) {
      finish();
      shape_ = shape;
      code_.emplace(name_);
      write(*code_);
    }
    return *code_;
  }
  void finish() {
    if (code_) code_->emit(f_, true);
  }

 private:
  const char* name_;
  kernel::Function& f_;
  std::optional<Shape> shape_;
  std::optional<LaneTemplate> code_;
};

// Adds the places that a row reads in the backward pass: 1/d, r, then entry and multiplier of each row in its column,
// the latest first.
void add_substitution_places(const LaneContext& c, std::uint32_t s, std::uint32_t lane,
                             std::vector<std::uint32_t>& list) {
  const LaneElimination::Names& names = c.elimination.reach[s];
  const LanePlaces::InLanes& lanes = c.places.lanes;
  const auto n = static_cast<std::uint32_t>(c.elimination.reach.size());
  const auto at = [lane](std::uint32_t field, std::uint32_t local) { return lane0(field, local) + lane; };
  list.insert(list.end(), {at(lanes.pivot_inverse, s), at(lanes.r, s)});
  for (std::size_t i = names.size(); i-- > 0;) {
    list.push_back(at(lanes.coupling, c.elimination.reach_begin[s] + static_cast<std::uint32_t>(i)));
    list.push_back(names[i] < n ? at(lanes.lambda, names[i]) : at(c.places.interface.lambda, names[i] - n));
  }
  list.push_back(at(lanes.lambda, s));
}

void write_substituted_row(LaneTemplate& code, std::size_t reached) {
  Graph& g = code.graph;
  const NodeId inverse = code.load(Space::work);
  NodeId sum = code.load(Space::work);
  for (std::size_t i = 0; i < reached; ++i) {
    const NodeId entry = code.load(Space::work);
    sum = g.sub(sum, g.mul(entry, code.load(Space::work)));
  }
  code.store(code.column(Space::work), g.mul(sum, inverse));
}

}  // namespace

std::vector<LaneColumn> lane_columns(const LaneContext& c) {
  ColumnPlanner planner(c);
  std::vector<LaneColumn> all;
  for (std::uint32_t s = 0; s < c.elimination.reach.size(); ++s) all.push_back(planner.column(s));
  return all;
}

// Two independent columns share a template, so that neither waits for the other.
void write_elimination(const LaneContext& c, const std::vector<LaneColumn>& all, kernel::Function& f) {
  InOrder<std::pair<ColumnShape, std::optional<ColumnShape>>> templates("eliminate", f);
  const auto n = static_cast<std::size_t>(c.elimination.reach.size());
  for (std::size_t s = 0; s < n;) {
    const bool pair = s + 1 < n && independent(all[s], all[s + 1]) && independent(all[s + 1], all[s]);
    std::optional<ColumnShape> second;
    if (pair) second.emplace(all[s + 1]);
    LaneTemplate& code = templates.of({ColumnShape(all[s]), second}, [&](LaneTemplate& fresh) {
      write_column(fresh, all[s]);
      if (pair) write_column(fresh, all[s + 1]);
    });
    std::vector<std::uint32_t> in_lane0 = all[s].places;
    if (pair) in_lane0.insert(in_lane0.end(), all[s + 1].places.begin(), all[s + 1].places.end());
    PlacesByLane places(kLanes, in_lane0);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t& at : places[lane]) at += lane;
    code.add(places);
    s += pair ? 2 : 1;
  }
  templates.finish();
}

// The latest row comes first; two rows share a template if they are not coupled.
void write_substitution(const LaneContext& c, kernel::Function& f) {
  const std::vector<LaneElimination::Names>& reach = c.elimination.reach;
  InOrder<std::pair<std::size_t, std::optional<std::size_t>>> templates("substitute", f);
  for (auto s = static_cast<std::uint32_t>(reach.size()); s > 0;) {
    const std::uint32_t row = s - 1;
    const bool pair = row > 0 && !std::binary_search(reach[row - 1].begin(), reach[row - 1].end(), row);
    std::optional<std::size_t> second;
    if (pair) second = reach[row - 1].size();
    LaneTemplate& code = templates.of({reach[row].size(), second}, [&](LaneTemplate& fresh) {
      write_substituted_row(fresh, reach[row].size());
      if (second) write_substituted_row(fresh, *second);
    });
    PlacesByLane places(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      add_substitution_places(c, row, lane, places[lane]);
      if (pair) add_substitution_places(c, row - 1, lane, places[lane]);
    }
    code.add(places);
    s -= pair ? 2 : 1;
  }
  templates.finish();
}

// The written row A = d A_s of a solved row A_s has lambda = lambda_s / d, and the same ratio of its pivot to S_kk.
void write_row_results(const LaneContext& c, kernel::Function& f) {
  const LanePartition& p = c.s.partition;
  const SystemLayout& l = c.s.layout;
  const LanePlaces::InLanes& in = c.places.lanes;
  const LanePlaces::OfSeparators& out = c.places.separators;
  LaneTemplate code("multipliers");
  Graph& g = code.graph;
  const NodeId lambda = code.load(Space::work), factor = code.load(Space::work), pivot = code.load(Space::work),
               scale = code.load(Space::work), size = code.load(Space::work);
  code.store(code.column(Space::work), g.mul(lambda, factor));
  code.store(code.column(Space::work), g.mul(size, g.div(pivot, scale)));
  for (std::uint32_t local = 0; local < p.rows.size(); ++local) {
    PlacesByLane places;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto own = [&](std::uint32_t at) { return LanePlaces::in_lane(at, {lane, local}); };
      const std::uint32_t row = p.rows[local][lane];
      places.push_back({own(in.lambda), own(in.row_inverse), own(in.S), own(in.scale), l.pivot_scale + row,
                        l.lambda + row, l.pivot + row});
    }
    code.add(places, local % 2);
  }
  for (std::uint32_t t = 0; t < p.separator_rows.size(); ++t) {
    const std::uint32_t row = p.separator_rows[t];
    code.add(PlacesByLane{{out.lambda + t, out.row_inverse + t, out.S + t, out.scale + t, l.pivot_scale + row,
                           l.lambda + row, l.pivot + row}});
  }
  code.emit(f);
  for (std::uint32_t row : p.extra)  // left out: multiplier and pivot are 0
    for (const std::uint32_t at : {l.lambda + row, l.pivot + row}) add_clear(f, Space::work, at, 1);
}

}  // namespace mbc::formulate
