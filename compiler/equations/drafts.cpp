// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/drafts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "compiler/equations/drafts_of_motion.h"
#include "compiler/lower/item_name.h"

namespace mbc::equations {

namespace {

using reading::SymbolName;

constexpr std::size_t kMostTotals = 6;  // speeds of a model in which the parts of f are also added up

std::string number(std::size_t k) { return std::to_string(k); }

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
    const Assembled all{written_, sources_, terms_, std::move(mass_), std::move(force_)};
    out_.push_back(reactions(all));
    for (DraftSection& made : speeds_of_method(all)) out_.push_back(std::move(made));
    out_.push_back(momenta(all));
    out_.push_back(solved(all));
    left_out();
    std::erase_if(out_, [](const DraftSection& s) { return s.drafts.empty() && s.notes.empty(); });
    return std::move(out_);
  }

 private:
  DraftSection& section(std::string key, std::string title) {
    return out_.emplace_back(DraftSection{std::move(key), std::move(title)});
  }
  [[nodiscard]] std::string unit(const sema::Dimension& d) const { return unit_text(model_, d); }
  [[nodiscard]] std::string speed(std::uint32_t i) const { return model_.speeds[i].name; }
  [[nodiscard]] const sema::Dimension& of_speed(std::uint32_t i) const { return model_.speeds[i].dimension; }

  // q, u and s with the names of the model, in the order of the state; parameters with their values.
  void quantities() {
    const auto list = [&](const char* letter, const char* title, const auto& of) {
      DraftSection& s = section(letter, title);
      for (std::size_t k = 0; k < of.size(); ++k)
        s.drafts.push_back({.left = {letter, {number(k + 1)}},
                            .value = {},
                            .about = {of[k].name},
                            .unit = unit(of[k].dimension),
                            .names = {{of[k].name}},
                            .numbered = {of[k].name}});
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
      const sema::Dimension& of = of_state ? model_.states[t.item].dimension : model_.coordinates[t.item].dimension;
      s.drafts.push_back(
          {.left = {name + "'"}, .value = t.value, .about = {name}, .unit = unit(of / sema::time_dimension())});
    }
  }

  void rotations() {
    DraftSection& s = section("R", "Rotation matrices, from axes of the body to axes of space");
    for (const NamedRotation& r : rotations_of(written_))
      if (!r.negated)
        s.drafts.push_back({.left = r.name, .value = r.entry, .about = {r.name.index[0]}, .leaf = r.leaf});
  }

  using Kind = sema::EnergyTerm::Kind;

  // The energies of one kind by the items of the model that have them.
  std::vector<std::pair<std::string, NodeId>> energy_by_item(Kind kind) {
    std::vector<std::pair<std::string, NodeId>> out;
    const auto add_energy = [&](const std::string& name, NodeId value) {
      if (written_.graph().is_zero(value)) return;
      const auto same = [&](const auto& one) { return one.first == name; };
      const auto known = std::find_if(out.rbegin(), out.rend(), same);
      if (known == out.rend() || name.empty())
        out.emplace_back(name, value);
      else
        known->second = written_.graph().add(known->second, value);
    };
    for (const Term& t : terms_) {  // of what is written by hand the model has T itself; here is u T_u - T
      const bool kinetic = t.target == Target::kinetic_energy && std::string_view(t.part->what) != "energy";
      if (kind == Kind::kinetic ? kinetic : kind == Kind::potential && t.target == Target::potential_energy)
        add_energy(lower::item_name(*t.part, t.item, model_), t.value);
    }
    for (const sema::EnergyTerm& e : model_.energies)
      if (e.kind == kind && kind != Kind::potential) add_energy(e.name, written_.written(e.value));
    return out;
  }

  // The energy as one sum, or beside it the energies of many items, which may be families. Those of few items are shown
  // on request.
  bool energy(DraftSection& s, const std::string& letter, Kind kind, const std::string& of, const char* remark) {
    constexpr std::size_t kMostInOne = 24;
    const std::vector<std::pair<std::string, NodeId>> items = energy_by_item(kind);
    if (items.empty()) return false;
    const bool one = items.size() <= kMostInOne;
    std::vector<NodeId> list;
    for (const auto& [name, value] : items) {
      list.push_back(value);
      Draft part{.left = {letter, {name}}, .value = value, .about = {name}, .unit = of, .on_request = one};
      if (!one) part.about.push_back(letter);
      if (!one || (items.size() > 1 && !name.empty())) s.drafts.push_back(std::move(part));
    }
    s.drafts.push_back({.left = {letter},
                        .value = one ? written_.graph().sum(list) : NodeId{},
                        .about = items.size() == 1 && !items[0].first.empty() ? std::vector{items[0].first}
                                                                              : std::vector<std::string>{},
                        .unit = of,
                        .remark = remark,
                        .names = {{"sum(" + letter + ")"}}});
    if (one) s.drafts.back().names.clear();
    return true;
  }

  void energies() {
    DraftSection& s = section("energies", "Energies");
    const std::string work = model_.has_units ? "J" : "";
    energy(s, "T", Kind::kinetic, work, "kinetic");
    if (energy(s, "V", Kind::potential, work, "potential"))
      s.drafts.push_back({.left = {"L"}, .value = {}, .remark = "Lagrangian", .names = {{"T"}, {"-V"}}});
    energy(s, "R", Kind::dissipation, unit(power_dimension()),
           "dissipation, half the power lost where it is quadratic");
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
                            .about = {speed(ij.first), speed(ij.second)},
                            .unit = unit(sema::energy_dimension() / (of_speed(ij.first) * of_speed(ij.second))),
                            .numbered = {speed(ij.first), speed(ij.second)}});
  }

  // The parts of f: gravity, inertia (what is quadratic in the speeds, and the motion of what is prescribed), and every
  // load and energy by its name.
  void forces() {
    std::vector<std::pair<std::string, Entries>> parts{{"gravity", {}}, {"inertia", {}}};
    Entries prescribed;
    std::map<std::string, std::string> statements;  // of loads and energies, until the first entry of each
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
      const problem::ItemPlace item = lower::item_of(*t.part, t.item, model_);
      add(part(inertia ? "inertia" : item.name), t.i, 0, t.value);
      if (!inertia) statements.try_emplace(item.name, item.name + ": " + sources_.text(item.span));
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
        const auto statement = statements.extract(name);
        listed.push_back({.left = names.back(),
                          .value = it->second,
                          .about = {speed(i), name},
                          .unit = unit(power_dimension() / of_speed(i)),
                          .remark = statement.empty() ? "" : statement.mapped(),
                          .numbered = {speed(i)}});
        add(force_, i, 0, it->second);
      }
      if (names.empty()) continue;
      if (names.size() == 1) {
        if (listed[0].remark.empty()) listed[0].remark = names[0].index[0];
        listed[0].left = {"f", {number(i + 1)}};
        s.drafts.push_back(std::move(listed[0]));
        continue;
      }
      s.drafts.push_back({.left = {"f", {number(i + 1)}},
                          .value = model_.speeds.size() <= kMostTotals ? force_.at({i, 0}) : NodeId{},
                          .about = {speed(i)},
                          .unit = unit(power_dimension() / of_speed(i)),
                          .names = names,
                          .numbered = {speed(i)}});
      std::move(listed.begin(), listed.end(), std::back_inserter(s.drafts));
    }
    DraftSection& c = section("C", "Prescribed forces of constraints that are not ideal");
    for (const auto& [i, value] : prescribed)
      if (!g.is_zero(value))
        c.drafts.push_back({.left = {"C", {number(i.first + 1)}},
                            .value = value,
                            .about = {speed(i.first)},
                            .unit = unit(power_dimension() / of_speed(i.first)),
                            .numbered = {speed(i.first)}});
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

  // The dimension of A u' and b.
  static sema::Dimension of_acceleration_row(const sema::Equation& e) {
    const sema::Dimension second = sema::time_dimension();
    switch (e.level) {
      case problem::Level::position:
        return e.dimension / (second * second);
      case problem::Level::velocity:
        return e.dimension / second;
      case problem::Level::constant:
      case problem::Level::acceleration:
        break;
    }
    return e.dimension;
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
                          .unit = unit(e.dimension),
                          .remark = std::string(level(e.level)) + (text.empty() ? "" : ": " + text)});
      const sema::Dimension differentiated = of_acceleration_row(e);
      NodeId b = written_.graph().zero();
      const auto by_speed = [](const Term* x, const Term* y) { return x->i < y->i; };
      std::sort(of_row[r].begin(), of_row[r].end(), by_speed);
      for (const Term* t : of_row[r])
        if (t->target == Target::velocity_residual && e.level == problem::Level::position)
          s.drafts.push_back({.left = {"e'", {row}},
                              .value = t->value,
                              .about = about,
                              .unit = unit(e.dimension / sema::time_dimension()),
                              .derivation = true});
      for (const Term* t : of_row[r]) {
        if (t->target == Target::velocity_residual) continue;
        if (t->target == Target::jacobian)
          s.drafts.push_back({.left = {"A", {row, number(t->i + 1)}},
                              .value = t->value,
                              .about = about,
                              .unit = unit(differentiated * sema::time_dimension() / of_speed(t->i)),
                              .numbered = {speed(t->i)}});
        else
          b = t->value;
      }
      s.drafts.push_back({.left = {"b", {row}}, .value = b, .about = about, .unit = unit(differentiated)});
      const bool position = e.level == problem::Level::position;
      if (position || e.level == problem::Level::velocity)
        s.drafts.push_back({.left = {position ? "e''" : "e'", {row}},
                            .value = {},
                            .about = about,
                            .names = {bold("A u'"), bold("-b")},
                            .derivation = true});
    }
  }

  static const char* solved_by(formulate::Solve solve, bool linear_rows) {
    switch (solve) {
      case formulate::Solve::schur:
        return "A M^-1 A^T lambda = b - A M^-1 (f + C), then M u' = f + C + A^T lambda";
      case formulate::Solve::augmented:
        return "both equations as one system";
      case formulate::Solve::maggi:
        return "B^T M u' = B^T (f + C) together with A u' = b, A B = 0";
      case formulate::Solve::projected:
        return linear_rows ? "B^T M B y' = B^T (f + C - M (B' y + beta')), u = B y + beta, A B = 0"
                           : "B^T M B y' = B^T (f + C - M beta), u' = B y' + beta, A B = 0";
    }
    return "";
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
    s.notes.push_back(std::string(sources_.method.name) + " solves " +
                      solved_by(sources_.method.solve, written_.system().linear_rows));
    const auto& use = written_.system().row_use;
    if (std::find(use.begin(), use.end(), lower::RowUse::euler_parameters) != use.end())
      s.notes.emplace_back("M has no inverse without the rows of the Euler parameters.");
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
