// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/conservative.h"

#include <span>

#include "base/text.h"
#include "compiler/lower/item_name.h"

namespace mbc::lower {

namespace {

const char* const kOtherMethods = "`auto` and the other integrators take every model";

std::string quoted_or(const std::string& name, const char* what) {
  return name.empty() ? std::string("the ") + what : std::string("the ") + what + " " + quoted(name);
}

class Search {
 public:
  explicit Search(const sema::Model& model) : model_(model) {}

  std::optional<InTheWay> find() {
    events();
    rows();
    loads();
    energies();
    moving();
    return std::move(found_);
  }

 private:
  void report(std::string why, Span span, const char* help = kOtherMethods) {
    if (!found_) found_ = InTheWay{std::move(why), span, help};
  }
  template <class Nodes>
  bool by_time(const Nodes& nodes) {
    return graph::holds(model_.graph, std::vector<NodeId>(nodes.begin(), nodes.end()), {LeafKind::time});
  }

  void events() {
    for (const sema::Unilateral& u : model_.unilaterals)
      report(quoted_or(model_.constraints[u.constraint].name, "inequality") + " takes energy by impacts",
             model_.constraints[u.constraint].span);
    for (const sema::Friction& f : model_.frictions)
      report(quoted_or(model_.torques[f.load].name, "friction") + " takes energy", f.span);
    for (const problem::Event& e : model_.events)
      report("the event " + quoted(e.name) + " interrupts the motion", e.span);
    for (const sema::State& s : model_.states) report("the state " + quoted(s.name) + " has a rate of its own", s.span);
  }

  void rows() {
    for (const sema::Equation& row : model_.equations) {
      if (row.level != sema::Level::position)
        report("the constraint " + quoted(row.name) + " is not written at position level", row.span,
               "a constraint that holds velocities can be used where it is the rate of one of positions: write that");
      else if (by_time(std::span(&row.residual, 1)))
        report("the constraint " + quoted(row.name) + " moves with time", row.span);
    }
  }

  void loads() {
    const char* const help = "a force that depends on positions alone may have a potential: `potential V: ...`";
    for (const sema::Force& f : model_.forces) report(quoted_or(f.name, "force") + " may do work", f.span, help);
    for (const sema::Torque& t : model_.torques) report(quoted_or(t.name, "torque") + " may do work", t.span, help);
    for (const sema::GeneralisedLoad& l : model_.loads)
      report(quoted_or(l.name, "load") + " may do work", l.span, help);
  }

  void energies() {
    for (const sema::EnergyTerm& e : model_.energies) {
      const bool loss = e.kind == sema::EnergyTerm::Kind::dissipation;
      if (loss) report(quoted_or(e.name, "dissipation") + " takes energy", e.span);
      if (by_time(std::span(&e.value, 1)))
        report(quoted_or(e.name, e.kind == sema::EnergyTerm::Kind::kinetic ? "kinetic energy" : "potential") +
                   " depends on time",
               e.span);
    }
  }

  // Reports prescribed positions.
  void moving() {
    for (const sema::Particle& p : model_.particles)
      if (!p.first_coordinate && by_time(p.position)) report(quoted(p.name) + " is moved by time", p.span);
    for (const sema::Body& b : model_.bodies)
      if (!b.first_coordinate && (by_time(b.position) || by_time(b.rotation)))
        report(quoted(b.name) + " is moved by time", b.span);
  }

  const sema::Model& model_;
  std::optional<InTheWay> found_;
};

// Finds a kinetic term with a part that is linear in the velocities, as of a spinning rotor: backwards in time it
// changes.
std::optional<InTheWay> one_way(const sema::Model& model, const System& system) {
  for (const Part& part : system.parts)
    for (const Contribution& c : part.contributions)
      if (c.target == Target::momentum_offset && part.family.count > 0) {
        const ItemPlace place = item_of(part, part.family.items[0], model);
        return InTheWay{(place.name.empty() ? "a kinetic energy" : quoted(place.name)) +
                            " has a momentum at rest, so that motions do not run backwards",
                        place.span, kOtherMethods};
      }
  return {};
}

}  // namespace

bool rates_contain_time(const System& system) {
  for (const Part& part : system.parts)
    for (const Contribution& c : part.contributions)
      if (columns_of(c.target).serves == TargetColumns::For::motion &&
          graph::holds(part.family.shape.graph, c.value, {LeafKind::time}))
        return true;
  return false;
}

std::optional<InTheWay> not_conservative(const sema::Model& model, const System& system) {
  if (std::optional<InTheWay> found = Search(model).find()) return found;
  return one_way(model, system);
}

}  // namespace mbc::lower
