#include "compiler/lower/momentum_numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "compiler/sema/elaborate.h"
#include "runtime/op_semantics.h"

namespace mbc::lower {

namespace {

using graph::LeafKind;
using graph::Op;

constexpr std::size_t kStates = 8;
constexpr double kRoundOff = 1e-9;  // of the sizes added up

// The size of what goes into a value: sums of sizes, products of them.
double size_of(Op op, double value, double a, double b, double c, double size_a, double size_b, double size_c) {
  switch (op) {
    case Op::neg:
      return size_a;
    case Op::add:
    case Op::sub:
      return size_a + size_b;
    case Op::mul:
      return size_a * size_b;
    case Op::div:
      return size_a / std::fabs(b) * std::max(1.0, size_b / std::fabs(b));
    case Op::fma:
      return size_a * size_b + size_c;
    case Op::select:
      return a != 0 ? size_b : (c == c ? size_c : 0);
    default:
      return std::max(std::fabs(value), 1.0);
  }
}

}  // namespace

MomentumNumbers::MomentumNumbers(const sema::Model& model, const MomentumTerms& terms,
                                 const std::vector<double>& params)
    : terms_(terms), conditions_(terms.speeds.size()), inertia_(terms.speeds.size()), params_(params) {
  std::uint32_t source = 0;  // 0: the rate of the momentum, all of its parts together
  for (const MomentumSource& s : terms.sources) {
    const std::uint32_t number = s.kind == MomentumSource::Kind::row ? ++source : 0;
    for (const MomentumTerm& t : s.terms) conditions_[t.column].push_back({number, t.value});
  }
  for (std::uint32_t k = 0; k < terms.inertia.size(); ++k)
    for (const MomentumTerm& t : terms.inertia[k]) inertia_[t.column].push_back({k, t.value});
  draw(model, params);
}

// Half of the states lie about the initial one, where expressions are sure to be defined; half anywhere.
void MomentumNumbers::draw(const sema::Model& model, const std::vector<double>& params) {
  std::mt19937_64 generator(20240229);
  const auto random = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; };  // -1 .. 1
  std::vector<NodeId> nodes;
  for (const sema::Coordinate& q : model.coordinates) nodes.push_back(q.initial);
  for (const sema::State& s : model.states) nodes.push_back(s.initial);
  const std::vector<double> start = sema::constant_values(model, nodes, params);
  for (std::size_t k = 0; k < kStates; ++k) {
    Draw d;
    const auto drawn = [&](double about) {
      return k % 2 == 0 && std::isfinite(about) ? about + 0.2 * (1 + std::fabs(about)) * random() : 2 * random();
    };
    d.time = 1 + random();
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) d.coordinates.push_back(drawn(start[i]));
    for (std::size_t i = 0; i < model.speeds.size(); ++i) d.speeds.push_back(1.5 * random());
    for (std::size_t i = 0; i < 64; ++i) d.others.push_back(1.5 * random());
    for (std::size_t i = 0; i < model.states.size() && i < 32; ++i)
      d.others[i] = drawn(start[model.coordinates.size() + i]);
    draws_.push_back(std::move(d));
  }
  states_.resize(kStates);
}

double MomentumNumbers::leaf(std::size_t state, const graph::Node& n) const {
  const Draw& d = draws_[state];
  switch (n.leaf) {
    case LeafKind::time:
      return d.time;
    case LeafKind::coordinate:
      return d.coordinates[n.a];
    case LeafKind::speed:
      return d.speeds[n.a];
    case LeafKind::param:
      return params_.at(n.a);
    case LeafKind::state:
      return d.others[n.a % 32];
    default:  // accelerations, inputs, multipliers: anything
      return d.others[32 + (n.a + 7 * static_cast<std::uint32_t>(n.leaf)) % 32];
  }
}

const MomentumNumbers::Number& MomentumNumbers::number(std::size_t state, NodeId node) {
  State& s = states_[state];
  const Graph& g = terms_.graph;
  if (s.of.empty()) {
    s.of.resize(g.size());
    s.known.resize(g.size(), false);
  }
  std::vector<NodeId> stack{node};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    const graph::Node& n = g.node(id);
    const std::uint32_t operands[] = {n.a, n.b, n.c};
    bool ready = true;
    for (std::uint32_t k = 0; k < graph::arity(n.op); ++k)
      if (!s.known[operands[k]]) {
        stack.push_back({operands[k]});
        ready = false;
      }
    if (!ready) continue;
    stack.pop_back();
    if (s.known[id.value]) continue;
    Number& made = s.of[id.value];
    if (n.op == Op::constant || n.op == Op::leaf) {
      made.value = n.op == Op::constant ? g.constant_value(id) : leaf(state, n);
      made.size = std::fabs(made.value);
    } else {
      Number x[3];
      for (std::uint32_t k = 0; k < graph::arity(n.op); ++k) x[k] = s.of[operands[k]];
      made.value = runtime::apply(n.op, x[0].value, x[1].value, x[2].value);
      made.size = size_of(n.op, made.value, x[0].value, x[1].value, x[2].value, x[0].size, x[1].size, x[2].size);
    }
    s.known[id.value] = true;
  }
  return s.of[node.value];
}

bool MomentumNumbers::vanishes(const SparseForm& direction) {
  std::size_t defined = 0;
  for (std::size_t state = 0; state < kStates; ++state) {
    std::map<std::uint32_t, Number> sums;
    for (const auto& [column, c] : direction)
      for (const Use& use : conditions_[column]) {
        const Number& x = number(state, use.value);
        Number& sum = sums[use.source];
        sum.value += c * x.value;
        sum.size += std::fabs(c) * x.size;
      }
    bool finite = true;
    for (const auto& [source, sum] : sums) {
      if (!std::isfinite(sum.value) || !std::isfinite(sum.size)) {
        finite = false;
        continue;
      }
      if (std::fabs(sum.value) > kRoundOff * sum.size) return false;
    }
    if (finite) ++defined;
  }
  return defined >= 2;
}

bool MomentumNumbers::inertia(const SparseForm& direction) {
  for (std::size_t state = 0; state < kStates; ++state) {
    std::map<std::uint32_t, Number> sums;
    for (const auto& [column, c] : direction)
      for (const Use& use : inertia_[column]) {
        const Number& x = number(state, use.value);
        sums[use.source].value += c * x.value;
        sums[use.source].size += std::fabs(c) * x.size;
      }
    for (const auto& [form, sum] : sums)
      if (std::isfinite(sum.value) && std::fabs(sum.value) > kRoundOff * sum.size) return true;
  }
  return false;
}

}  // namespace mbc::lower
