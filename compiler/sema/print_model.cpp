// SPDX-License-Identifier: Apache-2.0
// The model as text (mbc compile --emit=model), with every expression written out.
#include "base/numbers.h"
#include "compiler/sema/model.h"

namespace mbc::sema {

std::string leaf_name(const Model& m, LeafKind kind, std::uint32_t index) {
  switch (kind) {
    case LeafKind::time:
      return "t";
    case LeafKind::coordinate:
      return m.coordinate(index).name;
    case LeafKind::speed:
      return m.speed(index).name;
    case LeafKind::accel:
      return m.speed(index).name + "'";
    case LeafKind::state:
      return m.states[index].name;
    case LeafKind::state_rate:
      return m.states[index].name + "'";
    case LeafKind::input:
      return m.input_name(index);
    case LeafKind::param:
      return m.params[index].name;
    case LeafKind::multiplier:
      return "lambda(" + m.equations[index].name + ")";
    case LeafKind::ideal:
      return "ideal(" + m.equations[index].name + ")";
    case LeafKind::slot_constant:
    case LeafKind::mask:
      break;
  }
  return std::string(graph::leaf_text(kind)) + std::to_string(index);
}

namespace {

std::string name_of_node(const Node& n, const void* model) {
  return leaf_name(*static_cast<const Model*>(model), n.leaf, n.a);
}

std::string text(const Model& m, NodeId id) { return graph::to_text(m.graph, id, name_of_node, &m); }

std::string vector_text(const Model& m, const std::vector<NodeId>& nodes) {
  std::string out = "(";
  for (std::size_t k = 0; k < nodes.size(); ++k) out += (k ? ", " : "") + text(m, nodes[k]);
  return out + ")";
}

const char* level_text(Level level) {
  switch (level) {
    case Level::constant:
      return "constant";
    case Level::position:
      return "position";
    case Level::velocity:
      return "velocity";
    case Level::acceleration:
      return "acceleration";
  }
  return "?";
}

}  // namespace

std::string print(const Model& m) {
  const auto unit = [&](const Dimension& d) { return m.has_units ? " [" + to_text(d) + "]" : std::string(); };
  std::string out = "model space " + std::to_string(m.space) + (m.has_units ? ", with units\n" : ", without units\n");
  for (const Param& p : m.params)
    out += "param " + p.name + unit(p.dimension) + " = " + text(m, p.value) + (p.overridden ? "  (set)\n" : "\n");
  for (const Coordinate& c : m.coordinates)
    out += "coordinate " + c.name + unit(c.dimension) + " = " + text(m, c.initial) + ", rate " + text(m, c.rate) + "\n";
  for (const Speed& s : m.speeds) out += "speed " + s.name + unit(s.dimension) + " = " + text(m, s.initial) + "\n";
  for (const State& s : m.states)
    out += "state " + s.name + unit(s.dimension) + " = " + text(m, s.initial) + ", rate " + text(m, s.rate) + "\n";
  for (const Input& i : m.inputs) out += "input " + i.name + unit(i.dimension) + " = " + text(m, i.value) + "\n";
  for (const Particle& p : m.particles)
    out += "particle " + p.name + " mass " + text(m, p.mass) + " at " + vector_text(m, p.position) + "\n";
  for (const Body& b : m.bodies)
    out += "body " + b.name + " mass " + text(m, b.mass) + " inertia " + vector_text(m, b.inertia) + " at " +
           vector_text(m, b.position) + (b.com.empty() ? "" : " com " + vector_text(m, b.com)) + " omega " +
           vector_text(m, b.omega) +
           (b.first_coordinate && m.space == 3 ? std::string(" coordinates ") + to_text(b.representation) : "") + "\n";
  for (const Point& p : m.points) out += "point " + p.name + " at " + vector_text(m, p.position) + "\n";
  if (!m.gravity.empty()) out += "gravity " + vector_text(m, m.gravity) + "\n";
  const auto word_of = [](const auto& load, const char* word) {
    return (load.nonideal ? std::string("nonideal ") : std::string()) + word;
  };
  for (const Force& f : m.forces)
    out += word_of(f, "force ") + f.name + " = " + vector_text(m, f.value) + " at " + vector_text(m, f.position) + "\n";
  for (const Torque& f : m.torques)
    out += word_of(f, f.friction ? "friction " : "torque ") + f.name + " = " + vector_text(m, f.value) + " along " +
           vector_text(m, f.omega) + "\n";
  for (const GeneralisedLoad& f : m.loads)
    out += word_of(f, "load ") + f.name + " on " + text(m, f.rate) + " = " + text(m, f.value) + "\n";
  for (const EnergyTerm& e : m.energies) {
    const char* word = e.kind == EnergyTerm::Kind::potential ? "potential "
                       : e.kind == EnergyTerm::Kind::kinetic ? "kinetic "
                                                             : "dissipation ";
    out += word + e.name + " = " + text(m, e.value) + "\n";
  }
  for (const Equation& e : m.equations)
    out +=
        "row " + e.name + unit(e.dimension) + " (" + level_text(e.level) + " level): " + text(m, e.residual) + " = 0\n";
  for (const QuasiVelocity& y : m.quasi_velocities)
    out += "quasi-velocity " + y.name + unit(y.dimension) + " = " + text(m, y.value) + "\n";
  for (const Output& o : m.outputs) out += "output " + o.name + unit(o.dimension) + " = " + text(m, o.value) + "\n";
  for (const Simulation& s : m.simulations)
    out += "simulate " + (s.name.empty() ? std::string("(unnamed)") : s.name) + ": " + text::number(s.begin) + " .. " +
           text::number(s.end) + " " +
           (s.row_times.empty() ? "step " + text::number(s.step) : std::to_string(s.row_times.size()) + " rows") +
           ", " + s.integrator.name() + ", " + s.formulation.name() + ", " + s.stabilise.name() + "\n";
  return out;
}

}  // namespace mbc::sema
