// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/watched/kinks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "compiler/ad/forward.h"
#include "compiler/graph/tables.h"
#include "compiler/sema/expressions/definedness.h"

namespace mbc::sema {

namespace {

using kernel::Piecewise;

constexpr std::size_t kMostKinks = 100;

// Returns whether the operation chooses its mode by the values of its operands. Equality is left out, because it holds
// only at single values. Combinations of conditions follow their operands.
bool branches(Op op) {
  using Continuity = kernel::OpTraits::Continuity;
  const Continuity c = kernel::traits(op).continuity;
  return op == Op::table ||
         ((c == Continuity::kink || c == Continuity::jump) &&
          !(kernel::is_comparison(op) && kernel::traits(op).order == kernel::OpTraits::Order::commutative));
}

// The functions from the argument of a table to the number of its interval, 0 at the first point, and back.
struct Intervals {
  std::shared_ptr<const kernel::DataTable> number, place;
};

Intervals intervals_of(const kernel::DataTable& table) {
  using kernel::DataTable;
  const std::span<const double> x = table.arguments();
  const std::size_t n = x.size();
  std::vector<double> numbers(n);
  for (std::size_t k = 0; k < n; ++k) numbers[k] = static_cast<double>(k);
  std::vector<double> from{-0.5}, to{x[0] - 0.5 * (x[1] - x[0])};
  from.insert(from.end(), numbers.begin(), numbers.end());
  to.insert(to.end(), x.begin(), x.end());
  from.push_back(numbers.back() + 0.5);
  to.push_back(x[n - 1] + 0.5 * (x[n - 1] - x[n - 2]));
  return {std::make_shared<DataTable>(x, numbers, DataTable::Method::linear, DataTable::Beyond::line),
          std::make_shared<DataTable>(from, to, DataTable::Method::linear, DataTable::Beyond::hold)};
}

class Kinks {
 public:
  explicit Kinks(Model& model) : model_(model), graph_(model.graph) {
    for (const Body& b : model.bodies)
      if (b.representation == Representation::tree)
        for (const NodeId n : b.quaternion) quaternions_.insert(n.value);
  }

  void find() {
    collect();
    const std::vector<NodeId> order = reached(roots_);
    const auto kinks = std::count_if(order.begin(), order.end(), [this](NodeId id) { return watchable(id); });
    const bool too_many = static_cast<std::size_t>(kinks) > kMostKinks;
    note_unlocated(order, too_many);
    if (kinks == 0 || too_many) return;
    std::vector<EnergyTerm*> kinetic;
    for (EnergyTerm& e : model_.energies) {
      bool kinks_in_it = false;
      for (const NodeId id : reached({&e.value})) {
        energy_of_.try_emplace(id.value, &e);
        kinks_in_it = kinks_in_it || watchable(id);
      }
      if (kinks_in_it && e.kind == EnergyTerm::Kind::kinetic) kinetic.push_back(&e);
    }
    for (const NodeId id : order) look(id);
    for (const NodeId id : reached(slides_)) carry(id);
    for (const std::vector<NodeId*>* list : {&roots_, &slides_})
      for (NodeId* root : *list) *root = now(root->value);
    for (const Unilateral& u : model_.unilaterals)
      model_.event_values[u.contact.gap] = u.residual;  // the gap is the residual of the row
    for (const EnergyTerm* e : kinetic) watch_momenta(*e);
  }

  // Steps end at the discontinuities of prescribed positions. Their derivatives are taken as written; no mode is held.
  void watch_places() {
    if (!prescribed_have_corners()) return;
    for (const Particle& p : model_.particles)
      if (!p.first_coordinate) watch(p.name.text(), p.position, p.velocity, {}, {});
    for (const Body& b : model_.bodies)
      if (!b.first_coordinate) watch(b.name, b.position, b.velocity, b.rotation, b.omega);
  }

 private:
  // One pass looks at all places, because those of a long chain contain each other.
  [[nodiscard]] bool prescribed_have_corners() const {
    std::vector<NodeId> places;
    const auto add = [&](const auto& nodes) { places.insert(places.end(), nodes.begin(), nodes.end()); };
    for (const Particle& p : model_.particles)
      if (!p.first_coordinate) add(p.position);
    for (const Body& b : model_.bodies)
      if (!b.first_coordinate) {
        add(b.position);
        add(b.rotation);
      }
    std::vector<NodeId*> roots;
    for (NodeId& e : places) roots.push_back(&e);
    const std::vector<NodeId> order = reached(roots);
    return std::any_of(order.begin(), order.end(), [this](NodeId id) { return has_corners(id) && watchable(id); });
  }

  // Adds dT/du of each speed, in the modes that are held: the energy does not show a jump of terms linear in the
  // speeds.
  void watch_momenta(const EnergyTerm& e) {
    problem::ContinuityCheck made{e.name, static_cast<std::uint32_t>(model_.event_values.size()), 0, 0};
    std::set<std::uint32_t> speeds;
    for (const Node& n : graph::leaves(graph_, e.value))
      if (n.leaf == LeafKind::speed) speeds.insert(n.a);
    for (const std::uint32_t j : speeds) {
      const auto along = [&](const Node& n) { return n.leaf == LeafKind::speed && n.a == j ? graph_.one() : NodeId{}; };
      const NodeId momentum = ad::derivative(graph_, {&e.value, 1}, along)[0];
      if (!momentum.valid()) continue;
      model_.add_value(momentum);
      ++made.speeds;
    }
    if (made.speeds > 0) model_.momenta.push_back(std::move(made));
  }

  template <class Nodes>
  void watch(const std::string& name, const Nodes& position, const Nodes& velocity, const std::vector<NodeId>& rotation,
             const std::vector<NodeId>& omega) {
    std::vector<NodeId> places(position.begin(), position.end()), speeds(velocity.begin(), velocity.end());
    places.insert(places.end(), rotation.begin(), rotation.end());
    speeds.insert(speeds.end(), omega.begin(), omega.end());
    std::vector<NodeId*> roots;
    for (NodeId& e : places) roots.push_back(&e);
    const std::vector<NodeId> order = reached(roots);
    const auto cornered = [this](NodeId id) { return has_corners(id) && watchable(id); };
    const auto count = static_cast<std::size_t>(std::count_if(order.begin(), order.end(), cornered));
    if (count == 0 || model_.kinks.size() + count > kMostKinks) return;
    const std::unordered_map<std::uint32_t, NodeId> held = image_;
    for (const NodeId id : order)
      if (!branches(graph_.node(id).op) || has_corners(id)) look(id);
    image_ = held;
    model_.followed.push_back({name, static_cast<std::uint32_t>(model_.event_values.size()),
                               static_cast<std::uint32_t>(places.size()), static_cast<std::uint32_t>(speeds.size())});
    for (const std::vector<NodeId>* list : {&places, &speeds})
      for (const NodeId e : *list) model_.add_value(e);
  }

  [[nodiscard]] bool has_corners(NodeId id) const {
    const Node& n = graph_.node(id);
    return branches(n.op) &&
           (n.op != Op::table || graph::table_of(graph_, n)->method() != kernel::DataTable::Method::cubic);
  }

  void collect() {
    const auto add = [](std::vector<NodeId>& list, std::vector<NodeId*>& to) {
      for (NodeId& id : list) to.push_back(&id);
    };
    for (Force& f : model_.forces) add(f.value, roots_);
    for (Torque& m : model_.torques) add(m.value, m.friction ? slides_ : roots_);
    for (Torque& m : model_.torques)
      if (m.friction) add(m.omega, roots_);
    for (Friction& f : model_.frictions) {
      add(f.slip, roots_);
      roots_.push_back(&f.limit);
      roots_.push_back(&f.still);
    }
    for (GeneralisedLoad& l : model_.loads) roots_.push_back(&l.value);
    for (ReactionDependentForce& l : model_.reaction_dependent) roots_.push_back(&l.load);
    for (EnergyTerm& e : model_.energies) roots_.push_back(&e.value);
    for (State& s : model_.states) roots_.push_back(&s.rate);
    for (Equation& row : model_.equations) roots_.push_back(&row.residual);
    for (Unilateral& u : model_.unilaterals) roots_.push_back(&u.residual);
  }

  // Returns the nodes in evaluation order, without those that only test whether an operand is finite, and without what
  // stands for the quaternion of a body of a tree, whose own has no pieces.
  [[nodiscard]] std::vector<NodeId> reached(const std::vector<NodeId*>& roots) const {
    std::vector<NodeId> from, order;
    for (const NodeId* root : roots) from.push_back(*root);
    graph::walk(std::move(from), [&](NodeId id, std::vector<NodeId>& open) {
      order.push_back(id);
      const graph::Operands operands(graph_.node(id));
      if (quaternions_.contains(id.value)) return true;
      if (const std::optional<NodeId> tested = tested_by(graph_, id))
        open.push_back(*tested);
      else
        open.insert(open.end(), operands.begin(), operands.end());
      return true;
    });
    std::sort(order.begin(), order.end(), [](NodeId a, NodeId b) { return a.value < b.value; });
    return order;
  }

  // Returns whether a mode depends on positions, velocities, states and the time. Inputs do not count, since they jump
  // by themselves, nor do accelerations and multipliers, which follow from the mode.
  [[nodiscard]] bool watchable(NodeId id) const {
    if (!branches(graph_.node(id).op)) return false;
    bool moves = false;
    for (const Node& n : graph::leaves(graph_, id)) {
      const bool held = model_.discrete_index(n).has_value();
      const bool state = n.leaf == LeafKind::time || n.leaf == LeafKind::coordinate || n.leaf == LeafKind::speed ||
                         n.leaf == LeafKind::state;
      if (!held && !state && n.leaf != LeafKind::param) return false;
      moves |= state;
    }
    return moves;
  }

  // Returns whether an operand changes only with the mode of a piecewise function in it, so that functions of it are
  // constant while that mode is held.
  [[nodiscard]] bool stands(NodeId operand) const {
    return graph::walk({operand}, [this](NodeId id, std::vector<NodeId>& open) {
      const Node& n = graph_.node(id);
      const bool held = n.op == Op::select && is_branch(NodeId{n.a});
      const graph::Operands operands(n);
      open.insert(open.end(), operands.begin(), held ? operands.begin() + 2 : operands.end());
      return n.op != Op::leaf || n.leaf == LeafKind::param || n.leaf == LeafKind::input;
    });
  }

  [[nodiscard]] bool is_branch(NodeId id) const {
    return model_.is_discrete(graph_.node(id), problem::DiscreteVariable::Use::mode);
  }

  // Notes the first operation whose mode may change inside a step without an event.
  void note_unlocated(const std::vector<NodeId>& order, bool all) {
    const auto changes = [](const Node& n) { return n.leaf != LeafKind::param && n.leaf != LeafKind::input; };
    for (const NodeId id : order) {
      if (!branches(graph_.node(id).op) || (!all && watchable(id))) continue;
      if (std::ranges::none_of(graph::leaves(graph_, id), changes)) continue;
      model_.unlocated_kink = graph_.origin(id);
      return;
    }
  }

  [[nodiscard]] NodeId now(std::uint32_t id) const {
    const auto found = image_.find(id);
    return found == image_.end() ? NodeId{id} : found->second;
  }

  // Rebuilds the node on the current images of its operands.
  void carry(NodeId id) {
    if (image_.contains(id.value)) return;
    const Node n = graph_.node(id);
    const graph::Operands operands(n);
    if (std::none_of(operands.begin(), operands.end(), [this](NodeId x) { return now(x.value) != x; })) return;
    const graph::SpanScope span(graph_, graph_.origin(id));
    image_[id.value] = graph_.remake(n, [this](std::uint32_t of) { return now(of); });
  }

  void look(NodeId id) {
    looked_at_ = id;
    const Node n = graph_.node(id);
    const std::uint32_t count = graph::arity(n.op);
    if (count == 0) return;
    if (n.op == Op::table) return look_at_table(id);
    if (const std::optional<NodeId> tested = tested_by(graph_, id)) {
      if (now(tested->value) != *tested) image_[id.value] = zero_if_finite(graph_, now(tested->value));
      return;
    }
    carry(id);
    if (!watchable(id)) return;
    const graph::SpanScope span(graph_, graph_.origin(id));
    const NodeId a = now(n.a), b = count > 1 ? now(n.b) : NodeId{};
    if (stands(a) && (count < 2 || stands(b))) return;
    image_[id.value] = held_branch(n.op, now(id.value), a, b, graph_.origin(id));
  }

  // Uses the polynomial of the held interval, about its middle; while the mode is open the argument itself is the
  // middle. For a table of the time alone the points are known times.
  void look_at_table(NodeId id) {
    const Node n = graph_.node(id);
    const graph::SpanScope span(graph_, graph_.origin(id));
    const NodeId x = now(n.a);
    const auto at = [&](NodeId argument) { return graph_.binary(Op::table, argument, NodeId{n.b}); };
    if (!watchable(id)) {
      if (x.value != n.a) image_[id.value] = at(x);
      return;
    }
    graph::Graph& g = graph_;
    const std::shared_ptr<const kernel::DataTable> points = graph::table_of(g, n);
    const Intervals intervals = intervals_of(*points);
    const NodeId branch = add_branch(graph_.origin(id));
    const NodeId middle = g.select(branch, graph::table(g, branch, intervals.place), x), off = g.sub(x, middle);
    NodeId value = at(middle), power = off;
    for (std::uint32_t k = 1; k + graph::table_order(g, n) <= points->highest_order(); ++k) {
      value = g.add(value, g.mul(graph::table_derivative(g, at(middle), k), power));
      power = g.mul(power, g.mul(off, g.constant(1.0 / (k + 1))));
    }
    // a table that ends at its last point has no interval, and no value, beyond it
    const bool ends = points->beyond() == kernel::DataTable::Beyond::error;
    const double last = static_cast<double>(points->arguments().size() - 1), beyond = ends ? -0.25 : 0.5;
    const NodeId below = g.binary(Op::min, graph::table(g, x, intervals.number), g.constant(last + beyond));
    const NodeId number = g.binary(Op::max, g.constant(-beyond), below);
    if (ends) value = g.add(value, zero_if_finite(g, at(x)));
    image_[id.value] = value;
    const NodeId from_middle = g.unary(Op::abs, g.sub(number, branch));
    add(Discontinuity::Kind::steps, g.sub(from_middle, g.constant(0.5)), number, graph_.origin(id));
    if (graph_.node(x).op != Op::leaf || graph_.node(x).leaf != LeafKind::time) return;
    model_.kinks.back().kind = Event::Kind::samples;
    model_.kinks.back().samples = points;
  }

  // Returns the function with its mode held; `open` is the function as written.
  NodeId held_branch(Op op, NodeId open, NodeId a, NodeId b, Span span) {
    graph::Graph& g = graph_;
    const NodeId branch = add_branch(span);
    const NodeId above = g.binary(Op::lt, g.zero(), branch);
    const auto held = [&](NodeId value) { return g.select(branch, value, open); };
    switch (kernel::piecewise(op)) {
      case Piecewise::sign:
        add(Discontinuity::Kind::jump, a, {}, span);
        return held(g.unary(Op::sign, branch));
      case Piecewise::abs:
        add(Discontinuity::Kind::edge, a, {}, span);
        return held(g.mul(branch, a));
      case Piecewise::min:
        add(Discontinuity::Kind::edge, g.sub(a, b), {}, span);
        return held(g.select(above, b, a));
      case Piecewise::max:
        add(Discontinuity::Kind::edge, g.sub(a, b), {}, span);
        return held(g.select(above, a, b));
      case Piecewise::floor: {  // the end of the step is one half from its middle
        const NodeId off = g.sub(a, branch);
        add(Discontinuity::Kind::steps, g.sub(g.mul(off, off), g.constant(0.25)), a, span);
        return held(g.unary(Op::floor, branch));
      }
      case Piecewise::lt:
      case Piecewise::le:
        add(Discontinuity::Kind::jump, g.sub(b, a), {}, span);
        return held(above);
      case Piecewise::eq:
      case Piecewise::ne:
      case Piecewise::logical_and:
      case Piecewise::logical_or:
      case Piecewise::logical_not:
      case Piecewise::select:
        break;
    }
    return open;  // no mode of its own
  }

  NodeId add_branch(Span span) {
    const std::string name = "branch " + std::to_string(model_.kinks.size() + 1);
    return model_.discrete(model_.add_held(problem::DiscreteVariable::Use::mode, name, {}, span));
  }

  void add(Discontinuity::Kind kind, NodeId value, NodeId inside, Span span) {
    Event made;
    made.kind = kind == Discontinuity::Kind::steps ? Event::Kind::rising : Event::Kind::crossing;
    made.name = "kink";
    made.value = model_.add_value(value);
    made.span = span;
    Discontinuity& kink = made.kink.emplace();
    kink.kind = kind;
    kink.mode = static_cast<std::uint32_t>(model_.held.size() - 1);
    kink.of_speeds = graph::holds(graph_, value, {LeafKind::speed});
    kink.of_time = !graph::holds(graph_, value, {LeafKind::coordinate, LeafKind::speed, LeafKind::state});
    if (const auto energy = energy_of_.find(looked_at_.value); energy != energy_of_.end())
      kink.of = std::string(energy->second->name);
    if (inside.valid()) kink.inside = model_.add_value(inside);
    model_.kinks.push_back(std::move(made));
  }

  Model& model_;
  graph::Graph& graph_;
  std::vector<NodeId*> roots_, slides_;              // slides_: forces of frictions; their direction is no mode
  std::unordered_map<std::uint32_t, NodeId> image_;  // images of nodes that depend on a mode
  std::unordered_map<std::uint32_t, const EnergyTerm*> energy_of_;
  std::set<std::uint32_t> quaternions_;  // that stand for those of bodies
  NodeId looked_at_;
};

}  // namespace

bool has_fixed_steps(const Simulation& block) {
  if (block.contact.method == settings::Contact::timestep) return true;
  return !settings::controls_error(block.integrator.method) || block.integrator.find(settings::Argument::fixed);
}

bool locates_kinks(const Simulation& block) {
  return block.kinks.written ? block.kinks.method == settings::Kinks::locate : !has_fixed_steps(block);
}

void find_kinks(Model& model) {
  const std::vector<Simulation>& blocks = model.simulations;
  if (!blocks.empty() && std::none_of(blocks.begin(), blocks.end(), locates_kinks)) return;
  Kinks kinks(model);
  kinks.find();
  kinks.watch_places();
}

}  // namespace mbc::sema
