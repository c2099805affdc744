// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/sema/expressions/evaluator.h"
#include "compiler/sema/modules.h"

namespace mbc::sema {

namespace {

constexpr std::array kBuiltinValues{"t", "pi", "ex", "ey", "ez", "ground", "energy", "momentum", "residuals"};

// Returns the indices of an array: "1..3, 5" for one index, "[1..3, 0..4]" for several.
std::string range_of(const Elements& elements) {
  const std::size_t count = elements.of.begin()->first.size();
  const auto range = [](std::int32_t low, std::int32_t high) {
    return std::to_string(low) + (low == high ? "" : ".." + std::to_string(high));
  };
  if (count == 1) {
    constexpr int kShown = 4;
    std::string text;
    int shown = 0;
    for (auto it = elements.of.begin(); it != elements.of.end() && shown < kShown; ++shown) {
      const std::int32_t low = it->first[0];
      std::int32_t high = low;
      while (++it != elements.of.end() && it->first[0] == high + 1) ++high;
      text += (shown ? ", " : "") + range(low, high);
      if (shown + 1 == kShown && it != elements.of.end()) text += ", ...";
    }
    return text;
  }
  std::string text = "[";
  std::size_t box = 1;
  for (std::size_t k = 0; k < count; ++k) {
    std::int32_t low = elements.of.begin()->first[k], high = low;
    for (const auto& [key, symbol] : elements.of) {
      low = std::min(low, key[k]);
      high = std::max(high, key[k]);
    }
    text += (k ? ", " : "") + range(low, high);
    box *= static_cast<std::size_t>(high - low) + 1;
  }
  return text + (box == elements.of.size() ? "]" : "], of which some are missing");
}

// Translates the notation of many papers, `vx15`: the particle with that number and its part, "p15.vx"; else "".
std::string numbered_part(const std::string& name, const Scope& scope) {
  const std::size_t axis = name.find_first_of(kAxes);
  const bool prefix = axis == 0 || (axis == 1 && (name[0] == 'v' || name[0] == 'a'));
  if (!prefix || axis + 1 == name.size() || name.find_first_not_of("0123456789", axis + 1) != std::string::npos)
    return "";
  const std::string number = name.substr(axis + 1);
  for (const std::string& known : scope.names()) {
    const std::size_t digits = known.find_first_of("0123456789");
    if (digits == std::string::npos || known.substr(digits) != number) continue;
    if (const Symbol* s = scope.find(known).symbol; s && s->value.type.shape == Shape::particle)
      return known + "." + name.substr(0, axis + 1);
  }
  return "p." + name.substr(0, axis + 1);
}

void label_declared(Diagnostic& d, const Value& array) {
  if (array.declared.known()) d.label(array.declared, quoted(array.elements->name) + " is declared here");
}

}  // namespace

std::vector<std::string> Names::builtin_values() { return {kBuiltinValues.begin(), kBuiltinValues.end()}; }

bool Names::builtin(const std::string& name) {
  static const std::unordered_set<std::string> all = [] {
    std::unordered_set<std::string> made(kBuiltinValues.begin(), kBuiltinValues.end());
    made.insert(Functions::names().begin(), Functions::names().end());
    return made;
  }();
  return all.contains(name);
}

bool Names::reserved(const std::string& name) {
  return std::find(kBuiltinValues.begin(), kBuiltinValues.end(), name) != kBuiltinValues.end();
}

Value Names::name(const ast::Name& n, Span span, const Scope& scope) {
  const Scope::Found found = scope.find(n.text);
  if (found.number) {
    Value v = scalar(model_.graph.constant(*found.number), {}, Level::constant, span);
    v.declared = found.span;
    return v;
  }
  if (const Symbol* symbol = found.symbol) {
    if (symbol->function())
      return mbc::refuse(sink_, Kind::not_a_value, span, "the function " + quoted(n.text))
          .hint("call it with its arguments in parentheses");
    if (symbol->component())
      return mbc::refuse(sink_, Kind::not_a_value, span,
                         (symbol->component()->is_joint ? "the joint " : "the model ") + quoted(n.text))
          .hint("make one, `" + printable(n.text) + " a(...)`, and use `a`");
    Value v(value_of(*symbol));
    v.declared = symbol->span;
    return v;
  }
  if (std::optional<Value> v = builtin_value(n.text, span)) return std::move(*v);
  const auto& functions = Functions::names();
  if (std::find(functions.begin(), functions.end(), n.text) == functions.end())
    return unknown(n.text, span, scope, "a constant is declared: `param " + printable(n.text) + " = 1`");
  return mbc::refuse(sink_, Kind::not_a_value, span, "the function " + quoted(n.text))
      .hint("call it with its arguments in parentheses");
}

std::optional<Value> Names::builtin_value(const std::string& name, Span span) {
  Value v = invalid(span);
  const auto entity = [&](Shape shape) {
    v.type.shape = shape;
    return v;
  };
  if (name == "t")
    return scalar(model_.graph.leaf(LeafKind::time, 0), physical(model_, time_dimension()), Level::position, span);
  if (name == "pi") return scalar(model_.graph.constant(std::numbers::pi), {}, Level::constant, span);
  if (name == "ground") return entity(Shape::ground);
  if (name == "energy") return entity(Shape::energy);
  if (name == "momentum") return entity(Shape::momentum);
  if (name == "residuals") return evaluator_.run_values().residuals(span);
  for (std::uint32_t k = 0; k < 3; ++k)
    if (name == std::string{'e', kAxes[k]} && k < model_.space) {
      v.type.shape = Shape::vector;
      v.nodes.assign(model_.space, model_.graph.zero());
      v.nodes[k] = model_.graph.one();
      return v;
    }
  return {};
}

const Meaning& Names::value_of(const Symbol& symbol) {
  const bool angle = context_.angle_written;  // of the expression that names it; others may be evaluated meanwhile
  if (demand_) demand_(symbol);
  context_.angle_written = angle;
  return symbol.value;
}

Value Names::unknown(const std::string& name, Span span, const Scope& scope, const std::string& remedy) {
  if (sink_.repeats(span)) return invalid(span);  // it was reported in another pass of a loop
  std::vector<std::string> known = scope.names();
  for (const char* b : {"pi", "ground", "energy", "momentum"}) known.emplace_back(b);
  known.insert(known.end(), Functions::names().begin(), Functions::names().end());
  Diagnostic& d = sink_.report(Kind::unknown_name, span, printable(name));
  if (name == "ex" || name == "ey" || name == "ez")
    d.hint("`space` is " + std::to_string(model_.space) + ": it has no such axis");
  else if (name == "pow" || name == "power")
    d.hint("a power is written `a^b`");
  else if (name == "sqr" || name == "square")
    d.hint("a square is written `a^2`");
  else if (name == "inf" || name == "Inf" || name == "infinity")
    d.hint("no number is infinite here: take one that is large enough, such as `1e9`, or leave the limit out");
  else if (name == "der" || name == "ddt" || name == "deriv")
    d.hint("a derivative with respect to time is written with a prime: `p.x'`, `(2*p.x)'`");
  else if (const std::string part = numbered_part(name, scope); !part.empty())
    d.hint("coordinates and velocities belong to their particle: " + quoted(part));
  else if (const std::string module = standard_module_with(name, model_.space); !module.empty())
    d.hint(quoted(name) + " is in the standard library: `use " + module + "`");
  else if (const std::string near = nearest(name, known); !near.empty())
    d.hint("did you mean " + quoted(near) + "?");
  else if (name.size() == 1 && std::string("xyz").substr(0, model_.space).find(name) != std::string::npos)
    d.hint("the unit vector along this axis is `e" + name + "`; a coordinate belongs to something, as in `p." + name +
           "`");
  else if (!remedy.empty())
    d.hint(remedy);
  return invalid(span);
}

bool Names::known(const std::string& name, const Scope& scope) {
  const Scope::Found found = scope.find(name);
  return found.symbol || found.number || builtin(name);
}

bool Names::label_alone(const ast::Expr& e, const ast::Expr& machine, const Value& of, const Scope& scope) {
  const auto *name = std::get_if<ast::Name>(&e.node), *stem = std::get_if<ast::Name>(&machine.node);
  if (!name || !of.labels || known(name->text, scope)) return false;
  const bool label = std::find(of.labels->begin(), of.labels->end(), name->text) != of.labels->end();
  const std::string meant =
      (stem ? printable(stem->text) : std::string()) + "." + printable(label ? name->text : of.labels->front());
  if (!label)
    unknown(name->text, e.span, scope, "its labels are members of the machine, such as `" + meant + "`");
  else if (!sink_.repeats(e.span))
    sink_.report(Kind::unknown_name, e.span, printable(name->text))
        .hint("labels are members of their machine: `" + meant + "`");
  return true;
}

std::optional<std::int32_t> Names::whole_index(const Value& at) {
  if (at.invalid()) return {};
  const std::optional<double> k = number(at);
  if (!at.scalar())
    sink_.report(Kind::wrong_shape, at.span, "an index", "a whole number", describe_shape(at));
  else if (!k)
    not_known(at, "an index");
  else if (!expect_dimension(at, {}, "an index"))
    return {};
  else if (*k != std::floor(*k))
    sink_.report(Kind::wrong_shape, at.span, "an index", "a whole number", text::short_number(*k));
  else if (std::fabs(*k) > 1e9)
    sink_.report(Kind::wrong_shape, at.span, "an index", "within -1e9 .. 1e9", text::short_number(*k));
  else
    return static_cast<std::int32_t>(*k);
  return {};
}

Value Names::index(const ast::Index& i, Span span, const Scope& scope) {
  const Value object = evaluator_.evaluate(*i.object, scope);
  if (object.invalid()) return object;
  if (object.type.shape == Shape::array) {
    std::vector<Value> at;
    for (const ast::ExprPtr& e : i.indices) at.push_back(evaluator_.evaluate(*e, scope));
    return element(object, at, span);
  }
  if (!object.vector() || i.indices.size() != 1)
    return mbc::refuse(sink_, Kind::not_indexable, span,
                       object.vector() ? std::string("a vector") : describe_shape(object),
                       object.vector() ? " by several indices" : "");
  const Value at = evaluator_.evaluate(*i.indices[0], scope);
  const std::optional<std::int32_t> k = whole_index(at);
  if (!k) return invalid(span);
  if (*k < 1 || *k > static_cast<std::int32_t>(object.nodes.size()))
    return mbc::refuse(sink_, Kind::index_out_of_range, at.span, std::to_string(*k),
                       "1.." + std::to_string(object.nodes.size()));
  Value r = object;
  r.type.shape = Shape::scalar;
  r.nodes = {object.nodes[static_cast<std::size_t>(*k) - 1]};
  return r;
}

// p[3], link[i, j]
Value Names::element(const Value& array, const std::vector<Value>& at, Span span) {
  const Elements& elements = *array.elements;
  const std::size_t wanted = elements.of.empty() ? at.size() : elements.of.begin()->first.size();
  if (at.size() != wanted) {
    Diagnostic& d = sink_.report(Kind::index_count, span, printable(elements.name), counted(wanted, "index", "indices"),
                                 std::to_string(at.size()));
    label_declared(d, array);
    if (at.size() < wanted)
      d.hint("several indices share one pair of brackets: `" + printable(elements.name) + "[1, 2]`");
    return invalid(span);
  }
  Indices indices;
  for (const Value& v : at) {
    const std::optional<std::int32_t> k = whole_index(v);
    if (!k) return invalid(span);
    indices.push_back(*k);
  }
  const auto found = elements.of.find(indices);
  if (found == elements.of.end()) return no_element(array, indices, span, at.size() == 1 ? at[0].span : span);
  Value v(value_of(found->second));
  v.declared = found->second.span;
  return v;
}

Value Names::no_element(const Value& array, const Indices& indices, Span span, Span place) {
  const Elements& elements = *array.elements;
  if (elements.unknown || sink_.repeats(place)) return invalid(span);
  std::string shown;
  for (std::size_t k = 0; k < indices.size(); ++k) shown += (k ? ", " : "") + std::to_string(indices[k]);
  label_declared(
      sink_.report(Kind::index_out_of_range, place, indices.size() > 1 ? "[" + shown + "]" : shown,
                   elements.of.empty() ? quoted(elements.name) + ", which has no elements" : range_of(elements)),
      array);
  return invalid(span);
}

}  // namespace mbc::sema
