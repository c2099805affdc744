// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expansion/shapes.h"

#include <array>
#include <string_view>

#include "base/text.h"
#include "compiler/sema/expansion/expansion.h"
#include "compiler/sema/expansion/instances.h"

namespace mbc::sema {

namespace {

struct ShapeWord {
  std::string_view word;
  const char* component;
};
constexpr std::array kShapes = {ShapeWord{"sphere", "Sphere"}, ShapeWord{"plane", "Plane"}, ShapeWord{"box", "Box"},
                                ShapeWord{"capsule", "Capsule"}, ShapeWord{"cylinder", "Cylinder"}};
struct Pair {
  std::string_view first, second;
  const char* component;
};
constexpr std::array kPairs = {
    Pair{"sphere", "plane", "SphereAndPlane"},       Pair{"sphere", "sphere", "SphereAndSphere"},
    Pair{"sphere", "capsule", "SphereAndCapsule"},   Pair{"sphere", "box", "SphereAndBox"},
    Pair{"sphere", "cylinder", "SphereAndCylinder"}, Pair{"capsule", "plane", "CapsuleAndPlane"},
    Pair{"capsule", "capsule", "CapsuleAndCapsule"}, Pair{"box", "plane", "BoxAndPlane"},
    Pair{"cylinder", "plane", "CylinderAndPlane"}};

// Returns the argument of a parameter, or null.
const ast::Expr* argument(const ast::Instance& i, std::string_view name, std::size_t place) {
  std::size_t k = 0;
  for (const ast::Argument& a : i.args) {
    if (a.name == name || (a.name.empty() && k == place)) return a.value.get();
    k += a.name.empty() ? 1 : 0;
  }
  return nullptr;
}

// Returns whether shapes in these scopes never move against each other.
bool on_one_part(const Scope& first, const Scope& second, const Model& model) {
  const Meaning &on_first = first.find_here("part")->value, &on_second = second.find_here("part")->value;
  if (on_first.type.shape == Shape::particle || on_second.type.shape == Shape::particle)
    return on_first.type.shape == on_second.type.shape && on_first.index == on_second.index;
  const Meaning &there = first.find_here("place")->value, &other = second.find_here("place")->value;
  if (there.type.shape != Shape::frame || other.type.shape != Shape::frame) return false;
  const Frame &f = model.frames[there.index], &g = model.frames[other.index];
  return (f.ground && g.ground) || (f.body && f.body == g.body);
}

}  // namespace

bool is_pair(const ast::Instance& i, const Scope& here, bool shapes) {
  return shapes && !i.shape && i.type == "Contact" && !here.find(i.type).symbol;
}

Instances::Chosen Instances::choose(const ast::Instance& i, Scope& here) {
  if (i.shape) return {shape_component(i)};
  if (is_pair(i, here, shared_.modules.shapes() != nullptr)) return pair_component(i, here);
  return {component_of(i, here, shared_.model.space, sink_)};
}

const Symbol* Instances::shape_component(const ast::Instance& i) {
  if (i.type == "mesh" || shared_.model.space != 3)
    return mbc::refuse(sink_, Kind::not_built, i.type_span,
                       i.type == "mesh" ? std::string("the shape `mesh`")
                                        : "a `shape` in `space " + std::to_string(shared_.model.space) + "`");
  std::vector<std::string> words;
  for (const ShapeWord& s : kShapes) {
    words.emplace_back(s.word);
    const Module* module = shared_.modules.shapes();
    if (s.word == i.type) return module ? module_scope(*module, {})->find_here(s.component) : nullptr;
  }
  return mbc::refuse(sink_, Kind::shape_unknown, i.type_span, printable(i.type))
      .hint(did_you_mean(i.type, words, "shapes are sphere, plane, box, capsule and cylinder"));
}

// Returns the shape that an argument of a pair names, or null.
const Scope* Instances::shape_given(const ast::Instance& i, const char* name, std::size_t place, Scope& here) {
  const ast::Expr* e = argument(i, name, place);
  const bool mistakes = sink_.has_errors();
  const Value v = evaluator_.evaluate(*e, here);
  if (v.type.shape == Shape::instance && v.members->instance->shape) return v.members;
  const std::string written(printable(shared_.sources.text(e->span), 40));
  const Shape s = v.type.shape;
  if (!v.invalid()) {
    Diagnostic& d = sink_.report(Kind::pair_unfit, e->span, written, describe_shape(v));
    if (s == Shape::body || s == Shape::particle || s == Shape::frame || s == Shape::ground)
      d.hint("declare its shape, `shape hull on " + written + ": ...`, and name that");
  } else if (!mistakes && !sink_.has_errors()) {
    sink_.report(Kind::shape_later, e->span, written);
  }
  return nullptr;
}

Instances::Chosen Instances::pair_component(const ast::Instance& i, Scope& here) {
  const Scope* module = module_scope(*shared_.modules.shapes(), {});
  // a missing argument is reported as for any component
  if (!argument(i, "a", 0) || !argument(i, "b", 1)) return {module->find_here(kPairs[0].component)};
  const Scope* first = shape_given(i, "a", 0, here);
  const Scope* second = first ? shape_given(i, "b", 1, here) : nullptr;
  if (!first || !second) return {};
  const Scope::Instance *a = first->instance.get(), *b = second->instance.get();
  for (const Pair& p : kPairs) {
    if (p.first == a->of && p.second == b->of) return {module->find_here(p.component), true, false, first, second};
    if (p.first == b->of && p.second == a->of) return {module->find_here(p.component), true, true, first, second};
  }
  sink_.report(Kind::pair_unknown, i.name.span, a->of, b->of)
      .label(a->span, "the " + a->of)
      .label(b->span, "the " + b->of)
      .hint("a sphere touches every shape, a capsule planes and capsules, a box and a cylinder planes");
  return {};
}

// Adds the arguments of a pair. A pair is rough if a coefficient of friction is given.
void Instances::complete_pair(const ast::Component& component, const Chosen& chosen, const ast::Instance& i,
                              std::vector<const ast::Expr*>& given) {
  if (chosen.turned) std::swap(given[0], given[1]);
  bool rough = false;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::string& name = component.parameters[k].name;
    rough = rough || (given[k] && (name == "mu" || name == "static_mu"));
    if (name != "rough" || given[k] || !rough) continue;
    ast::Expr& one = numbers_.emplace_back();
    one.span = i.name.span;
    one.node = ast::Number{1, "1", true};
    given[k] = &one;
  }
}

void place_shapes(const std::vector<const Scope*>& shapes, Model& model) {
  for (const Scope* s : shapes) {
    const Symbol *place = s->find_here("place"), *size = s->find_here("size"), *carrier = s->find_here("part");
    if (!place || !size || !carrier || place->value.type.shape != Shape::frame || size->value.nodes.empty()) continue;
    PlacedShape made{s->instance->path().substr(0, s->instance->path().size() - 1),
                     s->instance->of,
                     place->value.index,
                     {},
                     size->value.nodes,
                     s->instance->span};
    if (carrier->value.type.shape == Shape::particle) made.particle = carrier->value.index;
    model.shapes.push_back(std::move(made));
  }
}

void check_pairs(const std::vector<PairOfShapes>& pairs, const Model& model, Sink& sink) {
  for (const PairOfShapes& p : pairs) {
    const Scope::Instance& made = *p.pair->instance;
    if (on_one_part(*p.a, *p.b, model))
      sink.report(Kind::pair_with_itself, made.span, printable(made.path().substr(0, made.path().size() - 1)));
  }
}

}  // namespace mbc::sema
