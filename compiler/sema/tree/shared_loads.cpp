// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/shared_loads.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace mbc::sema {

namespace {

// Bodies and the joints or constraints between them, as one graph. Nodes that two ways connect form a loop: those of
// one component when the edges that are no part of a cycle are cut.
class Loops {
 public:
  std::size_t add_node() {
    edges_.emplace_back();
    return edges_.size() - 1;
  }
  void connect(std::size_t a, std::size_t b) {
    edges_[a].push_back(b);
    edges_[b].push_back(a);
  }
  // Numbers the nodes by the loops that they are part of.
  void find() {
    parent_.assign(edges_.size(), kNone);
    depth_.assign(edges_.size(), 0);
    loop_.resize(edges_.size());
    std::iota(loop_.begin(), loop_.end(), std::size_t{0});
    std::vector<char> seen(edges_.size(), 0);
    for (std::size_t root = 0; root < edges_.size(); ++root) span_from(root, seen);
    for (std::size_t a = 0; a < edges_.size(); ++a)
      for (const std::size_t b : edges_[a])
        if (parent_[a] != b && parent_[b] != a) close(a, b);
  }
  [[nodiscard]] std::size_t loop_of(std::size_t node) const {
    while (loop_[node] != node) node = loop_[node];
    return node;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void span_from(std::size_t root, std::vector<char>& seen) {
    if (seen[root] != 0) return;
    std::vector<std::size_t> open{root};
    seen[root] = 1;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t next : edges_[at]) {
        if (seen[next] != 0) continue;
        seen[next] = 1;
        parent_[next] = at;
        depth_[next] = depth_[at] + 1;
        open.push_back(next);
      }
    }
  }
  // An edge beside the spanning tree makes a loop of the way through the tree.
  void close(std::size_t a, std::size_t b) {
    for (a = loop_of(a), b = loop_of(b); a != b;) {
      if (depth_[a] < depth_[b]) std::swap(a, b);
      loop_[a] = loop_of(parent_[a]);
      a = loop_[a];
    }
  }

  std::vector<std::vector<std::size_t>> edges_;
  std::vector<std::size_t> parent_, depth_, loop_;
};

// The joint, or the constraint outside of joints, that a row belongs to.
std::string owner(const Constraint& c) {
  const std::string name = c.name.text();
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot + 1);
}

// The loops of a model, by the names of its joints and of constraints outside of joints.
class Ties {
 public:
  Ties(const Model& model, const std::set<std::uint32_t>& switched) : model_(model), switched_(switched) {
    for (const Body& b : model.bodies) {
      if (b.representation != Representation::tree) continue;
      const std::size_t node = loops_.add_node();
      const bool plane = model.space == 2;
      for (std::uint32_t k = 0; k < (plane ? 3u : 12u); ++k)
        movers_[{LeafKind::coordinate, *b.first_coordinate + k}] = node;
      for (std::uint32_t k = 0; k < (plane ? 3u : 6u); ++k) movers_[{LeafKind::speed, *b.first_speed + k}] = node;
    }
    const std::size_t ground = loops_.add_node();
    std::map<std::string, std::set<std::size_t>> held;
    for (const Constraint& c : model.constraints) {
      std::set<std::size_t> between = moved_by(c);
      if (between.size() == 1) between.insert(ground);
      if (!between.empty()) held[owner(c)].merge(between);
    }
    for (const auto& [name, between] : held) {
      owners_[name] = loops_.add_node();
      for (const std::size_t node : between) loops_.connect(owners_[name], node);
    }
    loops_.find();
  }

  [[nodiscard]] std::optional<std::size_t> loop_of(const std::string& owner) const {
    const auto at = owners_.find(owner);
    return at == owners_.end() ? std::nullopt : std::optional(loops_.loop_of(at->second));
  }

 private:
  // The bodies and other coordinates that the rows of a constraint hold.
  std::set<std::size_t> moved_by(const Constraint& c) {
    std::vector<NodeId> rows;
    for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row)
      if (!model_.equations[row].of_body && !switched_.contains(row)) rows.push_back(model_.equations[row].residual);
    std::set<std::size_t> out;
    for (const Node& n : graph::leaves(model_.graph, rows))
      if (n.leaf == LeafKind::coordinate || n.leaf == LeafKind::speed) out.insert(mover(n));
    return out;
  }
  std::size_t mover(const Node& n) {
    std::pair<LeafKind, std::uint32_t> key{n.leaf, n.a};
    if (n.leaf == LeafKind::speed && !movers_.contains(key))
      if (const auto q = model_.speed(n.a).coordinate) key = {LeafKind::coordinate, *q};
    const auto [at, fresh] = movers_.try_emplace(key, 0);
    if (fresh) at->second = loops_.add_node();
    return at->second;
  }

  const Model& model_;
  const std::set<std::uint32_t>& switched_;
  Loops loops_;
  std::map<std::pair<LeafKind, std::uint32_t>, std::size_t> movers_;
  std::map<std::string, std::size_t> owners_;
};

}  // namespace

void keep_rows_that_share(const Model& model, const std::set<std::uint32_t>& acting,
                          const std::set<std::uint32_t>& switched, std::vector<JointCandidate>& candidates) {
  if (acting.empty()) return;
  const Ties ties(model, switched);
  std::set<std::size_t> sharing;
  for (const Constraint& c : model.constraints)
    for (std::uint32_t row = c.first_row; row < c.first_row + c.row_count; ++row)
      if (const auto loop = ties.loop_of(owner(c)); loop && acting.contains(row) && !switched.contains(row))
        sharing.insert(*loop);
  for (JointCandidate& c : candidates)
    if (const auto loop = ties.loop_of(c.joint->joint); loop && c.why_rows.empty() && sharing.contains(*loop))
      c.why_rows = "it may share its load with rows whose reaction acts";
}

}  // namespace mbc::sema
