// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/lowered_values.h"

#include <doctest/doctest.h>

#include "compiler/graph/evaluate.h"

namespace mbc::test {

using graph::LeafKind;
using lower::Target;

namespace {

double leaf_value(LeafKind kind, std::uint32_t index, const ModelState& at) {
  switch (kind) {
    case LeafKind::time:
      return at.t;
    case LeafKind::coordinate:
      return at.q.at(index);
    case LeafKind::speed:
      return at.u.at(index);
    case LeafKind::accel:
      return at.accelerations.at(index);
    case LeafKind::state:
      return at.s.at(index);
    case LeafKind::param:
      return at.params.at(index);
    case LeafKind::multiplier:
      return at.multipliers.at(index);
    case LeafKind::ideal:
      return at.ideal.at(index);
    default:
      FAIL("a leaf of another kind");
      return 0;
  }
}

void put(const lower::Contribution& c, double value, std::uint32_t item, std::uint32_t i, std::uint32_t j,
         Lowered& to) {
  switch (c.target) {
    case Target::rate:
      to.rate[item] = value;
      break;
    case Target::state_rate:
      to.state_rate[item] = value;
      break;
    case Target::mass:
      to.M[i][j] += value;
      if (i != j) to.M[j][i] += value;
      break;
    case Target::force:
      to.f[i] += value;
      break;
    case Target::jacobian:
      to.A[item][i] = value;
      break;
    case Target::velocity_residual:
      to.velocity_residual[item] = value;
      break;
    case Target::constraint_rate:
      to.constraint_rate[item] = value;
      break;
    case Target::rate_offset:
      to.rate_offset[item] = value;
      break;
    case Target::quasi_row:
      to.Y[item][i] = value;
      break;
    case Target::quasi_offset:
      to.Z[item] = value;
      break;
    case Target::quasi_bias:
      to.quasi_bias[item] = value;
      break;
    case Target::momentum_offset:
      to.N[i] += value;
      break;
    case Target::nonideal_force:
      to.C[i] += value;
      break;
    case Target::nonideal_power:
      to.nonideal_power += value;
      break;
    case Target::load_power:
      to.load_power += value;
      break;
    case Target::support_power:
      to.support_power += value;
      break;
    case Target::kinetic_energy:
      to.kinetic += value;
      break;
    case Target::output:
      to.outputs[item] = value;
      break;
    default:
      break;
  }
}

}  // namespace

Compilation compiled(const std::string& text) {
  Compilation c = compile("model.mbd", text, {});
  for (const Diagnostic& d : c.sink.sorted()) CHECK_MESSAGE(false, d.message());
  REQUIRE(c.ok());
  return c;
}

double value_at(const sema::Model& model, graph::NodeId node, const ModelState& at) {
  return graph::evaluate(model.graph, {&node, 1}, [&](const graph::Node& n) { return leaf_value(n.leaf, n.a, at); })[0];
}

Lowered values_at(const lower::System& s, const ModelState& at) {
  Lowered out;
  out.M.assign(s.n_speeds, Vector(s.n_speeds, 0));
  out.A.assign(s.n_rows, Vector(s.n_speeds, 0));
  out.Y.assign(s.n_quasi, Vector(s.n_speeds, 0));
  out.rate.assign(s.n_coordinates, 0);
  out.state_rate.assign(s.n_states, 0);
  for (Vector* v : {&out.f, &out.N, &out.C}) v->assign(s.n_speeds, 0);
  for (Vector* v : {&out.rate_offset, &out.velocity_residual, &out.constraint_rate}) v->assign(s.n_rows, 0);
  for (Vector* v : {&out.Z, &out.quasi_bias}) v->assign(s.n_quasi, 0);
  out.outputs.assign(s.n_outputs, 0);
  for (const lower::Part& part : s.parts) {
    const lower::Family& f = part.family;
    std::vector<graph::NodeId> roots;
    for (const lower::Contribution& c : part.contributions) roots.push_back(c.value);
    for (std::uint32_t k = 0; k < f.count; ++k) {
      const std::vector<double> value = graph::evaluate(f.shape.graph, roots, [&](const graph::Node& n) {
        if (n.leaf == LeafKind::time) return at.t;
        const std::uint32_t index = f.index(k, n.a);
        return n.leaf == LeafKind::slot_constant ? f.constants[index] : leaf_value(n.leaf, index, at);
      });
      for (std::size_t c = 0; c < value.size(); ++c) {
        const lower::Contribution& what = part.contributions[c];
        const bool slots = !f.shape.slots.empty();
        ++out.count[what.target];
        put(what, value[c], f.items[k], slots ? f.index(k, what.i) : 0, slots ? f.index(k, what.j) : 0, out);
      }
    }
  }
  return out;
}

ModelState random_state(const Compilation& c, Rng& rng) {
  ModelState at;
  const auto fill = [&rng](Vector& v, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) v.push_back(rng.between(-1, 1) * rng.between(0.3, 2));
  };
  at.t = rng.between(0.2, 3);
  fill(at.q, c.model.coordinates.size());
  fill(at.u, c.model.speeds.size());
  fill(at.accelerations, c.model.speeds.size());
  fill(at.s, c.model.states.size());
  fill(at.multipliers, c.model.equations.size());
  fill(at.ideal, c.model.equations.size());
  at.params = sema::parameter_values(c.model);
  return at;
}

}  // namespace mbc::test
