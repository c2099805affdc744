// SPDX-License-Identifier: Apache-2.0
// S lambda = r: the rows of the lanes in order, the tail as expressions, and back.
#include <algorithm>
#include <limits>
#include <set>

#include "compiler/formulate/lanes/lane_kernel.h"
#include "compiler/formulate/solve/factorisation.h"
#include "compiler/formulate/solve/pivot_order.h"
#include "compiler/graph/contract_fma.h"

namespace mbc::formulate {

using graph::Graph;
using graph::LeafKind;
using graph::NodeId;
using graph::Op;
using kernel::Space;

namespace {

// 1/d where d surely is a pivot, else NaN, which reaches every acceleration that depends on it.
NodeId sure_inverse(Graph& g, NodeId d, NodeId scale) {
  const NodeId sure = g.binary(Op::lt, g.mul(g.constant(kSurePivot), scale), d);
  return g.select(sure, g.div(g.one(), d), g.constant(std::numeric_limits<double>::quiet_NaN()));
}

// Pairs (i <= j) of roles, row by row of the upper triangle.
std::uint32_t pair_index(std::uint32_t i, std::uint32_t j, std::uint32_t n) {
  if (j < i) std::swap(i, j);
  return i * n - i * (i + 1) / 2 + j;
}

}  // namespace

void LaneStage::add_places(LaneTemplate& code, const std::vector<std::vector<std::uint32_t>>& by_lane,
                           std::uint32_t run) {
  std::vector<std::uint32_t> places;
  for (std::size_t c = 0; c < by_lane[0].size(); ++c)
    for (const auto& lane : by_lane) places.push_back(lane[c]);
  code.add(places, run);
}

// The pattern of L for the rows of a lane, from that of S in lane 0 (all lanes are alike).
void LaneStage::plan_elimination() {
  const LanePartition& p = c_.partition;
  const auto n = static_cast<std::uint32_t>(p.rows.size());
  std::vector<std::set<std::uint32_t>> reach(n);
  const auto neighbours = [&](std::uint32_t row, auto&& visit) {
    for (std::uint32_t c : c_.pattern.row_columns[row])
      for (std::uint32_t other : c_.blocks.rows[c_.blocks.of_speed[c]])
        if (other != row) visit(other);
  };
  for (std::uint32_t s = 0; s < n; ++s)
    neighbours(p.rows[s][0], [&](std::uint32_t other) {
      const std::uint32_t name = name_of(other, 0);
      if (name > s) reach[s].insert(name);
    });
  for (const auto& names : reach) coupled_.emplace_back(names.begin(), names.end());
  for (std::uint32_t s = 0; s < n; ++s)
    for (std::uint32_t i : reach[s])
      for (std::uint32_t j : reach[s])
        if (i < j && i < n) reach[i].insert(j);
  reach_begin_ = {0};
  for (const auto& names : reach) {
    reach_.emplace_back(names.begin(), names.end());
    reach_begin_.push_back(reach_begin_.back() + static_cast<std::uint32_t>(names.size()));
  }
  for (std::uint32_t t = 0; t < p.tail.size(); ++t)
    neighbours(p.tail[t], [&](std::uint32_t other) {
      const LaneMember m = p.row_at[other];
      if (!p.in_lane(m) && m.local > t) tail_pair_.try_emplace({t, m.local}, 0);
    });
  std::uint32_t next = 0;
  for (auto& [pair, index] : tail_pair_) index = next++;
  speed_order_.resize(c_.system.n_speeds);
  auto others = static_cast<std::uint32_t>(p.speeds.size()) * kLanes;
  for (std::uint32_t c = 0; c < c_.system.n_speeds; ++c)
    speed_order_[c] = p.in_lane(p.speed_at[c]) ? p.speed_at[c].local * kLanes + p.speed_at[c].lane : others++;
}

struct LaneStage::Column {
  struct Update {
    std::uint32_t i = 0, j = 0;  // of what the column reaches; i == j: diagonal; j behind the last one: r of i
    std::uint32_t place = 0;     // in lane 0
    bool adds = false;           // to something that is there already
  };
  std::uint32_t size = 0;             // what it reaches
  std::vector<std::uint32_t> places;  // in lane 0: d, scale, r, 1/d, S_is, targets
  std::vector<Update> updates;

  [[nodiscard]] std::string key() const {
    std::string key = std::to_string(size);
    for (const Update& u : updates) key += u.adds ? '+' : '=';
    return key;
  }
  // Whether what this one changes is nothing the other one reads or changes.
  [[nodiscard]] bool apart_from(const Column& other) const {
    for (const Update& u : updates)
      if (std::find(other.places.begin(), other.places.end(), u.place) != other.places.end()) return false;
    return true;
  }
  void write(LaneTemplate& code) const;
};

void LaneStage::Column::write(LaneTemplate& code) const {
  Graph& g = code.graph;
  const NodeId d = code.load(Space::work), scale = code.load(Space::work), r = code.load(Space::work);
  const NodeId inverse = sure_inverse(g, d, scale);
  code.store(code.column(Space::work), inverse);
  std::vector<NodeId> column, l;
  for (std::uint32_t i = 0; i < size; ++i) {
    column.push_back(code.load(Space::work));
    l.push_back(g.mul(column.back(), inverse));
  }
  for (const Update& u : updates) {
    const std::uint32_t at = code.column(Space::work);
    const NodeId product = g.mul(l[u.i], u.j == size ? r : column[u.j]);
    code.store(at, u.adds ? g.sub(code.leaf(at), product) : g.neg(product));
  }
}

// Right-looking: each column of S is divided by its pivot and subtracted from the columns it reaches, r along with it.
// What reaches the tail is summed up in each lane for itself.
std::vector<LaneStage::Column> LaneStage::columns() const {
  const auto n = static_cast<std::uint32_t>(reach_.size());
  const auto roles = static_cast<std::uint32_t>(c_.partition.roles.size());
  std::vector<bool> written(reach_begin_.back(), false), role_pair(std::size_t{roles} * (roles + 1) / 2, false),
      role_r(roles, false);
  const auto entry = [&](std::uint32_t i, std::uint32_t j) {  // of column i, i < j
    const Names& names = reach_[i];
    return reach_begin_[i] +
           static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), j) - names.begin());
  };
  for (std::uint32_t s = 0; s < n; ++s)
    for (std::uint32_t name : coupled_[s]) written[entry(s, name)] = true;
  const auto across = [](std::uint32_t at, std::uint32_t local) { return at + local * kLanes; };
  const auto touch = [](std::vector<bool>& list, std::uint32_t k) {
    const bool before = list[k];
    list[k] = true;
    return before;
  };
  std::vector<Column> all;
  for (std::uint32_t s = 0; s < n; ++s) {
    const Names& names = reach_[s];
    Column c;
    c.size = static_cast<std::uint32_t>(names.size());
    for (std::uint32_t i = 0; i < c.size; ++i) {
      const bool row = names[i] < n;
      if (row)
        c.updates.push_back({i, c.size, across(r_, names[i]), true});
      else
        c.updates.push_back({i, c.size, across(role_r_, names[i] - n), touch(role_r, names[i] - n)});
      for (std::uint32_t j = i; j < c.size; ++j) {
        if (row && i == j) {
          c.updates.push_back({i, j, across(S_, names[i]), true});
        } else if (row) {
          const std::uint32_t e = entry(names[i], names[j]);
          c.updates.push_back({i, j, across(coupling_, e), touch(written, e)});
        } else {
          const std::uint32_t e = pair_index(names[i] - n, names[j] - n, roles);
          c.updates.push_back({i, j, across(role_coupling_, e), touch(role_pair, e)});
        }
      }
    }
    c.places = {across(S_, s), across(scale_, s), across(r_, s), across(pivot_inverse_, s)};
    for (std::uint32_t i = 0; i < c.size; ++i) c.places.push_back(across(coupling_, reach_begin_[s] + i));
    for (const Column::Update& u : c.updates) c.places.push_back(u.place);
    all.push_back(std::move(c));
  }
  return all;
}

// In order; two columns that have nothing to do with each other in one template, so that neither waits for the other.
void LaneStage::eliminate(kernel::Function& f) const {
  const std::vector<Column> all = columns();
  std::string last_key;
  std::unique_ptr<LaneTemplate> code;
  for (std::size_t s = 0; s < all.size();) {
    const bool pair = s + 1 < all.size() && all[s].apart_from(all[s + 1]) && all[s + 1].apart_from(all[s]);
    const std::string key = all[s].key() + (pair ? "," + all[s + 1].key() : "");
    if (key != last_key) {
      if (code) code->emit(f, true);
      last_key = key;
      code = std::make_unique<LaneTemplate>("eliminate");
      all[s].write(*code);
      if (pair) all[s + 1].write(*code);
    }
    std::vector<std::uint32_t> lane0 = all[s].places;
    if (pair) lane0.insert(lane0.end(), all[s + 1].places.begin(), all[s + 1].places.end());
    std::vector<std::vector<std::uint32_t>> places(kLanes, lane0);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t& at : places[lane]) at += lane;
    add_places(*code, places);
    s += pair ? 2 : 1;
  }
  if (code) code->emit(f, true);
}

void LaneStage::solve_tail(kernel::Function& f) const {
  const LanePartition& p = c_.partition;
  const auto n = static_cast<std::uint32_t>(p.tail.size()), roles = static_cast<std::uint32_t>(p.roles.size());
  Graph g;
  const auto work = [&g](std::uint32_t at) { return g.leaf(LeafKind::slot_constant, at); };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> terms;  // i >= j
  std::vector<std::vector<NodeId>> right(n);
  for (std::uint32_t t = 0; t < n; ++t) {
    terms[{t, t}].push_back(work(tail_S_ + t));
    right[t].push_back(work(tail_r_ + t));
  }
  for (const auto& [pair, index] : tail_pair_) terms[{pair.second, pair.first}].push_back(work(tail_coupling_ + index));
  std::set<std::uint32_t> written;  // rows of the tail that no row of a lane joins have no sum there
  for (const Column& c : columns())
    for (const Column::Update& u : c.updates) written.insert(u.place);
  for (std::uint32_t i = 0; i < roles; ++i) {
    const std::uint32_t at = role_r_ + i * kLanes;
    for (std::uint32_t lane = 0; lane < kLanes && written.contains(at); ++lane)
      right[p.roles[i][lane]].push_back(work(at + lane));
    for (std::uint32_t j = i; j < roles; ++j) {
      const std::uint32_t sum = role_coupling_ + pair_index(i, j, roles) * kLanes;
      for (std::uint32_t lane = 0; lane < kLanes && written.contains(sum); ++lane)
        terms[ordered(p.roles[i][lane], p.roles[j][lane])].push_back(work(sum + lane));
    }
  }
  SymmetricEntries S;
  SparseRow r;
  std::vector<std::vector<std::uint32_t>> adjacency(n);
  for (const auto& [ij, list] : terms) {
    S[ij] = g.sum(list);
    if (ij.first == ij.second) continue;
    adjacency[ij.first].push_back(ij.second);
    adjacency[ij.second].push_back(ij.first);
  }
  for (std::uint32_t t = 0; t < n; ++t) r[t] = g.sum(right[t]);
  const Factorisation factors(g, n, S, pivot_order(adjacency), [](std::uint32_t, NodeId, NodeId) { return NodeId{}; });
  const SparseRow lambda = factors.solve(r);
  const auto lambda_of = [&](std::uint32_t t) {
    const auto at = lambda.find(t);
    return at == lambda.end() ? g.zero() : at->second;
  };
  std::vector<Store> stores;
  for (std::uint32_t t = 0; t < n; ++t) {
    stores.push_back({{Space::work, false, tail_lambda_ + t}, lambda_of(t)});
    const NodeId least = g.mul(g.constant(kSurePivot), work(tail_scale_ + t));
    stores.push_back({{Space::work, false, guard_ + t}, g.sub(factors.pivot_of(t), least)});
    if (wanted_ == Wanted::full) stores.push_back({{Space::work, false, tail_S_ + t}, factors.pivot_of(t)});
  }
  for (std::uint32_t i = 0; i < roles; ++i)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      stores.push_back({{Space::work, false, role_lambda_ + i * kLanes + lane}, lambda_of(p.roles[i][lane])});
  std::vector<NodeId> values;
  for (const Store& s : stores) values.push_back(s.value);
  const graph::Fused fused = graph::fuse(g, values);
  for (std::size_t k = 0; k < stores.size(); ++k) stores[k].value = fused.roots[k];
  push_block(f, emit_block(fused.graph, "tail", stores, [](const graph::Node& leaf) -> Place {
               return {Space::work, false, leaf.a};
             }));
}

// lambda_s = (r_s - sum of S_is lambda_i over what its column reaches) / d_s, the latest one last; two rows together
// where neither reaches the other.
void LaneStage::substitute_back(kernel::Function& f) const {
  const auto n = static_cast<std::uint32_t>(reach_.size());
  std::unique_ptr<LaneTemplate> code;
  std::pair<std::size_t, std::size_t> sizes{};
  const auto write = [&](std::size_t size) {
    Graph& g = code->graph;
    const NodeId inverse = code->load(Space::work);
    NodeId sum = code->load(Space::work);
    for (std::size_t i = 0; i < size; ++i) {
      const NodeId entry = code->load(Space::work);
      sum = g.sub(sum, g.mul(entry, code->load(Space::work)));
    }
    code->store(code->column(Space::work), g.mul(sum, inverse));
  };
  const auto add_row_places = [&](std::uint32_t s, std::vector<std::uint32_t>& list, std::uint32_t lane) {
    const Names& names = reach_[s];
    const auto at = [lane](std::uint32_t field, std::uint32_t local) { return field + local * kLanes + lane; };
    list.insert(list.end(), {at(pivot_inverse_, s), at(r_, s)});
    for (std::size_t i = names.size(); i-- > 0;) {
      list.push_back(at(coupling_, reach_begin_[s] + static_cast<std::uint32_t>(i)));
      list.push_back(names[i] < n ? at(lambda_, names[i]) : at(role_lambda_, names[i] - n));
    }
    list.push_back(at(lambda_, s));
  };
  constexpr std::size_t kAlone = 0xffffffffu;
  for (std::uint32_t s = n; s > 0;) {
    const std::uint32_t row = s - 1;
    const bool pair = row > 0 && !std::binary_search(reach_[row - 1].begin(), reach_[row - 1].end(), row);
    const std::pair<std::size_t, std::size_t> wanted{reach_[row].size(), pair ? reach_[row - 1].size() : kAlone};
    if (!code || wanted != sizes) {
      if (code) code->emit(f, true);
      sizes = wanted;
      code = std::make_unique<LaneTemplate>("substitute");
      write(sizes.first);
      if (pair) write(sizes.second);
    }
    std::vector<std::vector<std::uint32_t>> places(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      add_row_places(row, places[lane], lane);
      if (pair) add_row_places(row - 1, places[lane], lane);
    }
    add_places(*code, places);
    s -= pair ? 2 : 1;
  }
  if (code) code->emit(f, true);
}

// Multipliers and pivots of the rows as they are written: A = d A_s of the row that was solved has lambda = lambda_s /
// d, and the same ratio of its pivot to S_kk.
void LaneStage::row_results(kernel::Function& f) const {
  const LanePartition& p = c_.partition;
  const SystemLayout& l = c_.layout;
  LaneTemplate code("multipliers");
  Graph& g = code.graph;
  const NodeId lambda = code.load(Space::work), factor = code.load(Space::work), pivot = code.load(Space::work),
               scale = code.load(Space::work), size = code.load(Space::work);
  code.store(code.column(Space::work), g.mul(lambda, factor));
  code.store(code.column(Space::work), g.mul(size, g.div(pivot, scale)));
  std::uint32_t local = 0;
  for (const Across& rows : p.rows) {
    std::vector<std::vector<std::uint32_t>> places;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto own = [&](std::uint32_t at) { return at + local * kLanes + lane; };
      const std::uint32_t row = rows[lane];
      places.push_back(
          {own(lambda_), own(row_inverse_), own(S_), own(scale_), l.pivot_scale + row, l.lambda + row, l.pivot + row});
    }
    add_places(code, places, local++ % 2);
  }
  for (std::uint32_t t = 0; t < p.tail.size(); ++t) {
    const std::uint32_t row = p.tail[t];
    code.add(std::vector<std::uint32_t>{tail_lambda_ + t, tail_row_inverse_ + t, tail_S_ + t, tail_scale_ + t,
                                        l.pivot_scale + row, l.lambda + row, l.pivot + row});
  }
  code.emit(f);
  for (std::uint32_t row : p.extra)  // left out: no multiplier, no distance
    for (const std::uint32_t at : {l.lambda + row, l.pivot + row}) add_clear(f, Space::work, at, 1);
}

}  // namespace mbc::formulate
