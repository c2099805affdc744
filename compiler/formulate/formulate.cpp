#include "compiler/formulate/formulate.h"

#include <algorithm>

#include "compiler/formulate/dense_steps.h"
#include "compiler/formulate/emit_block.h"
#include "compiler/formulate/inertia_rows.h"
#include "compiler/formulate/linear_plan.h"
#include "compiler/formulate/pattern.h"
#include "compiler/lower/baumgarte.h"
#include "runtime/support/mbc_support.h"

namespace mbc::formulate {

using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using kernel::Space;
using lower::Contribution;
using lower::Part;
using lower::System;
using lower::Target;

namespace {

class Formulation {
 public:
  Formulation(const System& system, const FormulateOptions& options)
      : system_(system),
        pattern_(system),
        inertia_rows_(choose_inertia_rows(system, pattern_.row_columns, pattern_.mass, options.inertia_rows)) {
    out_.layout.augmented = options.solve == Solve::augmented;
    lay_out();
    const MassPattern solved = with_rows(pattern_.mass, pattern_.row_columns, inertia_rows_);
    out_.straight =
        straight_cost(system.n_rows, pattern_.row_columns, solved, options.straight_limit) + unrolled_size() <=
        options.straight_limit;
    if (out_.straight)
      straight();
    else
      looped();
    kernel::Kernel& k = out_.kernel;
    k.n_state = out_.layout.n_y();
    k.n_params = system.n_params;
    k.n_inputs = system.n_inputs;
    k.n_mask = system.n_rows;
    k.n_work = work_;
    for (kernel::Function& f : k.functions)
      if (f.name == "rhs") {
        f.check_end = k.n_state;
        for (const kernel::Block& b : f.blocks) out_.operations += static_cast<std::uint32_t>(b.code.size()) * b.count;
      }
  }
  Formulated take() { return std::move(out_); }

 private:
  std::uint32_t field(const char* name, std::uint32_t size) {
    out_.kernel.fields.push_back({name, Space::work, work_, size});
    work_ += size;
    return work_ - size;
  }

  void lay_out() {
    SystemLayout& l = out_.layout;
    l.n_coordinates = system_.n_coordinates;
    l.n_speeds = system_.n_speeds;
    l.n_states = system_.n_states + 2;
    l.n_rows = system_.n_rows;
    l.n_outputs = system_.n_outputs;
    l.gains = system_.gains;
    for (const auto& columns : pattern_.row_columns) {
      l.column.insert(l.column.end(), columns.begin(), columns.end());
      l.row_ptr.push_back(static_cast<std::uint32_t>(l.column.size()));
    }
    for (const auto& [ij, unused] : pattern_.mass) l.mass.push_back(ij);
    auto& fields = out_.kernel.fields;
    fields.push_back({"q", Space::state, 0, l.n_coordinates});
    fields.push_back({"u", Space::state, l.speeds_at(), l.n_speeds});
    fields.push_back({"s", Space::state, l.states_at(), l.n_states});
    fields.push_back({"q'", Space::deriv, 0, l.n_coordinates});
    fields.push_back({"u'", Space::deriv, l.speeds_at(), l.n_speeds});
    fields.push_back({"s'", Space::deriv, l.states_at(), l.n_states});
    l.A = field("A", static_cast<std::uint32_t>(l.column.size()));
    l.b = field("b", l.n_rows);
    l.M = field("M", static_cast<std::uint32_t>(l.mass.size()));
    l.f = field("f", l.n_speeds);
    l.lambda = field("lambda", l.n_rows);
    l.pivot = field("pivot", l.n_rows);
    l.pivot_scale = field("pivot_scale", l.n_rows);
    l.position_residual = field("residual.position", l.n_rows);
    l.velocity_residual = field("residual.velocity", l.n_rows);
    l.kinetic = field("energy.kinetic", 1);
    l.potential = field("energy.potential", 1);
    l.correction = field("correction", l.n_speeds);
    l.outputs = field("output", l.n_outputs);
    for (std::uint32_t r = 0; r < l.n_rows; ++r)
      if (inertia_rows_[r]) l.inertia_rows.push_back(r);
    if (!l.inertia_rows.empty()) l.weight = field("weight", l.n_rows);
  }

  // D of the rows added to M, where the model does not say it: to be chosen (-1), or not added (0).
  std::vector<double> plain_weights() const {
    std::vector<double> weights;
    for (const bool added : inertia_rows_) weights.push_back(added ? -1.0 : 0.0);
    return weights;
  }

  std::uint64_t unrolled_size() const {
    std::uint64_t size = 0;
    for (const Part& p : system_.parts)  // tests do not change how a motion is computed
      if (std::string_view(p.what) != "watched")
        size += static_cast<std::uint64_t>(p.family.shape.graph.size()) * p.family.count;
    return size / 4;  // shared subexpressions and small nodes
  }

  std::uint32_t a_place(std::uint32_t row, std::uint32_t column) const {
    const SystemLayout& l = out_.layout;
    const auto begin = l.column.begin() + l.row_ptr[row], end = l.column.begin() + l.row_ptr[row + 1];
    return l.A + static_cast<std::uint32_t>(std::lower_bound(begin, end, column) - l.column.begin());
  }
  std::uint32_t m_place(std::uint32_t i, std::uint32_t j) const {
    const auto& mass = out_.layout.mass;
    return out_.layout.M +
           static_cast<std::uint32_t>(std::lower_bound(mass.begin(), mass.end(), ordered(i, j)) - mass.begin());
  }

  // The place a contribution of an instance goes to.
  Place target_place(const Part& part, const Contribution& c, std::uint32_t instance) const {
    const SystemLayout& l = out_.layout;
    const std::uint32_t item = part.family.items[instance];
    const auto speed = [&](std::uint32_t slot) { return part.family.index(instance, slot); };
    switch (c.target) {
      case Target::rate:
      case Target::state_rate:
        return {Space::deriv, false, c.target == Target::rate ? item : l.states_at() + item};
      case Target::mass:
        return {Space::work, false, m_place(speed(c.i), speed(c.j))};
      case Target::force:
        return {Space::work, false, l.f + speed(c.i)};
      case Target::jacobian:
        return {Space::work, false, a_place(item, speed(c.i))};
      case Target::right_side:
        return {Space::work, false, l.b + item};
      case Target::position_residual:
        return {Space::work, false, l.position_residual + item};
      case Target::velocity_residual:
        return {Space::work, false, l.velocity_residual + item};
      case Target::kinetic_energy:
        return {Space::work, false, l.kinetic};
      case Target::potential_energy:
        return {Space::work, false, l.potential};
      case Target::load_power:
        return {Space::deriv, false, l.work_at()};
      case Target::support_power:
      case Target::constraint_rate:
        return {Space::deriv, false, l.work_at() + 1};
      case Target::output:
        return {Space::work, false, l.outputs + item};
      case Target::row_weight:
        return {Space::work, false, l.weight + item};
      default:
        break;
    }
    return {};
  }

  // Places of leaves of the kernel-wide graph.
  Place leaf_place(const Node& n) const {
    const SystemLayout& l = out_.layout;
    switch (n.leaf) {
      case LeafKind::time:
        return {Space::time, false, 0};
      case LeafKind::coordinate:
        return {Space::state, false, n.a};
      case LeafKind::speed:
        return {Space::state, false, l.speeds_at() + n.a};
      case LeafKind::state:
      case LeafKind::state_rate:
        return {n.leaf == LeafKind::state ? Space::state : Space::deriv, false, l.states_at() + n.a};
      case LeafKind::accel:
        return {Space::deriv, false, l.speeds_at() + n.a};
      case LeafKind::param:
        return {Space::params, false, n.a};
      case LeafKind::input:
        return {Space::inputs, false, n.a};
      case LeafKind::mask:
        return {Space::mask, false, n.a};
      case LeafKind::multiplier:
        return {Space::work, false, l.lambda + n.a};
      case LeafKind::ideal:
      case LeafKind::slot_constant:
        break;
    }
    return {};
  }

  void add_function(const char* name, std::vector<Store> stores, const Graph& g) {
    kernel::Function f;
    f.name = name;
    f.blocks.push_back(emit_block(g, name, stores, [this](const Node& n) { return leaf_place(n); }));
    f.steps.push_back({true, 0});
    out_.kernel.functions.push_back(std::move(f));
  }

  // ---- straight-line: every instance written out on one graph, so that all of them share subexpressions

  struct Totals {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> mass;
    std::vector<std::vector<NodeId>> force;
    std::vector<NodeId> rate, state_rate, right_side, position, velocity, constraint_rate, output, weight;
    std::vector<SparseRow> rows;
    std::vector<NodeId> kinetic, potential, power, support;
  };

  void collect(Graph& g, Totals& t) const {
    const NodeId zero = g.zero();
    t.force.resize(system_.n_speeds);
    t.rate.assign(system_.n_coordinates, zero);
    t.state_rate.assign(system_.n_states, zero);
    t.output.assign(system_.n_outputs, zero);
    for (auto* per_row : {&t.right_side, &t.position, &t.velocity, &t.constraint_rate})
      per_row->assign(system_.n_rows, zero);
    t.rows.resize(system_.n_rows);
    t.weight.resize(system_.n_rows);
    for (const Part& part : system_.parts)
      for (std::uint32_t k = 0; k < part.family.count; ++k) collect_instance(g, part, k, t);
  }

  void collect_instance(Graph& g, const Part& part, std::uint32_t k, Totals& t) const {
    const lower::Family& family = part.family;
    std::vector<NodeId> roots;
    for (const Contribution& c : part.contributions) roots.push_back(c.value);
    const std::vector<NodeId> value = graph::copy_into(family.shape.graph, roots, g, [&](const Node& n) {
      if (n.leaf == LeafKind::time) return g.leaf(LeafKind::time, 0);
      const std::uint32_t index = family.index(k, n.a);
      return n.leaf == LeafKind::slot_constant ? g.constant(family.constants[index]) : g.leaf(n.leaf, index);
    });
    const std::uint32_t item = family.items[k];
    for (std::size_t c = 0; c < value.size(); ++c) {
      const Contribution& what = part.contributions[c];
      const auto speed = [&](std::uint32_t slot) { return family.index(k, slot); };
      switch (what.target) {
        case Target::rate:
        case Target::state_rate:
          (what.target == Target::rate ? t.rate : t.state_rate)[item] = value[c];
          break;
        case Target::mass:
          t.mass[ordered(speed(what.i), speed(what.j))].push_back(value[c]);
          break;
        case Target::force:
          t.force[speed(what.i)].push_back(value[c]);
          break;
        case Target::jacobian:
          t.rows[item][speed(what.i)] = value[c];
          break;
        case Target::right_side:
          t.right_side[item] = value[c];
          break;
        case Target::position_residual:
          t.position[item] = value[c];
          break;
        case Target::velocity_residual:
          t.velocity[item] = value[c];
          break;
        case Target::kinetic_energy:
          t.kinetic.push_back(value[c]);
          break;
        case Target::potential_energy:
          t.potential.push_back(value[c]);
          break;
        case Target::load_power:
          t.power.push_back(value[c]);
          break;
        case Target::support_power:
          t.support.push_back(value[c]);
          break;
        case Target::constraint_rate:
          t.constraint_rate[item] = value[c];
          break;
        case Target::output:
          t.output[item] = value[c];
          break;
        case Target::row_weight:
          t.weight[item] = value[c];
          break;
        default:
          break;
      }
    }
  }

  // Power of the constraint forces, (A^T lambda).u: -lambda c for position-level rows (A u = -c on the manifold),
  // lambda (A u) for the others, where a row that is its own A u does none.
  // The supports of followers are constraints too; their power may hold the accelerations (as leaves).
  NodeId constraint_power(Graph& g, const Totals& t, const std::vector<NodeId>& multiplier) const {
    std::vector<NodeId> terms = t.support;
    for (std::uint32_t r = 0; r < system_.n_rows; ++r) {
      if (!g.is_zero(t.position[r])) {
        terms.push_back(g.neg(g.mul(multiplier[r], t.constraint_rate[r])));
        continue;
      }
      NodeId au = g.zero();
      for (const auto& [c, a] : t.rows[r]) au = g.add(au, g.mul(a, g.leaf(LeafKind::speed, c)));
      if (au != t.velocity[r] && g.neg(au) != t.velocity[r]) terms.push_back(g.mul(multiplier[r], au));
    }
    return g.sum(terms);
  }

  void straight() {
    Graph g;
    Totals t;
    collect(g, t);
    const SystemLayout& l = out_.layout;
    LinearSystem linear;
    linear.n = system_.n_speeds;
    for (const auto& [ij, terms] : t.mass) linear.mass[ij] = g.sum(terms);
    for (const auto& terms : t.force) linear.force.push_back(g.sum(terms));
    linear.rows = t.rows;
    linear.right_side = t.right_side;
    for (const auto* residual : {&t.position, &t.velocity}) {
      std::vector<NodeId> defect;
      for (NodeId e : *residual) defect.push_back(g.neg(e));
      linear.defects.push_back(std::move(defect));
    }
    LinearSystem solved = linear;
    add_inertia_rows(g, solved, inertia_rows_, t.weight);
    const LinearSolution solution = solve_straight(g, solved);

    const auto put = [](std::vector<Store>& stores, Space space, std::uint32_t at, const std::vector<NodeId>& values) {
      for (std::uint32_t k = 0; k < values.size(); ++k) stores.push_back({{space, false, at + k}, values[k], false});
    };
    if (!l.augmented) {
      std::vector<Store> rhs;
      put(rhs, Space::deriv, 0, t.rate);
      put(rhs, Space::deriv, l.speeds_at(), solution.acceleration);
      const NodeId power = constraint_power(g, t, solution.multiplier);
      const NodeId work = graph::copy_into(g, {&power, 1}, g, [&](const Node& n) {
        return n.leaf == LeafKind::accel ? solution.acceleration[n.a] : g.leaf(n.leaf, n.a);
      })[0];
      put(rhs, Space::deriv, l.states_at(), t.state_rate);
      put(rhs, Space::deriv, l.work_at(), {g.sum(t.power), work});
      put(rhs, Space::work, l.lambda, solution.multiplier);
      put(rhs, Space::work, l.pivot, solution.pivot);
      put(rhs, Space::work, l.pivot_scale, solution.pivot_scale);
      add_function("rhs", rhs, g);
    }

    std::vector<Store> assemble;
    put(assemble, Space::deriv, 0, t.rate);
    for (std::uint32_t r = 0; r < system_.n_rows; ++r)
      for (const auto& [c, a] : linear.rows[r]) assemble.push_back({{Space::work, false, a_place(r, c)}, a, false});
    put(assemble, Space::work, l.b, linear.right_side);
    for (const auto& [ij, m] : linear.mass)
      assemble.push_back({{Space::work, false, m_place(ij.first, ij.second)}, m, false});
    put(assemble, Space::work, l.f, linear.force);
    const std::vector<double> plain = plain_weights();
    for (std::uint32_t r = 0; r < plain.size() && !l.inertia_rows.empty(); ++r)
      if (!inertia_rows_[r] || !t.weight[r].valid()) t.weight[r] = g.constant(plain[r]);
    if (!l.inertia_rows.empty()) put(assemble, Space::work, l.weight, t.weight);
    std::vector<NodeId> given;
    for (std::uint32_t r = 0; r < system_.n_rows; ++r) given.push_back(g.leaf(LeafKind::multiplier, r));
    put(assemble, Space::deriv, l.states_at(), t.state_rate);
    put(assemble, Space::deriv, l.work_at(), {g.sum(t.power), g.zero()});
    add_function("assemble", assemble, g);
    std::vector<Store> given_power;
    put(given_power, Space::deriv, l.work_at() + 1, {constraint_power(g, t, given)});
    add_function("constraint_power", given_power, g);
    if (l.augmented) {
      kernel::Function rhs = *out_.kernel.function("assemble");
      rhs.name = "rhs";
      DenseSteps(l, [this](const char* name, std::uint32_t size) { return field(name, size); }).accelerations(rhs);
      push_block(rhs, out_.kernel.function("constraint_power")->blocks[0]);
      out_.kernel.functions.insert(out_.kernel.functions.begin(), std::move(rhs));
    }

    std::vector<Store> residuals;
    put(residuals, Space::work, l.position_residual, t.position);
    put(residuals, Space::work, l.velocity_residual, t.velocity);
    add_function("residuals", residuals, g);

    for (const bool position : {true, false}) {
      std::vector<Store> correct;
      put(correct, Space::work, position ? l.position_residual : l.velocity_residual,
          position ? t.position : t.velocity);
      put(correct, Space::work, l.pivot_scale, solution.pivot_scale);
      put(correct, Space::work, l.correction, solution.corrections[position ? 0 : 1]);
      add_function(position ? "correct_position" : "correct_velocity", correct, g);
    }

    std::vector<Store> outputs;
    put(outputs, Space::work, l.kinetic, {g.sum(t.kinetic)});
    put(outputs, Space::work, l.potential, {g.sum(t.potential)});
    put(outputs, Space::work, l.outputs, t.output);
    add_function("outputs", outputs, g);
  }

  // ---- loops: one block a family, values added into arrays, the dense routine between

  // A block that runs once per instance of the part, for the contributions whose target is wanted.
  template <class Wanted>
  void add_part(kernel::Function& f, const Part& part, Wanted&& wanted) {
    const lower::Family& family = part.family;
    const auto n_slots = static_cast<std::uint32_t>(family.shape.slots.size());
    std::vector<Store> stores;
    std::vector<const Contribution*> chosen;
    for (const Contribution& c : part.contributions)
      if (wanted(c.target)) {
        const Place sample = target_place(part, c, 0);
        const bool adds = c.target == Target::mass || c.target == Target::force || c.target == Target::kinetic_energy ||
                          c.target == Target::potential_energy || c.target == Target::load_power ||
                          c.target == Target::support_power;
        stores.push_back({{sample.space, true, n_slots + static_cast<std::uint32_t>(chosen.size())}, c.value, adds});
        chosen.push_back(&c);
      }
    if (stores.empty()) return;
    // slot constants live in work, filled by the runtime's caller through a constants block
    kernel::Block block = emit_block(family.shape.graph, part.what, stores, [&](const Node& n) -> Place {
      if (n.leaf == LeafKind::time) return {Space::time, false, 0};
      Node global = n;
      global.a = 0;
      return {n.leaf == LeafKind::slot_constant ? Space::work : leaf_place(global).space, true, n.a};
    });
    block.count = family.count;
    block.columns = n_slots + static_cast<std::uint32_t>(chosen.size());
    const std::uint32_t constants = constants_of(part);
    for (std::uint32_t k = 0; k < family.count; ++k) {
      for (std::uint32_t s = 0; s < n_slots; ++s) {
        const LeafKind kind = family.shape.slots[s].kind;
        Node leaf{graph::Op::leaf, kind, family.index(k, s), 0, 0};
        block.table.push_back(kind == LeafKind::slot_constant ? constants + family.index(k, s)
                                                              : leaf_place(leaf).index);
      }
      for (const Contribution* c : chosen) block.table.push_back(target_place(part, *c, k).index);
    }
    push_block(f, std::move(block));
  }

  // Differing literals of a family: an array in work, written by the function's first block.
  std::uint32_t constants_of(const Part& part) {
    const auto it = constants_.find(&part);
    if (it != constants_.end()) return it->second;
    const std::uint32_t at = field("constants", static_cast<std::uint32_t>(part.family.constants.size()));
    constants_[&part] = at;
    return at;
  }

  void add_constants(kernel::Function& f) {
    kernel::Block block;
    block.name = "constants";
    for (const Part& part : system_.parts) {
      const std::uint32_t at = part.family.constants.empty() ? 0 : constants_of(part);
      for (std::uint32_t k = 0; k < part.family.constants.size(); ++k) {
        const auto value = static_cast<std::uint32_t>(block.code.size());
        block.code.push_back({kernel::Inst::Kind::constant,
                              graph::Op::constant,
                              {},
                              false,
                              static_cast<std::uint32_t>(block.constants.size()),
                              0,
                              0});
        block.constants.push_back(part.family.constants[k]);
        block.code.push_back({kernel::Inst::Kind::store, graph::Op::leaf, Space::work, false, value, at + k, 0});
        block.origin.resize(block.code.size());
      }
    }
    if (!block.code.empty()) push_block(f, std::move(block));
  }

  // deriv[work + 1] = sum over rows of lambda times (-c | A u)
  void add_constraint_power(kernel::Function& f) {
    const SystemLayout& l = out_.layout;
    add_clear(f, Space::deriv, l.work_at() + 1, 1);
    for (const Part& part : system_.parts) {
      add_part(f, part, [](Target t) { return t == Target::support_power; });
      if (std::string_view(part.what) != "constraint") continue;
      bool position = false;
      for (const Contribution& c : part.contributions) position |= c.target == Target::position_residual;
      Part scratch = part;
      Graph& g = scratch.family.shape.graph;
      const auto row_slot = static_cast<std::uint32_t>(scratch.family.shape.slots.size());
      NodeId factor = g.zero();
      for (const Contribution& c : part.contributions) {
        if (position && c.target == Target::constraint_rate) factor = g.neg(c.value);
        if (!position && c.target == Target::jacobian)
          factor = g.add(factor, g.mul(c.value, g.leaf(LeafKind::speed, c.i)));
        if (!position && c.target == Target::velocity_residual && factor == c.value) factor = g.zero();
      }
      for (const Contribution& c : part.contributions)
        if (!position && c.target == Target::velocity_residual && factor == c.value) factor = g.zero();
      if (g.is_zero(factor)) continue;
      // one more slot: the row's multiplier
      scratch.family.shape.slots.push_back({LeafKind::multiplier});
      std::vector<std::uint32_t> rows;
      for (std::uint32_t k = 0; k < part.family.count; ++k) {
        for (std::uint32_t s = 0; s < row_slot; ++s) rows.push_back(part.family.index(k, s));
        rows.push_back(part.family.items[k]);
      }
      scratch.family.rows = std::move(rows);
      scratch.contributions = {{Target::load_power, 0, 0, g.mul(g.leaf(LeafKind::multiplier, row_slot), factor)}};
      if (!part.family.constants.empty()) constants_[&scratch] = constants_of(part);
      add_part(f, scratch, [](Target) { return true; });
      // load_power goes to the first work integral; this belongs to the second
      kernel::Block& block = f.blocks.back();
      for (std::uint32_t k = 0; k < block.count; ++k) block.table[(k + 1) * block.columns - 1] = l.work_at() + 1;
      constants_.erase(&scratch);
    }
  }

  void looped() {
    const SystemLayout& l = out_.layout;
    const DenseSteps dense(l, [this](const char* name, std::uint32_t size) { return field(name, size); });
    const auto assemble_into = [&](kernel::Function& f) {
      add_constants(f);
      add_clear(f, Space::work, l.M, static_cast<std::uint32_t>(l.mass.size()));
      add_clear(f, Space::work, l.f, l.n_speeds);
      add_clear(f, Space::deriv, l.work_at(), 2);
      for (const Part& part : system_.parts)
        add_part(f, part, [](Target t) {
          return t == Target::rate || t == Target::state_rate || t == Target::mass || t == Target::force ||
                 t == Target::jacobian || t == Target::right_side || t == Target::load_power;
        });
      if (l.inertia_rows.empty()) return;
      formulate::add_constants(f, l.weight, plain_weights());
      for (const Part& part : system_.parts)
        add_part(f, part, [&](Target t) { return t == Target::row_weight && inertia_rows_[part.family.items[0]]; });
    };
    kernel::Function assemble;
    assemble.name = "assemble";
    assemble_into(assemble);

    kernel::Function rhs;
    rhs.name = "rhs";
    assemble_into(rhs);
    dense.accelerations(rhs);
    add_constraint_power(rhs);

    kernel::Function correct[2];
    for (const bool position : {true, false}) {
      kernel::Function& f = correct[position ? 0 : 1];
      f.name = position ? "correct_position" : "correct_velocity";
      assemble_into(f);
      const Target wanted = position ? Target::position_residual : Target::velocity_residual;
      const std::uint32_t residual = position ? l.position_residual : l.velocity_residual;
      add_clear(f, Space::work, residual, l.n_rows);
      add_clear(f, Space::work, l.f, l.n_speeds);
      for (const Part& part : system_.parts) add_part(f, part, [wanted](Target t) { return t == wanted; });
      add_negated(f, residual, l.b, l.n_rows);
      dense.correction(f);
    }

    kernel::Function power, residuals, outputs;
    power.name = "constraint_power";
    add_constants(power);
    add_constraint_power(power);
    residuals.name = "residuals";
    add_constants(residuals);
    add_clear(residuals, Space::work, l.position_residual, 2 * l.n_rows);
    outputs.name = "outputs";
    add_constants(outputs);
    add_clear(outputs, Space::work, l.kinetic, 2);
    for (const Part& part : system_.parts) {
      add_part(residuals, part,
               [](Target t) { return t == Target::position_residual || t == Target::velocity_residual; });
      add_part(outputs, part, [](Target t) {
        return t == Target::kinetic_energy || t == Target::potential_energy || t == Target::output;
      });
    }
    for (kernel::Function* f : {&rhs, &assemble, &power, &residuals, &correct[0], &correct[1], &outputs})
      out_.kernel.functions.push_back(std::move(*f));
  }

  const System& system_;
  Pattern pattern_;
  std::vector<bool> inertia_rows_;
  Formulated out_;
  std::uint32_t work_ = 0;
  std::map<const Part*, std::uint32_t> constants_;
};

}  // namespace

Formulated formulate(const System& system, const FormulateOptions& options) {
  if (options.baumgarte && !system.gains) return Formulation(lower::with_baumgarte(system), options).take();
  return Formulation(system, options).take();
}

}  // namespace mbc::formulate
