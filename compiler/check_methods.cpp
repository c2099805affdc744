// SPDX-License-Identifier: Apache-2.0
#include "compiler/check_methods.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "compiler/formulate/builder/system_facts.h"
#include "compiler/lower/conservative.h"
#include "kernel/limits.h"

namespace mbc {

namespace {

using settings::Integrator;

constexpr const char* kWithAllSpeeds = "it goes with `udwadia_kalaba`, `augmented`, `lagrange` and `maggi`";

// Returns whether the model is that of a block, with the input signals that the block gives. A block with other signals
// is checked when it is run.
bool is_model_of(const sema::Simulation& s, const sema::Model& model) {
  if (s.inputs.empty()) return model.signals.inputs.empty();
  return model.signals.block == s.name || model.signals.block.empty();
}

// Returns whether an expression changes during a run by anything but its inputs.
bool moves(const graph::Graph& g, graph::NodeId e) {
  return std::ranges::any_of(graph::leaves(g, e), [](const graph::Node& n) {
    return n.leaf != graph::LeafKind::param && n.leaf != graph::LeafKind::input;
  });
}

// Finds a quasi-velocity that jumps with the motion (an `if`, `sign` or `floor` in it). If it is part of the state, its
// continuity makes the motion jump instead.
const sema::QuasiVelocity* speed_that_jumps(const sema::Model& model) {
  const graph::Graph& g = model.graph;
  for (const sema::QuasiVelocity& q : model.quasi_velocities)
    for (const graph::NodeId id : graph::reachable(g, {&q.value, 1}))
      if ((kernel::jumps(g.node(id).op) || g.node(id).op == kernel::Op::select) && moves(g, id)) return &q;
  return nullptr;
}

// Returns the expressions that the equations of motion consist of.
std::vector<graph::NodeId> terms_of(const sema::Model& model) {
  std::vector<graph::NodeId> all;
  const auto add = [&](const std::vector<graph::NodeId>& nodes) { all.insert(all.end(), nodes.begin(), nodes.end()); };
  for (const sema::Force& f : model.forces) add(f.value), add(f.position);
  for (const sema::Torque& f : model.torques) add(f.value);
  for (const sema::GeneralisedLoad& f : model.loads) all.push_back(f.value);
  for (const sema::EnergyTerm& e : model.energies) all.push_back(e.value);
  for (const sema::Equation& row : model.equations) all.push_back(row.residual);
  for (const sema::State& s : model.states) all.push_back(s.rate);
  for (const sema::Particle& p : model.particles) all.insert(all.end(), p.position.begin(), p.position.end());
  for (const sema::Body& b : model.bodies) add(b.position), add(b.rotation);
  return all;
}

// Finds a table in them that is looked up along the motion. It has no series, and a run would refuse it at its start.
std::optional<Span> table_on_the_way(const sema::Model& model) {
  const graph::Graph& g = model.graph;
  for (const graph::NodeId id : graph::reachable(g, terms_of(model)))
    if (g.node(id).op == kernel::Op::table && moves(g, {g.node(id).a})) return g.origin(id);
  return {};
}

// Checks the blocks of one model.
class MethodChecks {
 public:
  MethodChecks(const sema::Model& model, const lower::System& system, Sink& sink)
      : model_(model), system_(system), jumps_(speed_that_jumps(model)), sink_(sink) {}

  void check_formulation(const sema::Simulation& s,
                         const std::function<std::size_t(const formulate::Formulation&)>& momenta) {
    const formulate::Formulation& method = formulation_of(s);
    if (jumps_ != nullptr && method.quasi_state) {
      const std::string why = "the quasi-velocity " + quoted(jumps_->name) + " jumps, and would be part of its state";
      sink_.report(Kind::formulation_unfit, s.formulation.span, method.name, why)
          .label(jumps_->span, "this one")
          .hint("`udwadia_kalaba`, `augmented` and `maggi` integrate all speeds; else let it be smooth");
      return;
    }
    if (method.refuses == nullptr) return;
    formulate::SystemFacts known = facts();
    known.momenta = static_cast<std::uint32_t>(momenta(method));
    if (const char* reason = method.refuses(known))
      sink_.report(Kind::formulation_unfit, s.formulation.span, method.name, reason)
          .hint("`udwadia_kalaba`, `augmented`, `projection` and `maggi` apply to every model");
  }

  void check_integrator(const sema::Simulation& s) {
    if (s.integrator.method == Integrator::taylor) check_series(s);
    if (s.integrator.method == Integrator::gauss4 || s.integrator.method == Integrator::gauss6) check_symmetric(s);
    if (s.integrator.method != Integrator::bdf) return;
    if (const std::string reason = why_not_stiff(s); !reason.empty()) unfit(s, reason).hint(kWithAllSpeeds);
  }

 private:
  static const formulate::Formulation& formulation_of(const sema::Simulation& s) {
    const formulate::Formulation* method = formulate::find_formulation(s.formulation.name());
    CHECK(method != nullptr, "every formulation that can be chosen has equations");
    return *method;
  }

  const formulate::SystemFacts& facts() {
    if (!facts_) facts_ = formulate::facts_of(system_);
    return *facts_;
  }

  bool integrates_independent_speeds(const sema::Simulation& s) {
    return formulation_of(s).quasi_state && facts().linear_rows && facts().quadratic_kinetic;
  }

  Diagnostic& unfit(const sema::Simulation& s, const std::string& why) {
    return sink_.report(Kind::integrator_unfit, s.integrator.span, s.integrator.name(), why);
  }

  // Returns why the method for stiff problems cannot be used for a block, or "".
  std::string why_not_stiff(const sema::Simulation& s) {
    const std::string name = s.formulation.name();
    if (s.formulation.find(settings::Argument::literal)) return "`" + name + "(literal)` has no derivatives";
    if (integrates_independent_speeds(s)) return "`" + name + "` integrates independent speeds";
    const std::uint32_t states = system_.n_coordinates + system_.n_speeds + system_.n_states;
    if (states > kernel::kMostStiffStates)
      return "it has " + std::to_string(states) + " states, and at most " + std::to_string(kernel::kMostStiffStates) +
             " are solved as a full matrix";
    return {};
  }

  // Checks that the equations are written out and have series, for the Taylor method.
  void check_series(const sema::Simulation& s) {
    const char* reason = nullptr;
    if (s.formulation.find(settings::Argument::literal))
      reason = "a generalised inverse has no series";
    else if (formulation_of(s).solve != formulate::Solve::schur)
      reason = "this formulation is solved by calls, which have no series";
    if (reason != nullptr) {
      unfit(s, reason)
          .label(s.formulation.span, "chosen here")
          .hint("it goes with `udwadia_kalaba` and `lagrange`; `dop853` goes with all");
      return;
    }
    const std::optional<Span> table = table_on_the_way(model_);
    if (!table) return;
    Diagnostic& d = unfit(s, "a table is looked up along the motion, and has no series");
    if (table->known()) d.label(*table, "here");
    d.hint("use `integrator = dop853`, which asks for values of the right-hand side only");
  }

  // Returns why the methods for long conservative runs cannot be used for a block, and the place of the reason.
  std::optional<lower::InTheWay> why_not_symmetric(const sema::Simulation& s) {
    if (s.stabilise.method == settings::Stabilisation::baumgarte ||
        s.stabilise.method == settings::Stabilisation::partition)
      return lower::InTheWay{std::string("`") + s.stabilise.name() + "` is not the same backwards in time",
                             s.stabilise.span, "the method projects symmetrically by itself: `stabilise = project`"};
    if (s.kinks.written && s.kinks.method == settings::Kinks::locate)
      return lower::InTheWay{"its steps are of one size and end nowhere else", s.kinks.span, "`kinks = ignore`"};
    if (integrates_independent_speeds(s))
      return lower::InTheWay{std::string("`") + s.formulation.name() + "` integrates independent speeds",
                             s.formulation.span, kWithAllSpeeds};
    if (system_.n_rows > kernel::kMaxDenseRows)
      return lower::InTheWay{"it has " + std::to_string(system_.n_rows) + " rows, and at most " +
                                 std::to_string(kernel::kMaxDenseRows) + " are projected as a full matrix",
                             s.integrator.span,
                             {}};
    return lower::not_conservative(model_, system_);
  }

  void check_symmetric(const sema::Simulation& s) {
    const std::optional<lower::InTheWay> found = why_not_symmetric(s);
    if (!found) return;
    Diagnostic& d = sink_.report(Kind::integrator_unfit, found->span, s.integrator.name(), found->why);
    if (!found->help.empty()) d.hint(found->help);
    if (found->span.begin != s.integrator.span.begin) d.label(s.integrator.span, "the method is chosen here");
  }

  const sema::Model& model_;
  const lower::System& system_;
  const sema::QuasiVelocity* jumps_;
  Sink& sink_;
  std::optional<formulate::SystemFacts> facts_;  // found when first asked for
};

}  // namespace

void check_methods(const sema::Model& model, const lower::System& system,
                   const std::function<std::size_t(const formulate::Formulation&)>& momenta, Sink& sink) {
  MethodChecks checks(model, system, sink);
  for (const sema::Simulation& s : model.simulations)
    if (is_model_of(s, model)) checks.check_formulation(s, momenta);
  for (const sema::Simulation& s : model.simulations)
    if (is_model_of(s, model)) checks.check_integrator(s);
}

}  // namespace mbc
