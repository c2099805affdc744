// SPDX-License-Identifier: Apache-2.0
// The part of S lambda = r that the lanes leave: the separator rows, written out as expressions (lane_solve.h has the
// equations).
#include <set>

#include "compiler/formulate/lanes/lane_solve.h"
#include "compiler/formulate/solve/factorisation.h"
#include "compiler/formulate/solve/pivot_order.h"
#include "compiler/graph/contract_fma.h"

namespace mbc::formulate {

namespace {

class SeparatorWriter {
 public:
  SeparatorWriter(const LaneContext& c, const std::vector<LaneColumn>& columns)
      : c_(c), p_(c.s.partition), n_(static_cast<std::uint32_t>(p_.separator_rows.size())) {
    for (const LaneColumn& column : columns)
      for (const LaneColumn::Update& u : column.updates) written_.insert(u.place);
  }

  void write(kernel::Function& f) {
    add_own_terms();
    add_lane_terms();
    std::vector<Store> stores = solved();
    std::vector<NodeId> values;
    for (const Store& s : stores) values.push_back(s.value);
    const graph::RootedGraph contracted = graph::contract_fma(g_, values);
    for (std::size_t k = 0; k < stores.size(); ++k) stores[k].value = contracted.roots[k];
    push_block(f, emit_block(contracted.graph, "tail", stores, [](const Node& leaf) -> Place {
                 return {Space::work, false, leaf.a};
               }));
  }

 private:
  NodeId work(std::uint32_t at) { return g_.leaf(LeafKind::slot_constant, at); }

  // Adds S_TT and r_T of the rows themselves.
  void add_own_terms() {
    const LanePlaces::OfSeparators& at = c_.places.separators;
    right_.resize(n_);
    for (std::uint32_t t = 0; t < n_; ++t) {
      terms_[{t, t}].push_back(work(at.S + t));
      right_[t].push_back(work(at.r + t));
    }
    for (const auto& [pair, number] : c_.elimination.separator_pair)
      terms_[{pair.second, pair.first}].push_back(work(at.coupling + number));
  }

  // Adds C_p and c_p of each lane; rows that no row of a lane couples have no sum there.
  void add_lane_terms() {
    const auto faces = static_cast<std::uint32_t>(p_.interface_rows.size());
    for (std::uint32_t i = 0; i < faces; ++i) {
      const std::uint32_t at = c_.places.interface.r + i * kLanes;
      for (std::uint32_t lane = 0; lane < kLanes && written_.contains(at); ++lane)
        right_[p_.interface_rows[i][lane]].push_back(work(at + lane));
      for (std::uint32_t j = i; j < faces; ++j) {
        const std::uint32_t sum = c_.places.interface.coupling + interface_pair(i, j, faces) * kLanes;
        for (std::uint32_t lane = 0; lane < kLanes && written_.contains(sum); ++lane)
          terms_[ordered(p_.interface_rows[i][lane], p_.interface_rows[j][lane])].push_back(work(sum + lane));
      }
    }
  }

  std::vector<Store> solved() {
    SymmetricEntries S;
    SparseRow r;
    std::vector<std::vector<std::uint32_t>> adjacency(n_);
    for (const auto& [ij, list] : terms_) {
      S[ij] = g_.sum(list);
      if (ij.first == ij.second) continue;
      adjacency[ij.first].push_back(ij.second);
      adjacency[ij.second].push_back(ij.first);
    }
    for (std::uint32_t t = 0; t < n_; ++t) r[t] = g_.sum(right_[t]);
    const Factorisation factors(g_, n_, S, pivot_order(adjacency),
                                [](std::uint32_t, NodeId, NodeId) { return NodeId{}; });
    return results(factors, factors.solve(r));
  }

  // Returns the multipliers, with a copy for each lane that needs one, and the margin of each pivot above kSurePivot.
  std::vector<Store> results(const Factorisation& factors, const SparseRow& lambda) {
    const LanePlaces::OfSeparators& to = c_.places.separators;
    const auto lambda_of = [&](std::uint32_t t) {
      const auto at = lambda.find(t);
      return at == lambda.end() ? g_.zero() : at->second;
    };
    std::vector<Store> stores;
    for (std::uint32_t t = 0; t < n_; ++t) {
      stores.push_back({{Space::work, false, to.lambda + t}, lambda_of(t)});
      const NodeId least = g_.mul(g_.constant(kSurePivot), work(to.scale + t));
      stores.push_back({{Space::work, false, to.guard + t}, g_.sub(factors.pivot_of(t), least)});
      if (c_.wanted == LaneFunction::full) stores.push_back({{Space::work, false, to.S + t}, factors.pivot_of(t)});
    }
    for (std::uint32_t i = 0; i < p_.interface_rows.size(); ++i)
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        stores.push_back({{Space::work, false, LanePlaces::in_lane(c_.places.interface.lambda, {lane, i})},
                          lambda_of(p_.interface_rows[i][lane])});
    return stores;
  }

  const LaneContext& c_;
  const LanePartition& p_;
  std::uint32_t n_;
  Graph g_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> terms_;  // of S, i >= j
  std::vector<std::vector<NodeId>> right_;                                        // of r
  std::set<std::uint32_t> written_;  // places in lane 0 that the elimination writes
};

}  // namespace

void write_separators(const LaneContext& c, const std::vector<LaneColumn>& columns, kernel::Function& f) {
  SeparatorWriter(c, columns).write(f);
}

}  // namespace mbc::formulate
