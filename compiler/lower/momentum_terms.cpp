// SPDX-License-Identifier: Apache-2.0
// If q_k' = u_k and every other rate is free of q_k and u_k, d/dt (dT/du_k) of a particle of mass m and velocity v is
// J_k.(forces on it) + m v.J_k', J_k = dv/du_k. For omega = D u + .. in body axes, and h = I omega, it is D_k.(moments)
// + h.(D_k' + omega x D_k). For holonomic expressions J_k' = dv/dq_k, so that these are dT/dq_k.
#include "compiler/lower/momentum_terms.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/sema/rotations.h"

namespace mbc::lower {

namespace {

using Nodes = std::vector<NodeId>;
using SourceKind = MomentumSource::Kind;

struct Column {  // d(roots)/d(speed) of one column
  std::uint32_t column = 0;
  Nodes slopes;
};

class Gathering {
 public:
  explicit Gathering(const sema::Model& model) : model_(model), g_(out_.graph) {
    out_.graph = model.graph;
    motion_ = {[this](std::uint32_t i) { return model_.coordinates[i].rate; },
               [this](std::uint32_t k) { return model_.states[k].rate; }};
  }

  MomentumTerms run() {
    columns();
    for (const sema::Particle& p : model_.particles) translation(p.mass, p.position, nullptr, p.span);
    for (const sema::Body& b : model_.bodies) body(b);
    energies();
    loads();
    rows();
    out_.complete = !exhausted();
    return std::move(out_);
  }

 private:
  // Finds the speeds that are rates of coordinates on which no other rate depends. The rotation of a free body in space
  // has no such speed.
  void columns() {
    column_of_speed_.assign(model_.speeds.size(), kNone);
    column_of_coordinate_.assign(model_.coordinates.size(), kNone);
    std::vector<bool> open(model_.coordinates.size(), true);
    const auto exact = [&](std::uint32_t i) {
      const Node& rate = g_.node(model_.coordinates[i].rate);
      return rate.op == Op::leaf && rate.leaf == LeafKind::speed && model_.speeds[rate.a].coordinate == i;
    };
    for (const sema::Body& b : model_.bodies)
      if (b.first_coordinate && model_.space == 3) {
        const std::uint32_t end = *b.first_coordinate + (b.representation == sema::Representation::natural ? 12 : 7);
        for (std::uint32_t i = *b.first_coordinate + 3; i < end; ++i) open[i] = false;
      }
    std::set<std::uint32_t> taken;  // speeds that other rates hold
    for (std::uint32_t i = 0; i < open.size(); ++i) {
      if (exact(i)) continue;
      for (const Node& n : graph::leaves(g_, model_.coordinates[i].rate)) {
        if (n.leaf == LeafKind::coordinate) open[n.a] = false;
        if (n.leaf == LeafKind::speed) taken.insert(n.a);
      }
    }
    for (std::uint32_t i = 0; i < open.size(); ++i) {
      if (!open[i] || !exact(i)) continue;
      const std::uint32_t speed = g_.node(model_.coordinates[i].rate).a;
      if (taken.count(speed) > 0) continue;
      column_of_speed_[speed] = column_of_coordinate_[i] = static_cast<std::uint32_t>(out_.speeds.size());
      out_.speeds.push_back(speed);
    }
  }

  [[nodiscard]] bool exhausted() const { return work_ > kWork + kWorkOfSpeed * model_.speeds.size(); }

  // Returns the columns of the leaves of `kind` below the roots, ascending; none if differentiating by them is more
  // work than may be done. A body of a long chain has all columns, each of them a pass over the whole chain.
  std::vector<std::uint32_t> columns_below(const Nodes& roots, LeafKind kind) {
    const std::vector<std::uint32_t>& of = kind == LeafKind::coordinate ? column_of_coordinate_ : column_of_speed_;
    std::set<std::uint32_t> found;
    const std::vector<NodeId> below = graph::reachable(g_, roots);
    for (const NodeId id : below)
      if (const Node& n = g_.node(id); n.op == Op::leaf && n.leaf == kind && of[n.a] != kNone) found.insert(of[n.a]);
    work_ += found.size() * below.size();
    if (exhausted()) return {};
    return {found.begin(), found.end()};
  }

  // Returns d(roots)/d(leaf of that kind of each column); columns without effect are left out.
  std::vector<Column> slopes(const Nodes& roots, LeafKind kind) {
    const std::vector<std::uint32_t>& of = kind == LeafKind::coordinate ? column_of_coordinate_ : column_of_speed_;
    std::vector<Column> result;
    for (std::uint32_t c : columns_below(roots, kind)) {
      Column made{c, ad::derivative(g_, roots, [&](const Node& n) {
                    return n.leaf == kind && of[n.a] == c ? g_.one() : NodeId{};
                  })};
      if (std::any_of(made.slopes.begin(), made.slopes.end(), [&](NodeId d) { return !g_.is_zero(d); }))
        result.push_back(std::move(made));
    }
    return result;
  }

  Nodes rates(const Nodes& roots) {
    return ad::derivative(g_, roots, [&](const Node& n) -> NodeId {
      if (n.leaf == LeafKind::time) return g_.one();
      if (n.leaf == LeafKind::coordinate) return motion_.rate(n.a);
      return n.leaf == LeafKind::state ? motion_.state_rate(n.a) : NodeId{};
    });
  }

  // Returns the partial velocities of positions. No position depends on a state whose rate holds speeds.
  std::vector<Column> partial_velocities(const Nodes& position) { return slopes(position, LeafKind::coordinate); }

  MomentumSource& source(SourceKind kind, const std::string& what, const std::string& name) {
    return out_.sources.emplace_back(MomentumSource{kind, what, name, {}});
  }

  static void add(Graph& g, std::vector<MomentumTerm>& terms, std::uint32_t column, NodeId value) {
    if (!g.is_zero(value)) terms.push_back({column, value});
  }

  // `velocity` is given if it has an expression of its own; partial velocities are then its derivatives.
  void translation(NodeId mass, const Nodes& position, const Nodes* velocity, Span span) {
    graph::SpanScope scope(g_, span);
    const std::vector<Column> J = velocity ? slopes(*velocity, LeafKind::speed) : partial_velocities(position);
    if (J.empty()) return;
    std::optional<Nodes> v;
    std::vector<MomentumTerm> moved, pulled;
    for (const Column& c : J) {
      for (std::size_t k = 0; k < position.size(); ++k) {
        if (g_.is_zero(c.slopes[k])) continue;
        if (!model_.gravity.empty()) add(g_, pulled, c.column, g_.mul(mass, g_.mul(model_.gravity[k], c.slopes[k])));
        const NodeId turning = ad::time_derivative(g_, c.slopes[k], motion_);
        if (g_.is_zero(turning)) continue;
        if (!v) v = velocity ? *velocity : rates(position);
        add(g_, moved, c.column, g_.mul(mass, g_.mul((*v)[k], turning)));
      }
    }
    for (std::size_t k = 0; k < position.size(); ++k) {
      std::vector<MomentumTerm> form;
      for (const Column& c : J) add(g_, form, c.column, g_.mul(mass, c.slopes[k]));
      if (!form.empty()) out_.inertia.push_back(std::move(form));
    }
    keep(SourceKind::kinetic, std::move(moved));
    keep(SourceKind::potential, std::move(pulled));
  }

  void keep(SourceKind kind, std::vector<MomentumTerm> terms) {
    if (!terms.empty()) source(kind, "", "").terms = std::move(terms);
  }

  void body(const sema::Body& b) {
    const bool free = b.first_coordinate && model_.space == 3;
    const bool natural = free && b.representation == sema::Representation::natural;
    // the columns of a free body's rotation are in no direction, and its omega is in no other column
    translation(b.mass, b.centre, free && !natural && !b.com.empty() ? &b.centre_velocity : nullptr, b.span);
    if (!free) rotation(b);
  }

  // h.(D_k' + omega x D_k)
  void rotation(const sema::Body& b) {
    graph::SpanScope scope(g_, b.span);
    const std::size_t n = b.omega.size();
    const Nodes h = sema::times_inertia(g_, b.inertia, b.omega);
    std::vector<MomentumTerm> turned;
    std::vector<std::vector<MomentumTerm>> forms(n);
    for (const Column& c : slopes(b.omega, LeafKind::speed)) {
      const Nodes ID = sema::times_inertia(g_, b.inertia, c.slopes);
      for (std::size_t i = 0; i < n; ++i) {
        add(g_, forms[i], c.column, ID[i]);
        NodeId rate = ad::time_derivative(g_, c.slopes[i], motion_);
        if (n == 3) {
          const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
          rate = g_.add(rate, g_.sub(g_.mul(b.omega[j], c.slopes[k]), g_.mul(b.omega[k], c.slopes[j])));
        }
        add(g_, turned, c.column, g_.mul(h[i], rate));
      }
    }
    for (std::vector<MomentumTerm>& form : forms)
      if (!form.empty()) out_.inertia.push_back(std::move(form));
    keep(SourceKind::kinetic, std::move(turned));
  }

  void energies() {
    using Term = sema::EnergyTerm::Kind;
    for (const sema::EnergyTerm& e : model_.energies) {
      graph::SpanScope scope(g_, e.span);
      const Nodes root{e.value};
      const bool dissipation = e.kind == Term::dissipation;
      MomentumSource made{dissipation               ? SourceKind::load
                          : e.kind == Term::kinetic ? SourceKind::kinetic
                                                    : SourceKind::potential,
                          dissipation ? "dissipation" : "",
                          e.name,
                          {}};
      for (const Column& c : slopes(root, dissipation ? LeafKind::speed : LeafKind::coordinate))
        made.terms.push_back({c.column, e.kind == Term::kinetic ? c.slopes[0] : g_.neg(c.slopes[0])});
      out_.sources.push_back(std::move(made));
      if (e.kind != Term::kinetic) continue;
      std::vector<MomentumTerm> momentum;  // zero at all speeds only if T does not depend on them
      for (const Column& c : slopes(root, LeafKind::speed)) momentum.push_back({c.column, c.slopes[0]});
      out_.inertia.push_back(std::move(momentum));
    }
  }

  void loads() {
    for (const sema::Force& f : model_.forces) {
      MomentumSource& made = source(SourceKind::load, "force", f.name);
      for (const Column& c : partial_velocities(f.position)) work(made, c, f.value);
    }
    for (const sema::Torque& f : model_.torques) {
      MomentumSource& made = source(SourceKind::load, f.friction ? "friction" : "torque", f.name);
      for (const Column& c : slopes(f.omega, LeafKind::speed)) work(made, c, f.value);
    }
    for (const sema::GeneralisedLoad& f : model_.loads)
      for (const Column& c : slopes({f.rate}, LeafKind::speed))
        work(source(SourceKind::load, "load", f.name), c, {f.value});
  }

  void work(MomentumSource& made, const Column& c, const Nodes& value) {
    for (std::size_t k = 0; k < value.size(); ++k) add(g_, made.terms, c.column, g_.mul(value[k], c.slopes[k]));
  }

  void rows() {
    for (const sema::Equation& e : model_.equations) {
      if (e.of_body) continue;  // its columns are in no direction
      graph::SpanScope scope(g_, e.span);
      const Nodes root{e.residual};
      const std::vector<Column> A = e.level == ad::Level::position   ? partial_velocities(root)
                                    : e.level == ad::Level::velocity ? slopes(root, LeafKind::speed)
                                                                     : slopes(root, LeafKind::accel);
      MomentumSource& made = source(SourceKind::row, "", e.name);
      for (const Column& c : A) made.terms.push_back({c.column, c.slopes[0]});
    }
  }

  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::size_t kWork = 1'000'000, kWorkOfSpeed = 3'000;  // nodes differentiated at most
  const sema::Model& model_;
  std::size_t work_ = 0;
  MomentumTerms out_;
  Graph& g_;
  ad::Motion motion_;
  std::vector<std::uint32_t> column_of_speed_, column_of_coordinate_;
};

}  // namespace

MomentumTerms momentum_terms(const sema::Model& model) { return Gathering(model).run(); }

}  // namespace mbc::lower
