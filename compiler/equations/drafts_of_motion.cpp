// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/drafts_of_motion.h"

#include <algorithm>

#include "compiler/reading/simplify.h"
#include "compiler/reading/solve.h"

namespace mbc::equations {

namespace {

constexpr std::size_t kMostSolvedSpeeds = 6;
constexpr std::uint32_t kFirstQuasi = 0x50000000u;

std::string number(std::size_t k) { return std::to_string(k); }

}  // namespace

// A row acts on a speed with its entry of A times its multiplier.
DraftSection reactions(const Assembled& a) {
  const sema::Model& model = a.written.model();
  DraftSection s{"reactions", "Multipliers and their reactions Q"};
  std::vector<std::vector<std::uint32_t>> speeds(model.equations.size());
  for (const Term& t : a.terms)
    if (t.target == Target::jacobian) speeds[t.item].push_back(t.i);
  for (std::uint32_t r = 0; r < model.equations.size(); ++r) {
    const sema::Equation& e = model.equations[r];
    const std::string row = e.name;
    std::vector<std::string> about{row};
    if (e.constraint != sema::Equation::kNoConstraint) about.push_back(model.constraints[e.constraint].name);
    s.drafts.push_back({.left = {"lambda", {row}},
                        .value = {},
                        .about = about,
                        .unit = unit_text(model, sema::multiplier_dimension(model, e)),
                        .remark = "multiplier",
                        .alone = true});
    std::sort(speeds[r].begin(), speeds[r].end());
    speeds[r].erase(std::unique(speeds[r].begin(), speeds[r].end()), speeds[r].end());
    for (const std::uint32_t i : speeds[r])
      s.drafts.push_back({.left = {"Q", {row, number(i + 1)}},
                          .value = {},
                          .about = about,
                          .unit = unit_text(model, power_dimension() / model.speeds[i].dimension),
                          .remark = "on " + std::string(model.speeds[i].name),
                          .names = {{"A", {row, number(i + 1)}}, {"lambda", {row}}},
                          .numbered = {model.speeds[i].name},
                          .product = true});
  }
  return s;
}

namespace {

const char* title_of(const IndependentSpeeds& found) {
  return found.of_rates ? "Independent speeds y: u' = B y' + beta" : "Independent speeds y: u = B y + beta";
}

void projected(const Assembled& a, const IndependentSpeeds& found, std::vector<DraftSection>& out) {
  const sema::Model& model = a.written.model();
  const auto matrix = [&](const char* name, std::size_t i, std::size_t k) {
    return reading::SymbolName{name, {number(i + 1), number(k + 1)}};
  };
  const auto about = [&](std::size_t k) { return std::vector<std::string>{found.y[k].name}; };
  DraftSection& s = out.emplace_back(DraftSection{"B", title_of(found)});
  for (std::size_t k = 0; k < found.y.size(); ++k)
    s.drafts.push_back({.left = {"y", {number(k + 1)}},
                        .value = {},
                        .about = about(k),
                        .unit = unit_text(model, found.y[k].dimension),
                        .names = {{found.y[k].name}}});
  for (std::size_t i = 0; i < found.B.size(); ++i) {
    const sema::Dimension& u = model.speeds[i].dimension;
    for (std::size_t k = 0; k < found.y.size(); ++k)
      s.drafts.push_back({.left = matrix("B", i, k),
                          .value = found.B[i][k],
                          .about = {model.speeds[i].name, found.y[k].name},
                          .unit = unit_text(model, u / found.y[k].dimension)});
    s.drafts.push_back({.left = {"beta", {number(i + 1)}},
                        .value = found.beta[i],
                        .about = {model.speeds[i].name},
                        .unit = unit_text(model, found.of_rates ? u / sema::time_dimension() : u)});
  }
  DraftSection& p =
      out.emplace_back(DraftSection{"projected", "Equations in independent speeds: My y' = fy, My = B^T M B"});
  for (std::size_t k = 0; k < found.y.size(); ++k)
    for (std::size_t l = k; l < found.y.size(); ++l)
      p.drafts.push_back(
          {.left = matrix("My", k, l),
           .value = found.M[k][l],
           .about = {found.y[k].name, found.y[l].name},
           .unit = unit_text(model, sema::energy_dimension() / (found.y[k].dimension * found.y[l].dimension))});
  for (std::size_t k = 0; k < found.y.size(); ++k)
    p.drafts.push_back({.left = {"fy", {number(k + 1)}},
                        .value = found.f[k],
                        .about = about(k),
                        .unit = unit_text(model, power_dimension() / found.y[k].dimension)});
}

}  // namespace

std::vector<DraftSection> speeds_of_method(const Assembled& a) {
  const sema::Model& model = a.written.model();
  std::vector<DraftSection> out;
  DraftSection quasi{"quasi", "Quasi-velocities"};
  std::vector<NodeId> leaves;
  for (const sema::QuasiVelocity& q : model.quasi_velocities) {
    leaves.push_back(
        a.written.graph().leaf(LeafKind::slot_constant, kFirstQuasi + static_cast<std::uint32_t>(leaves.size())));
    quasi.drafts.push_back({.left = {q.name},
                            .value = a.written.written(q.value),
                            .about = {q.name},
                            .unit = unit_text(model, q.dimension),
                            .leaf = leaves.back()});
  }
  out.push_back(std::move(quasi));
  using formulate::Solve;
  const Solve solve = a.sources.method.solve;
  const bool independent = solve == Solve::projected || solve == Solve::maggi;
  if (!independent || (model.equations.empty() && model.quasi_velocities.empty())) return out;
  const IndependentSpeeds found = independent_speeds(a.written, a.terms, a.mass, a.force, leaves);
  if (found.why_not.empty()) {
    projected(a, found, out);
    return out;
  }
  DraftSection& s = out.emplace_back(DraftSection{"B", title_of(found)});
  s.notes.push_back("B and beta are not written out, because " + found.why_not + ": A B = 0 and A beta is what A " +
                    (found.of_rates ? "u'" : "u") + " is.");
  return out;
}

// c.(M u + N) for every direction that is known.
DraftSection momenta(const Assembled& a) {
  DraftSection s{"momenta", "Conserved momenta"};
  if (!a.sources.momenta) return s;
  Graph& g = a.written.graph();
  for (const lower::MomentumDirection& d : a.sources.momenta->found) {
    NodeId sum = g.zero();
    for (const auto& [i, c] : d.speeds) {
      NodeId momentum = g.zero();
      for (const auto& [jk, value] : a.mass) {
        const auto [j, k] = jk;
        if (j != i && k != i) continue;
        momentum = g.add(momentum, g.mul(value, g.leaf(LeafKind::speed, j == i ? k : j)));
      }
      for (const Term& t : a.terms)
        if (t.target == Target::momentum_offset && t.i == i) momentum = g.add(momentum, t.value);
      sum = g.add(sum, g.mul(g.constant(c), momentum));
    }
    s.drafts.push_back({.left = {"p", {number(s.drafts.size() + 1)}},
                        .value = sum,
                        .about = {d.name},
                        .unit = unit_text(a.written.model(), d.dimension),
                        .remark = (d.single ? "ignorable coordinate " : "") + d.name});
  }
  return s;
}

namespace {

// Entries whose terms cancel become zero: speeds that do not hang together are solved for by themselves.
void leave_cancelled_out(Graph& graph, const sema::Model& model, std::vector<NodeId>& entries) {
  SymbolList symbols;
  symbols.add_leaves(graph, entries, model);
  reading::Simplifier simplifier(graph, symbols.symbols());
  for (NodeId& entry : entries)
    if (const auto e = simplifier.simplify(entry); e && e->conditions.empty() && reading::is_number(e->expression, 0))
      entry = graph.zero();
}

}  // namespace

DraftSection solved(const Assembled& a) {
  DraftSection s{"solved", "Solved for the accelerations"};
  const sema::Model& model = a.written.model();
  const std::size_t n = model.speeds.size();
  if (!model.equations.empty() || n > kMostSolvedSpeeds || a.written.system().nonideal || n == 0) return s;
  Graph& g = a.written.graph();
  std::vector<NodeId> m(n * n, g.zero()), f(n, g.zero());
  for (const auto& [ij, value] : a.mass) m[ij.first * n + ij.second] = m[ij.second * n + ij.first] = value;
  for (const auto& [i, value] : a.force) f[i.first] = value;
  leave_cancelled_out(g, model, m);
  const reading::Solution solution = reading::solve(g, m, f);
  std::map<std::uint32_t, NodeId> names;  // by determinant
  for (std::uint32_t i = 0; i < solution.numerators.size(); ++i) {
    NodeId divisor = solution.determinants[i];
    if (!divisor.valid() || g.is_zero(divisor)) continue;
    const auto shares = std::count(solution.determinants.begin(), solution.determinants.end(), divisor);
    const auto [name, fresh] = names.try_emplace(divisor.value, divisor);
    if (shares > 1 && fresh) {
      name->second = g.leaf(LeafKind::mask, static_cast<std::uint32_t>(names.size()));
      const std::string number_of = names.size() > 1 ? number(names.size()) : "";
      s.drafts.push_back({.left = {"D" + number_of}, .value = divisor, .remark = "not zero", .leaf = name->second});
    }
    s.drafts.push_back({.left = {model.speeds[i].name + "'"},
                        .value = g.div(solution.numerators[i], name->second),
                        .about = {model.speeds[i].name},
                        .unit = unit_text(model, model.speeds[i].dimension / sema::time_dimension())});
  }
  return s;
}

}  // namespace mbc::equations
