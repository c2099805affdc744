// SPDX-License-Identifier: Apache-2.0
// The contents of a model as plain data.
#include "api/model/info.h"

#include <algorithm>

#include "api/model/settings.h"
#include "base/numbers.h"
#include "base/text.h"
#include "compiler/lower/momenta.h"
#include "compiler/sema/signal_texts.h"

namespace mbc::api {

namespace {

class Info {
 public:
  Info(const sema::Model& model, const Model& handle, const Facts& facts)
      : model_(model), handle_(handle), params_(facts.written.parameters({})), inputs_(facts.written.inputs(params_)) {
    given_ = facts.written.initial(params_, handle.state_size());
    out_.description = facts.description;
  }

  ModelInfo make(bool with_momenta) {
    out_.space = model_.space;
    out_.has_units = model_.has_units;
    const std::vector<Quantity> parameters = handle_.parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k)
      out_.parameters.push_back(
          {parameters[k], params_[k], model_.params[k].overridden, !model_.graph.is_constant(model_.params[k].value)});
    entities();
    loads();
    const std::size_t n_q = model_.coordinates.size();
    const std::vector<Quantity> coordinates = handle_.coordinates(), speeds = handle_.speeds();
    for (std::size_t k = 0; k < n_q; ++k)
      out_.coordinates.push_back({coordinates[k], given_[k], model_.coordinates[k].start.soft});
    for (std::size_t k = 0; k < speeds.size(); ++k)
      out_.speeds.push_back({speeds[k], given_[n_q + k], model_.speeds[k].start.soft});
    const std::vector<Quantity> states = handle_.states(), inputs = handle_.inputs();
    for (std::size_t k = 0; k < states.size(); ++k)
      out_.states.push_back({states[k], given_[n_q + speeds.size() + k], false});
    for (std::size_t k = 0; k < inputs.size(); ++k) out_.inputs.push_back({inputs[k], inputs_[k], false});
    events();
    for (const sema::Constraint& c : model_.constraints)
      if (c.row_count > 0) out_.constraints.push_back({c.name, level(c), c.doc, c.row_count, pushes(c)});
    const std::vector<Quantity> outputs = handle_.outputs();
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (!model_.outputs[k].of_follower) out_.outputs.push_back(outputs[k]);
    for (const sema::Simulation& s : model_.simulations) simulation(s);
    for (const sema::Sweep& s : model_.sweeps) out_.sweeps.push_back(api::sweep_info(model_, s));
    if (with_momenta) momenta();
    return std::move(out_);
  }

 private:
  std::string number(graph::NodeId node) const {
    return text::short_number(sema::constant_values(model_, {node}, params_)[0]);
  }
  [[nodiscard]] std::string mass(graph::NodeId node) const {
    return "mass " + number(node) + (model_.has_units ? " kg" : "");
  }

  // Names the joint of a tree that carries the body.
  [[nodiscard]] std::string carried_by(const std::string& body) const {
    for (const sema::JointOfTree& j : model_.tree)
      if (j.body == body) return ", carried from " + quoted(j.carrier) + " by " + quoted(j.joint);
    return ", follows";
  }

  void entities() {
    for (const sema::Particle& p : model_.particles)
      out_.entities.push_back({"particle", p.name, mass(p.mass) + (p.first_coordinate ? "" : ", follows"), p.doc});
    for (const sema::Body& b : model_.bodies)
      out_.entities.push_back({"body", b.name, mass(b.mass) + (b.first_coordinate ? "" : carried_by(b.name)), b.doc});
    for (const sema::Point& p : model_.points) out_.entities.push_back({"point", p.name, "", ""});
    for (const sema::Frame& f : model_.frames)
      if (!f.name.empty() && f.named) out_.entities.push_back({"frame", f.name, "", ""});
    for (const sema::Coordinate& c : model_.coordinates)
      if (!c.of_particle) out_.entities.push_back({"coord", c.name, "", ""});
    for (const sema::JointOfTree& j : model_.tree)
      if (!j.why_rows.empty()) out_.entities.push_back({"joint", j.joint, "stays rows: " + j.why_rows, ""});
    for (const sema::QuasiVelocity& y : model_.quasi_velocities)
      out_.entities.push_back({"speed", y.name, model_.has_units ? sema::to_text(y.dimension) : "", y.doc});
  }

  void loads() {
    if (!model_.gravity.empty()) {
      std::string text = "(";
      for (std::size_t k = 0; k < model_.gravity.size(); ++k) text += (k ? ", " : "") + number(model_.gravity[k]);
      out_.loads.push_back({"gravity", "", text + (model_.has_units ? ") m/s^2" : ")"), ""});
    }
    const auto add = [this](const char* kind, const auto& load) {
      out_.loads.push_back({kind, load.name, load.nonideal ? "nonideal" : "", ""});
    };
    for (const sema::Force& f : model_.forces)
      if (!is_impulse(f.value[0])) add("force", f);
    for (const sema::Torque& f : model_.torques) add(f.friction ? "friction" : "torque", f);
    for (const sema::GeneralisedLoad& f : model_.loads)
      if (!is_impulse(f.value)) add("load", f);
    for (const sema::EnergyTerm& e : model_.energies)
      out_.loads.push_back({e.kind == sema::EnergyTerm::Kind::potential     ? "potential"
                            : e.kind == sema::EnergyTerm::Kind::dissipation ? "dissipation"
                                                                            : "kinetic",
                            e.name, "", ""});
  }

  void events() {
    constexpr const char* kDetails[] = {"on becoming true", "rising", "falling", "crossing", "", ""};
    for (const problem::Event& e : model_.events) {
      using Kind = problem::Event::Kind;
      if (e.kind >= Kind::touches) continue;  // it belongs to no statement
      const bool at = e.kind == Kind::at, every = e.kind == Kind::every;
      const graph::NodeId value = model_.event_values[e.value];
      out_.events.push_back(
          {at      ? "at"
           : every ? "every"
                   : "when",
           e.name,
           at || every ? number(value) + (model_.has_units ? " s" : "") : kDetails[static_cast<std::size_t>(e.kind)],
           ""});
    }
    for (const sema::Held& h : model_.held) {
      if (h.variable.use != problem::DiscreteVariable::Use::state) continue;
      const Quantity quantity{h.variable.name, model_.has_units ? sema::to_text(h.dimension) : "", h.doc};
      out_.held.push_back({quantity, sema::constant_values(model_, {h.initial}, params_)[0], false});
    }
  }

  // The loads that represent impulses are not statements of the user.
  [[nodiscard]] bool is_impulse(graph::NodeId value) const {
    return model_.is_discrete(model_.graph.node(value), problem::DiscreteVariable::Use::impulse);
  }

  [[nodiscard]] bool pushes(const sema::Constraint& c) const {
    return std::any_of(model_.unilaterals.begin(), model_.unilaterals.end(),
                       [&](const sema::Unilateral& u) { return u.contact.row == c.first_row; });
  }
  [[nodiscard]] Level level(const sema::Constraint& c) const {
    const problem::Level first = model_.equations[c.first_row].level;
    for (std::uint32_t k = 1; k < c.row_count; ++k)
      if (model_.equations[c.first_row + k].level != first) return Level::mixed;
    return level_of(first);
  }

  void simulation(const sema::Simulation& s) {
    SimulationInfo made;
    made.name = s.name;
    made.time = {s.begin, s.end, s.step, s.row_times};
    made.save = s.save;
    made.assemble = s.assemble;
    const auto add = [&](const char* key, const auto& choice) {
      made.choices.emplace_back(key, api::choice_text(choice));
      if (!choice.written) made.defaults.emplace_back(key);
    };
    add("integrator", s.integrator);
    add("formulation", s.formulation);
    if (!model_.bodies.empty()) add("bodies", s.bodies);
    add("stabilise", s.stabilise);
    if (s.at_singular.written) add("at_singular", s.at_singular);
    if (s.kinks.written) add("kinks", s.kinks);
    if (s.impact.written) add("impact", s.impact);
    if (s.contact.written) add("contact", s.contact);
    if (s.reactions.written) add("reactions", s.reactions);
    for (const std::string& input : s.inputs) made.choices.emplace_back(sema::kInputPrefix + input, "a signal");
    out_.simulations.push_back(std::move(made));
  }

  void momenta() {
    const lower::Momenta found = lower::find_momenta(model_, params_);
    out_.momenta_limited = found.limited;
    for (const lower::MomentumDirection& m : found.found) {
      ConservedMomentum made{
          m.name, m.single ? "coordinate" : "direction", model_.has_units ? to_text(m.dimension) : "", {}};
      for (const auto& [speed, c] : m.speeds) made.speeds.emplace_back(model_.speeds[speed].name, c);
      out_.momenta.push_back(std::move(made));
    }
    for (const lower::MomentumCandidate& m : found.rejected) out_.rejected_momenta.push_back({m.name, m.reason});
  }

  const sema::Model& model_;
  const Model& handle_;
  std::vector<double> params_, inputs_, given_;
  ModelInfo out_;
};

}  // namespace

Level level_of(problem::Level level) {
  // The entries follow the order of the enumerators. Constants have position level.
  static constexpr Level kLevels[] = {Level::position, Level::position, Level::velocity, Level::acceleration};
  return kLevels[static_cast<std::size_t>(level)];
}

ModelInfo model_info(const Model& model, const EquationVariant& variant, bool momenta) {
  const AnalysedText::Tree tree = variant.analysis().tree();
  return Info(tree.model(), model, variant.facts()).make(momenta);
}

std::string help_for_parameter(const EquationVariant& variant, const std::string& name) {
  const AnalysedText::Tree tree = variant.analysis().tree();
  const std::vector<Name>& arguments = tree.model().arguments;
  if (std::find(arguments.begin(), arguments.end(), name) != arguments.end())
    return "it is an argument of an instance or shapes the model; CompileOptions::parameters makes an argument a "
           "parameter, CompileOptions::set gives it a value";
  std::vector<std::string> known(arguments.begin(), arguments.end());
  for (const sema::Param& p : tree.model().params) known.push_back(p.name);
  const std::string near = nearest(name, known);
  return near.empty() ? "" : "did you mean `" + near + "`?";
}

Quantity quantity(const problem::Column& c) { return {c.name, c.unit, c.description}; }

std::vector<Quantity> quantities(const problem::Quantities& columns) {
  std::vector<Quantity> out;
  out.reserve(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) out.push_back(quantity(columns[k]));
  return out;
}

}  // namespace mbc::api
