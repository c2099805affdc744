// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/forest.h"

#include <map>
#include <set>
#include <tuple>

namespace mbc::sema {

namespace {

// Nanoseconds of native code of a right-hand side, measured on twelve examples with joints and on scissors of 3 to 10
// units: what a free body in rows costs in the plane and in space, a carried one, and a coordinate of a row that is
// left, as long as these rows are eliminated in straight-line code and beyond. Chains of 200 have 20,000 entries of M:
// more of them take longer to compile than rows.
constexpr double kFreeInPlane = 35, kFreeInSpace = 200, kCarried = 16, kColumn = 8, kColumnOfMany = 60;
constexpr std::size_t kMany = 12, kMostEntries = 20'000;

// The bodies on the way from each body to the root of its tree, and their coordinates.
class Paths {
 public:
  Paths(const Model& model, const std::vector<JointCandidate>& candidates, const std::vector<Branch>& forest)
      : free_(model.space == 2 ? 3 : 6) {
    const std::uint32_t turning = model.space == 2 ? 1 : 3;
    for (const Branch& b : forest) {
      carrier_[b.body] = b.carrier;
      const Placement& joint = *candidates[b.candidate].joint;
      coordinates_[b.body] = joint.coordinates.size() + (joint.point() ? turning : 0);
    }
    const std::uint32_t standing = model.space == 2 ? 3 : 12;
    for (std::uint32_t i = 0; i < model.bodies.size(); ++i)
      if (const Body& b = model.bodies[i]; b.representation == Representation::tree)
        for (std::uint32_t k = 0; k < standing; ++k) body_of_[*b.first_coordinate - kPlaced + k] = i;
  }

  // Adds a body and those that carry it.
  void add(std::uint32_t body, std::set<std::uint32_t>& path) const {
    for (std::optional<std::uint32_t> at = body; at && path.insert(*at).second;) {
      const auto found = carrier_.find(*at);
      at = found == carrier_.end() ? std::nullopt : found->second;
    }
  }
  [[nodiscard]] std::set<std::uint32_t> below(const graph::Graph& g, NodeId e) const {
    std::set<std::uint32_t> path;
    for (const Node& n : graph::leaves(g, {&e, 1}))
      if (n.leaf == LeafKind::coordinate && n.a >= kPlaced)
        if (const auto body = body_of_.find(n.a - kPlaced); body != body_of_.end()) add(body->second, path);
    return path;
  }
  [[nodiscard]] std::size_t coordinates(const std::set<std::uint32_t>& path) const {
    std::size_t sum = 0;
    for (const std::uint32_t body : path) {
      const auto found = coordinates_.find(body);
      sum += found == coordinates_.end() ? free_ : found->second;
    }
    return sum;
  }

 private:
  std::size_t free_;
  std::map<std::uint32_t, std::optional<std::uint32_t>> carrier_;
  std::map<std::uint32_t, std::size_t> coordinates_;
  std::map<std::uint32_t, std::uint32_t> body_of_;  // by coordinate that stands, less kPlaced
};

}  // namespace

bool pays(const Model& model, const std::vector<JointCandidate>& candidates, const std::vector<Branch>& forest) {
  if (forest.empty()) return false;
  const Paths paths(model, candidates, forest);
  // Contacts and frictions do not always act, and cost the same share in either form.
  std::set<std::uint32_t> gone;
  const auto leave_out = [&](const Constraint& c) {
    for (std::uint32_t k = 0; k < c.row_count; ++k) gone.insert(c.first_row + k);
  };
  for (const Unilateral& u : model.unilaterals) leave_out(model.constraints[u.constraint]);
  for (const Friction& f : model.frictions) leave_out(model.constraints[f.constraint]);
  std::size_t entries = 0, columns = 0, rows = 0;
  for (const Branch& b : forest) {
    std::set<std::uint32_t> path;
    paths.add(b.body, path);
    entries += path.size();
    if (entries > kMostEntries) return false;
    gone.insert(candidates[b.candidate].rows.begin(), candidates[b.candidate].rows.end());
  }
  for (std::uint32_t k = 0; k < model.equations.size(); ++k) {
    if (gone.contains(k) || model.equations[k].of_body) continue;
    const std::size_t of_row = paths.coordinates(paths.below(model.graph, model.equations[k].residual));
    columns += of_row;
    rows += of_row > 0 ? 1 : 0;
  }
  const double free = model.space == 2 ? kFreeInPlane : kFreeInSpace;
  return (rows > kMany ? kColumnOfMany : kColumn) * static_cast<double>(columns) <
         (free - kCarried) * static_cast<double>(forest.size());
}

// Prim's algorithm, from the ground and, where no joint leads on, from the first body that is left.
std::vector<Branch> forest(const Model& model, const std::vector<JointCandidate>& candidates) {
  constexpr std::uint32_t kGround = 0xffffffffu;
  std::map<std::uint32_t, std::uint32_t> depth{{kGround, 0}};  // of what is in the forest
  std::vector<Branch> out;
  const auto grow = [&] {
    std::optional<Branch> best;
    std::tuple<std::size_t, std::int64_t> value{};  // rows; the nearer to the root, the larger
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const JointCandidate& c = candidates[k];
      if (!c.why_rows.empty()) continue;
      const std::uint32_t body = c.body, carrier = c.carrier.value_or(kGround);
      const bool from_carrier = depth.contains(carrier);
      if (from_carrier == depth.contains(body)) continue;
      const std::tuple here{c.rows.size(), -static_cast<std::int64_t>(depth.at(from_carrier ? carrier : body))};
      if (best && here <= value) continue;
      value = here;
      best = from_carrier ? Branch{body, c.carrier, k, false} : Branch{carrier, body, k, true};
    }
    if (!best) return false;
    depth[best->body] = depth.at(best->carrier.value_or(kGround)) + 1;
    out.push_back(*best);
    return true;
  };
  while (grow()) {
  }
  for (std::uint32_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].representation != Representation::tree || depth.contains(i)) continue;
    depth[i] = 0;
    while (grow()) {
    }
  }
  return out;
}

}  // namespace mbc::sema
