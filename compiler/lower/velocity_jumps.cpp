// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/velocity_jumps.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "compiler/lower/item_name.h"

namespace mbc::lower {

namespace {

const char* const kShortForce =
    "a force that acts for a short time (`if t < t1 then J/(t1 - t0) else 0`) has no such limit";
const char* const kSoftContact =
    "a stiff force that acts while parts touch, as `Floor` of `use forces`, has no such limit";
const char* const kHeldBySprings = "a stiff spring and a damper in its place bring speeds there in a short time";

bool holds_speeds(const Part& part, Target target) {
  const Graph& g = part.family.shape.graph;
  std::vector<NodeId> values;  // of one pass: all of them share what is below
  for (const Contribution& c : part.contributions)
    if (c.target == target) values.push_back(c.value);
  return graph::holds(g, values, {LeafKind::speed, LeafKind::accel});
}

// The text of an error for a nonlinearity in the speeds, and the statement that has it.
struct Reason {
  std::string why;
  Span span;
};

std::optional<Reason> nonlinear_row(const sema::Model& model, const System& system) {
  if (system.linear_rows) return {};
  for (const Part& part : system.parts)
    if (std::string_view(part.what) == "constraint" && holds_speeds(part, Target::jacobian)) {
      const ItemPlace place = item_of(part, part.family.items[0], model);
      return Reason{"the constraint " + quoted(place.name) + " is not linear in them", place.span};
    }
  return {};
}

std::optional<Reason> kinetic_in_pieces(const sema::Model& model) {
  for (const sema::EnergyTerm& e : model.energies)
    if (e.kind == sema::EnergyTerm::Kind::kinetic)
      for (const NodeId id : graph::reachable(model.graph, {&e.value, 1}))
        if (kernel::is_piecewise(model.graph.node(id).op))
          return Reason{(e.name.empty() ? std::string("a kinetic energy") : "the kinetic energy " + quoted(e.name)) +
                            " is not quadratic in them",
                        e.span};
  return {};
}

std::optional<Reason> nonlinear_momentum(const sema::Model& model, const System& system) {
  if (!system.kinetic_in_one_piece) return kinetic_in_pieces(model);
  const Part* part = inertia_of_speeds(system);
  if (part == nullptr) return {};
  const ItemPlace place = item_of(*part, part->family.items[0], model);
  return Reason{(place.name.empty() ? std::string("a kinetic energy") : "the kinetic energy " + quoted(place.name)) +
                    " is not quadratic in them",
                place.span};
}

class Check {
 public:
  Check(const sema::Model& model, const Reason& reason, Sink& sink) : model_(model), reason_(reason), sink_(sink) {}

  void run() {
    for (const problem::Event& e : model_.events)
      for (const problem::EventAction& action : e.actions) an_action(e, action);
    for (const sema::Unilateral& u : model_.unilaterals) {
      const sema::Constraint& c = model_.constraints[u.constraint];
      if (model_.equations[c.first_row].level == sema::Level::position)
        report("an impact of " + quoted(c.name), c.span, kSoftContact);
    }
    for (const sema::Simulation& s : model_.simulations)
      if (s.contact.method == settings::Contact::timestep)
        report("each step of `contact = timestep`", s.contact.span,
               "`contact = event` follows the motion between impacts");
  }

 private:
  void an_action(const problem::Event& event, const problem::EventAction& action) {
    if (action.kind == problem::EventAction::Kind::impulse)
      report("an impulse of the event " + quoted(event.name), action.span, kShortForce);
    if (action.kind != problem::EventAction::Kind::held) return;
    if (model_.held[action.index].variable.use != problem::DiscreteVariable::Use::enabled) return;
    if (model_.graph.is_zero(model_.event_values[action.value])) return;
    for (const problem::SwitchedRow& s : model_.switched_rows)
      if (s.held == action.index && model_.equations[s.row].level == sema::Level::position)
        return report(
            "the event " + quoted(event.name) + ", which enables " + quoted(model_.equations[s.row].name) + ",",
            action.span, kHeldBySprings);
  }

  void report(const std::string& what, Span span, const char* help) {
    Diagnostic& d = sink_.report(Kind::velocity_jump_unfit, span, what, reason_.why);
    d.label(reason_.span, "this one");
    d.hint(help);
  }

  const sema::Model& model_;
  const Reason& reason_;
  Sink& sink_;
};

}  // namespace

const Part* inertia_of_speeds(const System& system) {
  for (const Part& part : system.parts)
    if (holds_speeds(part, Target::mass)) return &part;
  return nullptr;
}

void check_velocity_jumps(const sema::Model& model, const System& system, Sink& sink) {
  std::optional<Reason> reason = nonlinear_momentum(model, system);
  if (!reason) reason = nonlinear_row(model, system);
  if (reason) Check(model, *reason, sink).run();
}

}  // namespace mbc::lower
