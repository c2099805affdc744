// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/trees.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/ad/motion.h"
#include "compiler/lower/tree_dynamics.h"

namespace mbc::lower {

namespace {

using Nodes = std::vector<NodeId>;

// The structure of a tree, which its expressions do not show: who carries each link, and whether it turns alone.
struct Shape {
  std::vector<std::optional<std::uint32_t>> carrier;  // among the links of the tree
  std::vector<char> turns_alone;
  bool operator<(const Shape& other) const {
    return std::tie(carrier, turns_alone) < std::tie(other.carrier, other.turns_alone);
  }
};

Shape shape_of(const sema::Model& model, const std::vector<std::uint32_t>& tree) {
  Shape shape;
  std::map<std::uint32_t, std::uint32_t> at;  // by body
  for (const std::uint32_t k : tree) {
    const sema::Link& l = model.links[k];
    shape.carrier.push_back(l.carrier ? std::optional(at.at(*l.carrier)) : std::nullopt);
    shape.turns_alone.push_back(l.turns_alone ? 1 : 0);
    at.emplace(l.body, static_cast<std::uint32_t>(at.size()));
  }
  return shape;
}

// Makes the links of a template from its roots, in the order in which add_trees lists them.
class Links {
 public:
  Links(Family& family, std::size_t space)
      : f_(family), g_(family.shape.graph), algebra_(g_), motion_(family.shape.motion()), space_(space) {}

  Vector3 vector() { return space_ == 2 ? Vector3{take(), take(), g_.zero()} : Vector3{take(), take(), take()}; }

  void add(std::optional<std::uint32_t> carrier, bool turns_alone) {
    const NodeId mass = take();
    const Vector3 com = vector(), point = vector(), placed = vector();
    const Tensor3 inertia = tensor();
    const Matrix3 R = matrix();
    const Vector3 omega = space_ == 2 ? Vector3{g_.zero(), g_.zero(), take()} : vector();
    const Vector3 r = carrier ? algebra_.difference(placed, point_of_[*carrier]) : placed;
    TreeLink l = slid(carrier ? std::optional(at_[*carrier]) : std::nullopt, r);
    turn(l, R, omega, turns_alone);
    const TreeLink inside = slid(at_last(), algebra_.difference(algebra_.zero(), point));
    const bool moves = !inside.columns.empty();
    if (moves) links_.push_back(inside);
    point_of_.push_back(moves ? algebra_.zero() : point);
    at_.push_back(at_last());
    const Vector3 c = algebra_.difference(com, point_of_.back()), h = algebra_.scaled(mass, c);
    links_.back().inertia = {mass, h, algebra_.sum(inertia, algebra_.moments(c, h))};
  }

  [[nodiscard]] const std::vector<TreeLink>& links() const { return links_; }

 private:
  NodeId take() { return f_.shape.roots[next_++]; }
  Matrix3 matrix() {
    Matrix3 R = algebra_.identity();
    for (std::size_t i = 0; i < space_; ++i)
      for (std::size_t j = 0; j < space_; ++j) R[3 * i + j] = take();
    return R;
  }
  Tensor3 tensor() {
    Tensor3 I;
    I.fill(g_.zero());
    if (space_ == 2)
      I[2] = take();
    else
      for (NodeId& x : I) x = take();
    return I;
  }

  [[nodiscard]] std::uint32_t at_last() const { return static_cast<std::uint32_t>(links_.size()) - 1; }

  // Adds the slopes of a vector by the speeds to the columns of a link.
  void add_columns(TreeLink& l, const std::array<ad::Row, 3>& rows, Vector3 JointColumn::*part) {
    for (std::size_t k = 0; k < 3; ++k)
      for (const auto& [speed, value] : rows[k].jacobian) {
        auto column = std::ranges::find(l.columns, speed, &JointColumn::speed);
        if (column == l.columns.end()) column = l.columns.insert(column, {speed, algebra_.zero(), algebra_.zero()});
        (*column.*part)[k] = value;
      }
  }

  // A link without mass at the place r of its carrier, in the same axes.
  TreeLink slid(std::optional<std::uint32_t> carrier, const Vector3& r) {
    TreeLink l;
    l.carrier = carrier;
    l.R = algebra_.identity();
    l.r = r;
    l.omega = l.omega_bias = algebra_.zero();
    l.inertia = {g_.zero(), algebra_.zero(), {}};
    l.inertia.I.fill(g_.zero());
    std::array<ad::Row, 3> rows;
    for (std::size_t k = 0; k < 3; ++k) {
      rows[k] = ad::differentiate(g_, r[k], ad::Level::position, motion_);
      l.r_rate[k] = rows[k].rate;
      l.r_bias[k] = rows[k].bias;
    }
    add_columns(l, rows, &JointColumn::slides);
    return l;
  }

  // Turns the axes of a link. One that slides and turns becomes two, so that nothing of its slide is turned.
  void turn(TreeLink& l, const Matrix3& R, const Vector3& omega, bool alone) {
    std::array<ad::Row, 3> rows;
    for (std::size_t k = 0; k < 3; ++k) rows[k] = ad::differentiate(g_, omega[k], ad::Level::velocity, motion_);
    const bool turns = std::ranges::any_of(rows, [](const ad::Row& row) { return !row.jacobian.empty(); });
    if (turns && !l.columns.empty()) {
      links_.push_back(l);
      l = slid(at_last(), algebra_.zero());
    }
    l.R = R;
    l.turns_alone = alone;
    l.omega = omega;
    for (std::size_t k = 0; k < 3; ++k) l.omega_bias[k] = rows[k].bias;
    add_columns(l, rows, &JointColumn::turns);
    links_.push_back(l);
  }

  Family& f_;
  Graph& g_;
  Algebra3 algebra_;
  ad::Motion motion_;
  std::size_t space_, next_ = 0;
  std::vector<TreeLink> links_;
  std::vector<Vector3> point_of_;  // by link of the model
  std::vector<std::uint32_t> at_;  // by link of the model: where its body is
};

void expand(Part& part, const Shape& shape, std::size_t space, bool heavy) {
  Graph& g = part.family.shape.graph;
  Links links(part.family, space);
  const Vector3 gravity = heavy ? links.vector() : Vector3{g.zero(), g.zero(), g.zero()};
  for (std::size_t k = 0; k < shape.carrier.size(); ++k) links.add(shape.carrier[k], shape.turns_alone[k] != 0);
  part.links = links.links();
  const TreeSums sums = tree_dynamics(g, part.links, gravity);
  for (const auto& [ij, value] : sums.mass)
    if (!g.is_zero(value)) part.contributions.push_back({Target::mass, ij.first, ij.second, value});
  for (const auto& [i, value] : sums.force)
    if (!g.is_zero(value)) part.contributions.push_back({Target::force, i, 0, value});
  part.contributions.push_back({Target::kinetic_energy, 0, 0, sums.kinetic});
  if (!g.is_zero(sums.potential)) part.contributions.push_back({Target::potential_energy, 0, 0, sums.potential});
}

// Returns the trees of a model as lists of Model::links, carriers first.
std::vector<std::vector<std::uint32_t>> trees_of(const sema::Model& model) {
  std::vector<std::vector<std::uint32_t>> trees;
  std::map<std::uint32_t, std::size_t> tree_of;  // by body
  for (std::uint32_t k = 0; k < model.links.size(); ++k) {
    const sema::Link& l = model.links[k];
    const std::size_t tree = l.carrier ? tree_of.at(*l.carrier) : trees.size();
    if (!l.carrier) trees.emplace_back();
    tree_of[l.body] = tree;
    trees[tree].push_back(k);
  }
  std::erase_if(trees, [&](const std::vector<std::uint32_t>& tree) {
    return tree.size() == 1 && model.bodies[model.links[tree[0]].body].first_coordinate;
  });
  return trees;
}

}  // namespace

std::set<std::uint32_t> add_trees(const sema::Model& model, System& system) {
  std::set<std::uint32_t> bodies;
  const std::size_t n = model.space;
  std::map<Shape, FamilyBuilder> builders;
  for (const std::vector<std::uint32_t>& tree : trees_of(model)) {
    Nodes roots = model.gravity;
    const auto put = [&](const Nodes& nodes) { roots.insert(roots.end(), nodes.begin(), nodes.end()); };
    for (const std::uint32_t k : tree) {
      const sema::Link& l = model.links[k];
      const sema::Body& b = model.bodies[l.body];
      bodies.insert(l.body);
      roots.push_back(b.mass);
      for (const Nodes& part :
           {b.com.empty() ? Nodes(n, model.graph.zero()) : b.com, l.point, l.r, b.inertia, l.R, l.omega})
        put(part);
    }
    builders.try_emplace(shape_of(model, tree), model, 1).first->second.add(model.links[tree[0]].body, roots);
  }
  for (auto& [shape, builder] : builders)
    for (Family& family : builder.finish()) {
      Part part{std::move(family), {}, "body"};
      expand(part, shape, n, !model.gravity.empty());
      system.parts.push_back(std::move(part));
    }
  return bodies;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_of_outputs(const sema::Model& model) {
  const std::vector<std::vector<std::uint32_t>> trees = trees_of(model);
  std::vector<std::size_t> tree_of(model.outputs.size(), trees.size());
  for (std::size_t tree = 0; tree < trees.size(); ++tree)
    for (const std::uint32_t k : trees[tree])
      for (const problem::Recorded& column : model.bodies[model.links[k].body].columns)
        if (column.kind == problem::Recorded::Kind::output) tree_of[column.index] = tree;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  for (std::uint32_t k = 0; k < tree_of.size(); ++k)
    if (k > 0 && tree_of[k] < trees.size() && tree_of[k] == tree_of[k - 1])
      ++runs.back().second;
    else
      runs.emplace_back(k, 1);
  return runs;
}

}  // namespace mbc::lower
