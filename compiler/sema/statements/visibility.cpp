// SPDX-License-Identifier: Apache-2.0
// hide rod, car.frame    show car.frame.hull: what pictures of the model leave out.
#include <algorithm>

#include "compiler/sema/statements/outputs.h"

namespace mbc::sema {

void Outputs::visibility(const ast::Visibility& v) {
  const ast::Expr& target = *v.target;
  if (const auto* name = std::get_if<ast::Name>(&target.node); name && !Names::known(name->text, *item_.scope)) {
    evaluator_.names().unknown(name->text, target.span, *item_.scope,
                               "what is hidden has a name: `constraint " + printable(name->text) + ": ...`");
    return;
  }
  const Value what = value(target);
  if (what.invalid() || choose_shown(what, v.shown)) return;
  const std::string kind = what.type.shape == Shape::load ? "a load that has no arrow" : describe_shape(what);
  sink_.report(Kind::without_picture, target.span, printable(sources_.text(target.span), 40), kind)
      .hint("particles, bodies, points, frames, shapes, constraints, potentials, forces and instances have one");
}

// Returns false for what has no picture.
bool Outputs::choose_shown(const Meaning& what, bool shown) {
  const auto chosen = [&](const std::string& name) {
    model_.visibility.choose(name, shown);
    return true;
  };
  switch (what.type.shape) {
    case Shape::particle:
      return chosen(model_.particles[what.index].name.text());
    case Shape::body:
      return chosen(model_.bodies[what.index].name);
    case Shape::point:
      return chosen(model_.points[what.index].name);
    case Shape::frame:
      return model_.frames[what.index].named && chosen(model_.frames[what.index].name);
    case Shape::constraint:
      return chosen(model_.constraints[what.index].name.text());
    case Shape::load:
      return drawn_load(*what.text) && chosen(*what.text);
    case Shape::instance: {
      const std::string& path = what.members->instance->path();
      if (what.members->instance->shape) chosen(path.substr(0, path.size() - 1));
      return chosen(path);
    }
    case Shape::array:
      return std::ranges::all_of(what.elements->of, [&](const auto& element) {
        return choose_shown(evaluator_.names().value_of(element.second), shown);
      });
    case Shape::invalid:  // reported where it is declared
      return true;
    case Shape::scalar:
    case Shape::vector:
    case Shape::boolean:
    case Shape::text:
    case Shape::matrix:
    case Shape::event:
    case Shape::ground:
    case Shape::energy:
    case Shape::momentum:
      return false;
  }
  return false;
}

// Returns whether a load of this name may be an arrow or a spring; torques and generalised loads are none.
bool Outputs::drawn_load(const std::string& name) const {
  const auto named = [&](const auto& load) { return load.name == name; };
  const auto potential = [&](const EnergyTerm& e) { return e.name == name && e.kind == EnergyTerm::Kind::potential; };
  return std::ranges::any_of(model_.forces, named) || std::ranges::any_of(model_.energies, potential);
}

}  // namespace mbc::sema
