// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/statement.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/sema/expressions/operators.h"
#include "compiler/sema/expressions/written_unit.h"
#include "compiler/sema/joint_angles.h"

namespace mbc::sema {

std::string shown(double x) { return text::short_number(x, 10); }

Statement::InInstance::InInstance(Sink& sink, const Scope& scope)
    : sink_(sink), outer_(sink.set_around(Scope::Instance::around(scope.owner()))) {}

std::string component_text(std::size_t k, std::size_t count) {
  return count <= 3 ? "." + std::string(1, "xyz"[k]) : "[" + std::to_string(k + 1) + "]";
}

std::string one_line(std::string_view text) {
  std::string out;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!in_string && text.substr(at).starts_with("//")) at = std::min(text.find_first_of("\r\n", at), text.size() - 1);
    const char c = text[at];
    in_string ^= c == '"';
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank || in_string)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return escaped(out);
}

const ast::Expr* modifier(const std::vector<ast::Modifier>& list, ast::ModifierKind kind) {
  const ast::Modifier* found = nullptr;
  for (const ast::Modifier& m : list)
    if (m.kind == kind) found = &m;
  return found ? found->value.get() : nullptr;
}

std::uint32_t add_probe(Model& model, const Value& v) {
  const auto first = static_cast<std::uint32_t>(model.probes.size());
  model.probes.insert(model.probes.end(), v.nodes.begin(), v.nodes.end());
  return first;
}

std::optional<NodeId> Statement::constant_scalar(const ast::Expr& e, const Dimension& wanted, const std::string& what,
                                                 const char* help) {
  const Value v = value(e);
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what, help) ||
      !evaluator_.expect_dimension(v, wanted, what))
    return {};
  return v.node();
}

Value Statement::part(const ast::Expr& e, bool turns) {
  const auto* name = std::get_if<ast::Name>(&e.node);
  if (!name || Names::known(name->text, *item_.scope)) return value(e);
  const std::string shown = printable(name->text);
  const std::string declared =
      turns ? "`body " + shown + "(mass = ..., inertia = ...) at ...`" : "`particle " + shown + "(1) at ...`";
  return evaluator_.names().unknown(name->text, e.span, *item_.scope, "what has a place is declared: " + declared);
}

bool Statement::only_places(const Value& v) {
  for (const Node& n : graph::leaves(model_.graph, v.nodes))
    if (n.leaf != LeafKind::coordinate && n.leaf != LeafKind::time && n.leaf != LeafKind::param &&
        !model_.is_discrete(n, problem::DiscreteVariable::Use::turns))
      return mbc::refuse(sink_, Kind::follows_motion, v.span, printable(item_.name()));
  return true;
}

std::optional<std::vector<NodeId>> Statement::constant_vector(const ast::Expr& e, const Dimension& wanted,
                                                              const std::string& what, const char* help) {
  Value v = value(e);
  if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_constant(v, what, help) ||
      !evaluator_.expect_dimension(v, wanted, what))
    return {};
  return std::move(v.nodes);
}

std::optional<Value> Statement::override_value(const Override& o, const Dimension& wanted, const std::string& what) {
  const Value other = evaluator_.evaluate(*o.value, shared_.scope);
  if (!evaluator_.expect_scalar(other, what) || !evaluator_.expect_constant(other, what)) return {};
  if (!model_.has_units && !other.type.dimension.dimensionless()) {
    sink_.report(Kind::override_value, o.span, printable(o.path), "the model has no units");
    return {};
  }
  const bool bare = other.type.dimension.dimensionless() && evaluator_.number(other).has_value();
  if (!bare && !evaluator_.expect_dimension(other, wanted, what)) return {};
  return other;
}

void Statement::note_unit(const std::string& path, const Value& given, const ast::Expr& number, const ast::Unit* unit) {
  const bool bare = given.type.dimension.dimensionless() && !given.angle;
  const std::optional<double> value = evaluator_.number(given);
  if (!unit || !bare || !value || *value == 0 || shared_.overrides.is_of_member(path)) return;
  const std::optional<std::pair<double, Dimension>> known = unit_value(*unit, sink_);
  if (!known || known->first == 1) return;
  const std::string text(printable(sources_.text(number.span), 40)), written(printable(sources_.text(unit->span), 40));
  const std::string factor = std::holds_alternative<ast::Number>(number.node) ? text : "(" + text + ")";
  sink_.report(Kind::taken_in_si, number.span, printable(path, 60), text, si_text(*unit, known->second))
      .hint("write `--set \"" + printable(path, 60) + " = " + factor + " " + written + "\"` for " +
            written.substr(1, written.size() - 2));
}

std::optional<double> Statement::factor_of(const ast::Unit& written, const Value& shown) {
  const std::optional<std::pair<double, Dimension>> unit = unit_value(written, sink_);
  if (!unit) return {};
  if (!shown.numeric())
    return mbc::refuse(sink_, Kind::wrong_shape, shown.span, "what is shown in a unit", "a number or vector",
                       describe_shape(shown));
  const std::string what = "what is written in " + text_of_unit(written);
  if (!model_.has_units && !unit->second.dimensionless())  // asked from outside
    return mbc::refuse(sink_, Kind::wrong_dimension, shown.span, what, describe(unit->second), "a pure number")
        .hint("the model has no units");
  const bool fits = evaluator_.expect_dimension(shown, unit->second, what);
  return fits ? std::optional(unit->first) : std::nullopt;
}

bool Statement::show_in(const ast::Unit& written, Value& v) {
  const std::optional<double> factor = factor_of(written, v);
  if (!factor) return false;
  for (NodeId& n : v.nodes) n = model_.graph.div(n, model_.graph.constant(*factor));
  return true;
}

std::string Statement::text_of_unit(const ast::Unit& unit) const {
  std::string text = one_line(sources_.text(unit.span));
  if (text.starts_with('[')) text.erase(0, 1);
  if (text.ends_with(']')) text.pop_back();
  return trimmed(text);
}

bool Statement::fits(const Value& target, const Value& value, const std::string& what) {
  if (target.labels && value.labels != target.labels)
    return mbc::refuse(sink_, Kind::label_expected, value.span, what)
        .hint("its labels are members of it, such as `." + printable(target.labels->front()) + "`");
  if (!target.vector()) return evaluator_.expect_scalar(value, what);
  if (value.vector() && value.nodes.size() == target.nodes.size()) return true;
  const auto vector_of = [](const Value& v) { return "a vector of " + std::to_string(v.nodes.size()) + " components"; };
  return mbc::refuse(sink_, Kind::wrong_shape, value.span, what, vector_of(target),
                     value.vector() ? vector_of(value) : describe_shape(value));
}

std::optional<std::uint32_t> Statement::run_named(const std::string& name, Kind unknown, Span span) {
  std::vector<std::string> known;
  for (const Simulation& s : model_.simulations) known.push_back(s.name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<std::uint32_t>(found - known.begin());
  return mbc::refuse(sink_, unknown, span, printable(name))
      .hint(did_you_mean(name, known, "name the run: `simulate " + printable(name) + " { ... }`"));
}

void Statement::add_counts(Event& event, Span span) {
  static const SharedText count = ".count", time = ".time";
  event.count = model_.add_held(problem::DiscreteVariable::Use::count, Name(event.name, count), {}, span);
  event.time = model_.add_held(problem::DiscreteVariable::Use::time, Name(event.name, time),
                               physical(model_, time_dimension()), span);
}

std::uint32_t Statement::add_event(Event::Kind kind, const Name& name, Span span) {
  Event made;
  made.kind = kind;
  made.name = name;
  made.span = span;
  add_counts(made, span);
  model_.events.push_back(std::move(made));
  return static_cast<std::uint32_t>(model_.events.size() - 1);
}

void Statement::set_symbol(const ast::Declared& d, Value v) {
  if (!item_.symbol) return;  // the name was refused
  v.declared = d.span;
  item_.symbol->value = std::move(v);
}

void Statement::count_turns(const ast::Declared& d, Value& v) {
  if (item_.symbol && v.scalar() && model_.is_joint_coordinate(d.span))
    v.nodes[0] = with_turns(model_, v.node(), item_.name(), d.span);
}

void Statement::set_entity(const ast::Declared& d, Shape shape, std::size_t index) {
  Value v;
  v.type.shape = shape;
  v.index = static_cast<std::uint32_t>(index);
  set_symbol(d, std::move(v));
}

std::string Statement::path_of_item() const {
  const Scope::Instance* owner = item_.scope->owner();
  return owner ? owner->path() : "";
}

std::string Statement::line_of(Span span) const {
  return "in line " + std::to_string(sources_[span.file].position(span.begin).line);
}

void Statement::refuse_modifiers(const std::vector<ast::Modifier>& list,
                                 std::initializer_list<ast::ModifierKind> allowed, const std::string& what) {
  for (const ast::Modifier& m : list) {
    bool ok = false;
    for (ast::ModifierKind k : allowed) ok |= m.kind == k;
    if (!ok) sink_.report(Kind::modifier_unfit, m.span, ast::text_of(m.kind), what);
  }
}

bool Statement::refuse_results(const Value& v, const std::string& what, bool nonideal, bool multipliers) {
  for (const Node& n : graph::leaves(model_.graph, v.nodes)) {
    const LeafKind leaf = n.leaf;
    if (leaf == LeafKind::ideal && nonideal) continue;
    if (leaf == LeafKind::ideal) {
      sink_.report(Kind::ideal_outside, v.span, what);
      return true;
    }
    if (leaf != LeafKind::accel && leaf != LeafKind::multiplier) continue;
    if (leaf == LeafKind::multiplier && multipliers && !nonideal) continue;
    const std::string on = leaf == LeafKind::accel ? "an acceleration" : "the multiplier of a constraint";
    Diagnostic& d = sink_.report(nonideal ? Kind::nonideal_of_reactions : Kind::force_acceleration, v.span, what, on);
    if (nonideal)
      d.hint(leaf == LeafKind::accel
                 ? "`.ideal` of a constraint is known before the accelerations"
                 : "`.ideal` is the reaction as it would be without the loads of `nonideal` blocks");
    else if (leaf == LeafKind::multiplier)
      d.hint("a `force`, `torque`, `load` or `friction` may hold it");
    else
      d.hint("an inertia effect is a mass or a `kinetic` energy, a law for accelerations a constraint");
    return true;
  }
  return false;
}

}  // namespace mbc::sema
