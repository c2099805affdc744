// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/drafts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "compiler/lower/item_name.h"
#include "compiler/reading/solve.h"

namespace mbc::equations {

namespace {

using reading::SymbolName;

constexpr std::size_t kMostSolvedSpeeds = 6;

std::string number(std::size_t k) { return std::to_string(k); }

// Sums by speed, or by the two speeds of an entry, of the terms that are added to one target.
using Entries = std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId>;

class Drafts {
 public:
  Drafts(WrittenSystem& written, const Sources& sources)
      : written_(written), model_(sources.model), sources_(sources), terms_(written.terms_of(written.system())) {}

  std::vector<DraftSection> run() {
    quantities();
    kinematics();
    rotations();
    energies();
    mass();
    forces();
    constraints();
    motion();
    quasi_velocities();
    momenta();
    solved();
    left_out();
    std::erase_if(out_, [](const DraftSection& s) { return s.drafts.empty() && s.notes.empty(); });
    return std::move(out_);
  }

 private:
  DraftSection& section(std::string key, std::string title) {
    return out_.emplace_back(DraftSection{std::move(key), std::move(title)});
  }
  [[nodiscard]] std::string unit(const sema::Dimension& d) const {
    return model_.has_units && !d.dimensionless() ? sema::to_text(d) : "";
  }
  [[nodiscard]] std::string speed(std::uint32_t i) const { return model_.speeds[i].name; }

  // q, u and s with the names of the model, in the order of the state; parameters with their values.
  void quantities() {
    const auto list = [&](const char* letter, const char* title, const auto& of) {
      DraftSection& s = section(letter, title);
      for (std::size_t k = 0; k < of.size(); ++k)
        s.drafts.push_back({.left = {letter, {number(k + 1)}},
                            .value = {},
                            .about = {of[k].name},
                            .unit = unit(of[k].dimension),
                            .names = {{of[k].name}}});
    };
    list("q", "Coordinates", model_.coordinates);
    list("u", "Speeds", model_.speeds);
    list("s", "States", model_.states);
  }

  // q' = W u + X. A coordinate whose speed is its own derivative needs no equation.
  void kinematics() {
    DraftSection& s = section("kinematics", "Kinematics");
    std::vector<Term> rates;
    for (const Target target : {Target::rate, Target::state_rate}) {
      const auto first = static_cast<std::ptrdiff_t>(rates.size());
      for (const Term& t : terms_)
        if (t.target == target) rates.push_back(t);
      const auto by_item = [](const Term& a, const Term& b) { return a.item < b.item; };
      std::sort(rates.begin() + first, rates.end(), by_item);
    }
    for (const Term& t : rates) {
      const bool of_state = t.target == Target::state_rate;
      const std::string name = of_state ? model_.states[t.item].name : model_.coordinates[t.item].name.text();
      const graph::Node& n = written_.graph().node(t.value);
      if (!of_state && n.op == graph::Op::leaf && n.leaf == LeafKind::speed && speed(n.a) == name + "'") continue;
      s.drafts.push_back({.left = {name + "'"}, .value = t.value, .about = {name}});
    }
  }

  void rotations() {
    DraftSection& s = section("R", "Rotation matrices, from axes of the body to axes of space");
    for (const NamedRotation& r : rotations_of(written_))
      if (!r.negated)
        s.drafts.push_back({.left = r.name, .value = r.entry, .about = {r.name.index[0]}, .leaf = r.leaf});
  }

  NodeId sum_of(Target target) {
    std::vector<NodeId> list;
    for (const Term& t : terms_)
      if (t.target == target) list.push_back(t.value);
    return written_.graph().sum(list);
  }

  void energies() {
    using Kind = sema::EnergyTerm::Kind;
    DraftSection& s = section("energies", "Energies");
    Graph& g = written_.graph();
    std::vector<NodeId> kinetic, dissipation;
    for (const Term& t : terms_)  // of what is written by hand the model has T itself; here is u T_u - T
      if (t.target == Target::kinetic_energy && std::string_view(t.part->what) != "energy") kinetic.push_back(t.value);
    for (const sema::EnergyTerm& e : model_.energies) {
      if (e.kind == Kind::kinetic) kinetic.push_back(written_.written(e.value));
      if (e.kind == Kind::dissipation) dissipation.push_back(written_.written(e.value));
    }
    const auto energy = [&](const char* name, NodeId value, const char* remark) {
      if (!g.is_zero(value)) s.drafts.push_back({.left = {name}, .value = value, .remark = remark});
      return !g.is_zero(value);
    };
    energy("T", g.sum(kinetic), "kinetic");
    if (energy("V", sum_of(Target::potential_energy), "potential"))
      s.drafts.push_back({.left = {"L"}, .value = {}, .remark = "Lagrangian", .names = {{"T"}, {"-V"}}});
    energy("R", g.sum(dissipation), "dissipation, half the power lost where it is quadratic");
  }

  void add(Entries& entries, std::uint32_t i, std::uint32_t j, NodeId value) {
    Graph& g = written_.graph();
    NodeId& sum = entries.try_emplace({i, j}, g.zero()).first->second;
    sum = g.add(sum, value);
  }

  void mass() {
    for (const Term& t : terms_)
      if (t.target == Target::mass) add(mass_, t.j, t.i, t.value);
    DraftSection& s = section("M", "Mass matrix, symmetric; entries that are not listed are zero");
    for (const auto& [ij, value] : mass_)
      if (!written_.graph().is_zero(value))
        s.drafts.push_back({.left = {"M", {number(ij.first + 1), number(ij.second + 1)}},
                            .value = value,
                            .about = {speed(ij.first), speed(ij.second)}});
  }

  // The parts of f: gravity, inertia (what is quadratic in the speeds, and the motion of what is prescribed), and every
  // load and energy by its name.
  void forces() {
    std::vector<std::pair<std::string, Entries>> parts{{"gravity", {}}, {"inertia", {}}};
    Entries prescribed;
    const auto part = [&](const std::string& name) -> Entries& {
      for (auto& [known, entries] : parts)
        if (known == name) return entries;
      return parts.emplace_back(name, Entries{}).second;
    };
    for (const Term& t : written_.terms_of(of_gravity(written_.system())))
      if (t.target == Target::force) add(part("gravity"), t.i, 0, t.value);
    sema::Model weightless_model = model_;
    weightless_model.gravity.clear();
    const lower::System weightless = lower::lower(weightless_model);
    for (const Term& t : written_.terms_of(weightless)) {
      if (t.target == Target::nonideal_force) add(prescribed, t.i, 0, t.value);
      if (t.target != Target::force) continue;
      const std::string_view what = t.part->what;
      const bool by_hand = what == "energy" && model_.energies[t.item].kind == sema::EnergyTerm::Kind::kinetic;
      const bool inertia = what == "particle" || what == "body" || by_hand;
      add(part(inertia ? "inertia" : lower::item_name(*t.part, t.item, model_)), t.i, 0, t.value);
    }
    Graph& g = written_.graph();
    DraftSection& s = section("f", "Applied and inertia forces");
    for (std::uint32_t i = 0; i < model_.speeds.size(); ++i) {
      std::vector<Draft> listed;
      std::vector<SymbolName> names;
      for (auto& [name, entries] : parts) {
        const auto it = entries.find({i, 0});
        if (it == entries.end() || g.is_zero(it->second)) continue;
        names.push_back({"f", {name, number(i + 1)}});
        listed.push_back({.left = names.back(), .value = it->second, .about = {speed(i), name}});
        add(force_, i, 0, it->second);
      }
      if (names.empty()) continue;
      if (names.size() == 1) {
        listed[0].remark = names[0].index[0];
        listed[0].left = {"f", {number(i + 1)}};
        s.drafts.push_back(std::move(listed[0]));
        continue;
      }
      s.drafts.push_back({.left = {"f", {number(i + 1)}}, .value = {}, .about = {speed(i)}, .names = names});
      std::move(listed.begin(), listed.end(), std::back_inserter(s.drafts));
    }
    DraftSection& c = section("C", "Prescribed forces of constraints that are not ideal");
    for (const auto& [i, value] : prescribed)
      if (!g.is_zero(value))
        c.drafts.push_back({.left = {"C", {number(i.first + 1)}}, .value = value, .about = {speed(i.first)}});
  }

  static const char* level(problem::Level level) {
    switch (level) {
      case problem::Level::constant:
        return "constant";
      case problem::Level::position:
        return "position level";
      case problem::Level::velocity:
        return "velocity level";
      case problem::Level::acceleration:
        return "acceleration level";
    }
    return "";
  }

  static SymbolName bold(const char* name) { return {name, {}, true}; }

  // Each row as it is written, its residual and that residual's first derivative, its row of A and its entry of b.
  void constraints() {
    DraftSection& s = section("constraints", "Constraints: each residual e is zero, A u' = b");
    std::vector<std::vector<const Term*>> of_row(model_.equations.size());
    for (const Term& t : terms_)
      if (t.target == Target::jacobian || t.target == Target::right_side || t.target == Target::velocity_residual)
        of_row[t.item].push_back(&t);
    for (std::uint32_t r = 0; r < model_.equations.size(); ++r) {
      const sema::Equation& e = model_.equations[r];
      const std::string row = e.name;
      std::vector<std::string> about{row};
      if (e.constraint != sema::Equation::kNoConstraint) about.push_back(model_.constraints[e.constraint].name);
      const std::string text = e.of_body ? "" : sources_.text(e.span);
      s.drafts.push_back({.left = {"e", {row}},
                          .value = written_.written(sema::written_residual(model_, r)),
                          .about = about,
                          .remark = std::string(level(e.level)) + (text.empty() ? "" : ": " + text)});
      NodeId b = written_.graph().zero();
      const auto by_speed = [](const Term* x, const Term* y) { return x->i < y->i; };
      std::sort(of_row[r].begin(), of_row[r].end(), by_speed);
      for (const Term* t : of_row[r])
        if (t->target == Target::velocity_residual && e.level == problem::Level::position)
          s.drafts.push_back({.left = {"e'", {row}}, .value = t->value, .about = about, .derivation = true});
      for (const Term* t : of_row[r]) {
        if (t->target == Target::velocity_residual) continue;
        if (t->target == Target::jacobian)
          s.drafts.push_back({.left = {"A", {row, number(t->i + 1)}}, .value = t->value, .about = about});
        else
          b = t->value;
      }
      s.drafts.push_back({.left = {"b", {row}}, .value = b, .about = about});
      const bool position = e.level == problem::Level::position;
      if (position || e.level == problem::Level::velocity)
        s.drafts.push_back({.left = {position ? "e''" : "e'", {row}},
                            .value = {},
                            .about = about,
                            .names = {bold("A u'"), bold("-b")},
                            .derivation = true});
    }
  }

  void motion() {
    DraftSection& s = section("motion", "Equations of motion");
    const bool rows = !model_.equations.empty();
    std::vector<SymbolName> right;
    if (!force_.empty()) right.push_back(bold("f"));
    if (written_.system().nonideal) right.push_back(bold("C"));
    if (rows) right.push_back(bold("A^T lambda"));
    s.drafts.push_back({.left = bold("M u'"), .value = {}, .names = right});
    if (!rows) return;
    s.drafts.push_back({.left = bold("A u'"), .value = {}, .names = {bold("b")}});
    s.notes.emplace_back(
        "The reactions of a row in the directions of the speeds are its row of A times its multiplier.");
    const auto& use = written_.system().row_use;
    if (std::find(use.begin(), use.end(), lower::RowUse::euler_parameters) != use.end())
      s.notes.emplace_back("M has no inverse without the rows of the Euler parameters.");
  }

  void quasi_velocities() {
    DraftSection& s = section("quasi", "Quasi-velocities");
    for (const sema::QuasiVelocity& q : model_.quasi_velocities)
      s.drafts.push_back(
          {.left = {q.name}, .value = written_.written(q.value), .about = {q.name}, .unit = unit(q.dimension)});
  }

  // c.(M u + N) for every direction that is known.
  void momenta() {
    if (!sources_.momenta) return;
    DraftSection& s = section("momenta", "Conserved momenta");
    Graph& g = written_.graph();
    for (const lower::MomentumDirection& d : sources_.momenta->found) {
      NodeId sum = g.zero();
      for (const auto& [i, c] : d.speeds) {
        NodeId momentum = g.zero();
        for (const auto& [jk, value] : mass_) {
          const auto [j, k] = jk;
          if (j != i && k != i) continue;
          momentum = g.add(momentum, g.mul(value, g.leaf(LeafKind::speed, j == i ? k : j)));
        }
        for (const Term& t : terms_)
          if (t.target == Target::momentum_offset && t.i == i) momentum = g.add(momentum, t.value);
        sum = g.add(sum, g.mul(g.constant(c), momentum));
      }
      std::vector<std::string> about{d.name};
      s.drafts.push_back({.left = {"p", {number(s.drafts.size() + 1)}},
                          .value = sum,
                          .about = about,
                          .unit = unit(d.dimension),
                          .remark = (d.single ? "ignorable coordinate " : "") + d.name});
    }
  }

  // u', where there are no rows and few speeds hang together. Determinants of several speeds have names.
  void solved() {
    const std::size_t n = model_.speeds.size();
    if (!model_.equations.empty() || n > kMostSolvedSpeeds || written_.system().nonideal || n == 0) return;
    Graph& g = written_.graph();
    std::vector<NodeId> m(n * n, g.zero()), f(n, g.zero());
    for (const auto& [ij, value] : mass_) m[ij.first * n + ij.second] = m[ij.second * n + ij.first] = value;
    for (const auto& [i, value] : force_) f[i.first] = value;
    const reading::Solution solution = reading::solve(g, m, f);
    DraftSection& s = section("solved", "Solved for the accelerations");
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
      s.drafts.push_back({.left = {model_.speeds[i].name + "'"},
                          .value = g.div(solution.numerators[i], name->second),
                          .about = {speed(i)}});
    }
  }

  // Changes at events are no part of the equations between them.
  void left_out() {
    DraftSection& s = section("events", "Not in these equations");
    const auto note = [&](const std::string& what, const std::vector<std::string>& names) {
      if (!names.empty()) s.notes.push_back(what + ": " + joined(names));
    };
    std::vector<std::string> events, contacts, frictions, switched, held;
    for (const problem::Event& e : model_.events)
      if (!e.name.empty()) events.push_back(e.name);
    for (const sema::Unilateral& u : model_.unilaterals) contacts.push_back(model_.constraints[u.constraint].name);
    for (const sema::Friction& f : model_.frictions) frictions.push_back(model_.constraints[f.constraint].name);
    for (const sema::Held& h : model_.held)
      if (h.variable.use == problem::DiscreteVariable::Use::state) held.push_back(h.variable.name);
    note("inequalities, whose rows hold while they are in contact; impacts", contacts);
    note("frictions, which stick or slide", frictions);
    note("events", events);
    note("discrete states, constant between events", held);
  }

  WrittenSystem& written_;
  const sema::Model& model_;
  const Sources& sources_;
  std::vector<Term> terms_;
  Entries mass_, force_;
  std::vector<DraftSection> out_;
};

}  // namespace

std::vector<NamedRotation> rotations_of(WrittenSystem& written) {
  std::vector<NamedRotation> out;
  const sema::Model& model = written.model();
  std::uint32_t first = 0;
  for (const sema::Body& b : model.bodies) {
    const bool turns = b.first_coordinate || !b.negated_rotation.empty();  // with coordinates of its own
    if (!turns || model.space != 3) continue;
    const auto add = [&](const std::vector<NodeId>& entries, bool negated) {
      for (std::size_t k = 0; k < entries.size(); ++k) {
        const NodeId node = written.written(entries[k]);
        if (kernel::arity(written.graph().node(node).op) > 0)
          out.push_back({node,
                         written.graph().leaf(LeafKind::slot_constant, first + static_cast<std::uint32_t>(k)),
                         {"R", {b.name, number(k / 3 + 1), number(k % 3 + 1)}},
                         negated});
      }
    };
    add(b.rotation, false);
    add(b.negated_rotation, true);
    first += 9;
  }
  return out;
}

std::vector<DraftSection> drafts_of(WrittenSystem& written, const Sources& sources) {
  return Drafts(written, sources).run();
}

}  // namespace mbc::equations
