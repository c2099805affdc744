#include "compiler/sema/elaborate.h"

#include <cmath>
#include <limits>
#include <set>

#include "compiler/diagnostics/render.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/dependencies.h"
#include "compiler/sema/evaluate.h"
#include "compiler/sema/settings.h"
#include "runtime/output/numbers.h"

namespace mbc::sema {

using graph::LeafKind;

namespace {

std::string quoted(const std::string& name) { return "`" + printable(name) + "`"; }
const char* kAxes = "xyz";

class Elaborator {
 public:
  Elaborator(const SourceSet& sources, const std::vector<Override>& overrides, Sink& sink)
      : sources_(sources), overrides_(overrides), sink_(sink), evaluator_(model_, sink) {}

  Model run(const ast::File& file, std::vector<Query>* queries) {
    model_.has_units = units_written(file);
    structure(file);
    collect(file);
    for (std::size_t i : dependency_order(file.statements, sink_)) {
      if (sink_.full()) break;
      statement(*file.statements[i]);
    }
    check_masses();
    for (const auto& s : file.statements) {
      if (const auto* init = std::get_if<ast::Init>(&s->node)) initial_values(*init);
      if (const auto* sim = std::get_if<ast::Simulate>(&s->node))
        model_.simulations.push_back(simulation(*sim, s->span, scope_, model_, evaluator_, overrides_, sink_));
    }
    if (queries)
      for (Query& q : *queries) q.answer = evaluator_.evaluate(*q.expression, scope_);
    if (!queries && model_.particles.empty() && !sink_.has_errors()) sink_.report(Kind::nothing_moves, file.version_span);
    check_initial_values();
    check_overrides();
    return std::move(model_);
  }

 private:
  bool units_written(const ast::File& file) const;
  void structure(const ast::File& file);
  void collect(const ast::File& file);
  void statement(const ast::Stmt& s);
  void param(const ast::Param& p, const ast::Stmt& s);
  void let(const ast::Let& l);
  void particle(const ast::Entity& e, const ast::Stmt& s);
  void gravity(const ast::Gravity& g, const ast::Stmt& s);
  void force(const ast::Load& f, const ast::Stmt& s);
  void constraint(const ast::Constraint& c, const ast::Stmt& s);
  void add_row(const std::string& name, const std::string& shown, NodeId e, const Value& difference, Span span);
  void output(const ast::Output& o, const ast::Stmt& s);
  void initial_values(const ast::Init& init);
  void check_masses();
  void check_initial_values();
  void check_overrides();
  const ast::Expr* modifier(const std::vector<ast::Modifier>& list, ast::ModifierKind kind);
  void refuse_modifiers(const std::vector<ast::Modifier>& list, std::initializer_list<ast::ModifierKind> allowed,
                        const std::string& what);
  void refuse(const std::string& what, Span span) { sink_.report(Kind::not_built, span, what); }
  const Override* override_for(const std::string& path) const;
  void set_symbol(const ast::Declared& d, Value v);
  bool refuse_arrays(const ast::Declared& d);

  const SourceSet& sources_;
  const std::vector<Override>& overrides_;
  Sink& sink_;
  Model model_;
  Scope scope_;
  Evaluator evaluator_;
  std::set<std::string> outputs_;
};

std::string spelled(ast::ModifierKind k) {
  switch (k) {
    case ast::ModifierKind::at: return "at";
    case ast::ModifierKind::moving: return "moving";
    case ast::ModifierKind::rotated: return "rotated";
    case ast::ModifierKind::spinning: return "spinning";
    case ast::ModifierKind::follows: return "follows";
    case ast::ModifierKind::on: return "on";
    case ast::ModifierKind::from: return "from";
    case ast::ModifierKind::rate: return "rate";
    case ast::ModifierKind::nonideal: return "nonideal";
  }
  return "?";
}

// Units are only found inside brackets after values; one anywhere makes the model one with units.
struct UnitFinder {
  bool found = false;
  void expr(const ast::ExprPtr& e) {
    if (e && !found) std::visit(*this, e->node);
  }
  void operator()(const ast::Measured&) { found = true; }
  void operator()(const ast::Member& m) { expr(m.object); }
  void operator()(const ast::Index& i) { expr(i.object); }
  void operator()(const ast::Call& c) {
    for (const auto& a : c.args) expr(a.value);
  }
  void operator()(const ast::Prime& p) { expr(p.operand); }
  void operator()(const ast::Range& r) {
    for (const auto* part : {&r.lo, &r.hi, &r.step, &r.count}) expr(*part);
  }
  void operator()(const ast::Tuple& t) {
    for (const auto& e : t.elements) expr(e);
  }
  void operator()(const ast::Unary& u) { expr(u.operand); }
  void operator()(const ast::Sum& s) { terms(s.first, s.rest); }
  void operator()(const ast::Product& p) { terms(p.first, p.rest); }
  void operator()(const ast::Power& p) {
    expr(p.base);
    expr(p.exponent);
  }
  void operator()(const ast::Compare& c) {
    expr(c.lhs);
    expr(c.rhs);
  }
  void operator()(const ast::Logic& l) {
    for (const auto& e : l.operands) expr(e);
  }
  void operator()(const ast::If& i) {
    expr(i.condition);
    expr(i.then_value);
    expr(i.else_value);
  }
  void operator()(const ast::SumOver& s) { expr(s.body); }
  void operator()(const ast::Number&) {}
  void operator()(const ast::String&) {}
  void operator()(const ast::Name&) {}
  void terms(const ast::ExprPtr& first, const std::vector<ast::Term>& rest) {
    expr(first);
    for (const ast::Term& t : rest) expr(t.value);
  }
  void statement(const ast::Stmt& s) {
    std::visit(
        [&](const auto& n) {
          if constexpr (requires { n.value; }) expr(n.value);
          if constexpr (requires { n.body->node; }) expr(n.body);
          if constexpr (requires { n.equation; }) expr(n.equation);
          if constexpr (requires { n.args; })
            for (const auto& a : n.args) expr(a.value);
          if constexpr (requires { n.modifiers; })
            for (const auto& m : n.modifiers) expr(m.value);
          if constexpr (requires { n.entries; })
            for (const auto& e : n.entries) expr(e.value);
          if constexpr (requires { n.settings; })
            for (const auto& e : n.settings) expr(e.value);
        },
        s.node);
  }
};

bool Elaborator::units_written(const ast::File& file) const {
  UnitFinder finder;
  for (const auto& s : file.statements) finder.statement(*s);
  return finder.found;
}

// What shapes everything else: the dimension of space.
void Elaborator::structure(const ast::File& file) {
  Span first;
  for (const auto& s : file.statements)
    if (const auto* space = std::get_if<ast::Space>(&s->node)) {
      if (first.known()) sink_.report(Kind::repeated_statement, s->span, std::string("space")).label(first, "first given here");
      first = s->span;
      const Value v = evaluator_.evaluate(*space->dimension, scope_);
      if (v.invalid()) continue;
      const std::optional<double> n = evaluator_.number(v);
      if (!n || (*n != 1 && *n != 2 && *n != 3))
        sink_.report(Kind::space_value, v.span, printable(sources_.text(v.span)));
      else
        model_.space = static_cast<std::uint32_t>(*n);
    }
}

void Elaborator::collect(const ast::File& file) {
  for (const auto& s : file.statements) {
    const ast::Declared* d = declared_name(*s);
    if (!d) continue;
    if (Evaluator::builtin_name(d->name)) {
      sink_.report(Kind::builtin_redefined, d->span, printable(d->name));
      continue;
    }
    if (Symbol* other = scope_.find_here(d->name)) {
      if (d->indices.empty()) sink_.report(Kind::duplicate_name, d->span, printable(d->name)).label(other->span, "first declared here");
      continue;
    }
    Symbol symbol;
    symbol.span = d->span;
    if (const auto* def = std::get_if<ast::Def>(&s->node)) {
      symbol.function = def;
      symbol.home = &scope_;
    }
    scope_.add(d->name, symbol);
  }
}

void Elaborator::set_symbol(const ast::Declared& d, Value v) {
  Symbol* symbol = scope_.find_here(d.name);
  if (symbol && symbol->span == d.span) {
    v.declared = d.span;
    symbol->value = std::move(v);
  }
}

bool Elaborator::refuse_arrays(const ast::Declared& d) {
  if (d.binders.empty() && d.indices.empty()) return false;
  refuse("an array such as `" + printable(d.name) + "[...]`", d.span);
  return true;
}

void Elaborator::statement(const ast::Stmt& s) {
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (requires { n.name.binders; })
          if (refuse_arrays(n.name)) return;
        if constexpr (std::is_same_v<T, ast::Param>) return param(n, s);
        if constexpr (std::is_same_v<T, ast::Let>) return let(n);
        if constexpr (std::is_same_v<T, ast::Gravity>) return gravity(n, s);
        if constexpr (std::is_same_v<T, ast::Constraint>) return constraint(n, s);
        if constexpr (std::is_same_v<T, ast::Output>) return output(n, s);
        if constexpr (std::is_same_v<T, ast::Entity>) {
          if (n.kind == ast::Entity::Kind::particle) return particle(n, s);
          const char* word = n.kind == ast::Entity::Kind::body ? "`body`" : n.kind == ast::Entity::Kind::point ? "`point`" : "`frame`";
          return refuse(word, s.span);
        }
        if constexpr (std::is_same_v<T, ast::Load>) {
          if (n.kind == ast::Load::Kind::force) return force(n, s);
          constexpr const char* words[] = {"force", "torque", "load", "potential", "dissipation", "kinetic"};
          return refuse("`" + std::string(words[static_cast<int>(n.kind)]) + "`", s.span);
        }
        if constexpr (std::is_same_v<T, ast::Coord>) return refuse("`coord`", s.span);
        if constexpr (std::is_same_v<T, ast::Speed>) return refuse("`speed`", s.span);
        if constexpr (std::is_same_v<T, ast::StateVar>) return refuse("`state`", s.span);
        if constexpr (std::is_same_v<T, ast::Input>) return refuse("`input`", s.span);
        if constexpr (std::is_same_v<T, ast::Test>) return refuse("`test`", s.span);
        if constexpr (std::is_same_v<T, ast::Sweep>) return refuse("`sweep`", s.span);
        if constexpr (std::is_same_v<T, ast::When>) return refuse(n.is_time ? "an event `at`" : "`when`", s.span);
        if constexpr (std::is_same_v<T, ast::Use>) return refuse("`use`", s.span);
        if constexpr (std::is_same_v<T, ast::Component>) return refuse(n.is_joint ? "`joint`" : "`model`", s.span);
        if constexpr (std::is_same_v<T, ast::Instance>) return refuse("a component such as `" + printable(n.type) + "`", s.span);
        if constexpr (std::is_same_v<T, ast::For>) return refuse("`for`", s.span);
        if constexpr (std::is_same_v<T, ast::IfBlock>) return refuse("`if` at declaration level", s.span);
        if constexpr (std::is_same_v<T, ast::ExprStmt>) return refuse("an expression as a statement of a file", s.span);
      },
      s.node);
}

const Override* Elaborator::override_for(const std::string& path) const {
  const Override* last = nullptr;
  for (const Override& o : overrides_)
    if (o.path == path) {
      o.used = true;
      last = &o;
    }
  return last;
}

void Elaborator::param(const ast::Param& p, const ast::Stmt& s) {
  if (!p.type.empty() && p.type != "number" && p.type != "real") refuse("a parameter of type `" + printable(p.type) + "`", p.name.span);
  if (!p.value) return refuse("a parameter without a value", p.name.span);
  Value v = evaluator_.evaluate(*p.value, scope_);
  const std::string what = "the parameter " + quoted(p.name.name);
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return;
  Param made{p.name.name, v.type.dimension, v.node(), p.name.span, s.doc, false};
  if (const Override* o = override_for(p.name.name)) {
    const Value other = evaluator_.evaluate(*o->value, scope_);
    if (!evaluator_.expect_scalar(other, what) || !evaluator_.expect_constant(other, what)) return;
    // a bare number is taken in the SI unit of the parameter
    const bool bare = other.type.dimension.dimensionless() && evaluator_.number(other).has_value();
    if (!bare && !evaluator_.expect_dimension(other, v.type.dimension, what)) return;
    made.value = other.node();
    made.overridden = true;
  }
  const auto index = static_cast<std::uint32_t>(model_.params.size());
  model_.params.push_back(made);
  Value symbol = evaluator_.scalar(model_.graph.leaf(LeafKind::param, index), v.type.dimension, Level::constant, p.name.span);
  symbol.type.any_dimension = false;
  set_symbol(p.name, symbol);
}

void Elaborator::let(const ast::Let& l) {
  Value v = evaluator_.evaluate(*l.value, scope_);
  set_symbol(l.name, std::move(v));
}

const ast::Expr* Elaborator::modifier(const std::vector<ast::Modifier>& list, ast::ModifierKind kind) {
  const ast::Modifier* found = nullptr;
  for (const ast::Modifier& m : list)
    if (m.kind == kind) {
      if (found) sink_.report(Kind::modifier_repeated, m.span, spelled(kind)).label(found->span, "first given here");
      found = &m;
    }
  return found ? found->value.get() : nullptr;
}

void Elaborator::refuse_modifiers(const std::vector<ast::Modifier>& list, std::initializer_list<ast::ModifierKind> allowed,
                                  const std::string& what) {
  for (const ast::Modifier& m : list) {
    bool ok = false;
    for (ast::ModifierKind k : allowed) ok |= m.kind == k;
    if (!ok) sink_.report(Kind::modifier_unfit, m.span, spelled(m.kind), what);
  }
}

void Elaborator::particle(const ast::Entity& e, const ast::Stmt& s) {
  const std::string& name = e.name.name;
  const std::string whose = "of `" + printable(name) + "`";
  for (const ast::Modifier& m : e.modifiers)
    if (m.kind == ast::ModifierKind::follows) return refuse("`follows`", m.span);
  refuse_modifiers(e.modifiers, {ast::ModifierKind::at, ast::ModifierKind::moving}, "a particle");
  const ast::Expr* mass_expr = nullptr;
  for (const ast::Argument& a : e.args) {
    if (!a.name.empty() && a.name != "mass")
      sink_.report(Kind::unknown_argument, a.name_span, std::string("particle"), printable(a.name)).hint("a particle has `mass`");
    else if (mass_expr)
      sink_.report(Kind::wrong_arity, a.value->span, std::string("particle"), std::string("1 argument, the mass"), std::to_string(e.args.size()));
    else
      mass_expr = a.value.get();
  }
  Particle p;
  p.name = name;
  p.span = e.name.span;
  p.mass_span = mass_expr ? mass_expr->span : e.name.span;
  p.doc = s.doc;
  bool good = true;
  if (!mass_expr) {
    sink_.report(Kind::mass_missing, e.name.span, printable(name)).hint("write `particle " + printable(name) + "(1) at ...`");
    good = false;
  } else {
    const Value m = evaluator_.evaluate(*mass_expr, scope_);
    const std::string what = "the mass " + whose;
    good = evaluator_.expect_scalar(m, what) && evaluator_.expect_constant(m, what) &&
           evaluator_.expect_dimension(m, mass_dimension(), what);
    if (good) p.mass = m.node();
  }
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  const ast::Expr* moving = modifier(e.modifiers, ast::ModifierKind::moving);
  std::vector<NodeId> start(model_.space, model_.graph.zero()), velocity = start;
  const auto initial = [&](const ast::Expr& expr, const std::string& what, Dimension d, std::vector<NodeId>& out) {
    const Value v = evaluator_.evaluate(expr, scope_);
    if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_constant(v, what) || !evaluator_.expect_dimension(v, d, what))
      return false;
    out = v.nodes;
    return true;
  };
  if (!at) {
    sink_.report(Kind::position_missing, e.name.span, printable(name)).hint("write `at (0, 0, 0)`");
    good = false;
  } else {
    good &= initial(*at, "the position " + whose, length_dimension(), start);
  }
  if (moving) good &= initial(*moving, "the velocity " + whose, velocity_dimension(), velocity);
  if (!good) return;
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    const auto q = static_cast<std::uint32_t>(model_.coordinates.size());
    const auto u = static_cast<std::uint32_t>(model_.speeds.size());
    const std::string axis(1, kAxes[k]);
    graph::SpanScope span_scope(model_.graph, e.name.span);
    const NodeId position = model_.graph.leaf(LeafKind::coordinate, q), rate = model_.graph.leaf(LeafKind::speed, u);
    model_.coordinates.push_back({name + "." + axis, physical(model_, length_dimension()), start[k], rate, e.name.span});
    model_.speeds.push_back({name + ".v" + axis, physical(model_, velocity_dimension()), velocity[k], q, e.name.span});
    p.position.push_back(position);
    p.velocity.push_back(rate);
    p.acceleration.push_back(model_.graph.leaf(LeafKind::accel, u));
  }
  Value v;
  v.type.shape = Shape::particle;
  v.index = static_cast<std::uint32_t>(model_.particles.size());
  model_.particles.push_back(std::move(p));
  set_symbol(e.name, v);
}

void Elaborator::gravity(const ast::Gravity& g, const ast::Stmt& s) {
  if (!model_.gravity.empty()) {
    sink_.report(Kind::repeated_statement, s.span, std::string("gravity"));
    return;
  }
  const Value v = evaluator_.evaluate(*g.value, scope_);
  if (evaluator_.expect_vector(v, "gravity") && evaluator_.expect_constant(v, "gravity") &&
      evaluator_.expect_dimension(v, acceleration_dimension(), "gravity"))
    model_.gravity = v.nodes;
}

void Elaborator::force(const ast::Load& f, const ast::Stmt& s) {
  refuse_modifiers(f.modifiers, {ast::ModifierKind::on, ast::ModifierKind::from}, "a force");
  const std::string shown = f.name.name.empty() ? "in this line" : quoted(f.name.name);
  if (!f.name.name.empty()) {
    Value v;
    v.type.shape = Shape::load;
    set_symbol(f.name, v);
  }
  const ast::Expr* on = modifier(f.modifiers, ast::ModifierKind::on);
  const ast::Expr* from = modifier(f.modifiers, ast::ModifierKind::from);
  if (!on) {
    sink_.report(Kind::force_target_missing, f.name.name.empty() ? s.span : f.name.span, shown).hint("name the particle: `force f on p: ...`");
    return;
  }
  const Value target = evaluator_.evaluate(*on, scope_);
  const Value reaction_on = from ? evaluator_.evaluate(*from, scope_) : Value{};
  const Value v = evaluator_.evaluate(*f.value, scope_);
  if (target.invalid() || v.invalid() || (from && reaction_on.invalid())) return;
  if (target.type.shape != Shape::particle) {
    sink_.report(Kind::not_an_entity, on->span, std::string("`on`"), describe_shape(target.type.shape));
    return;
  }
  if (from && reaction_on.type.shape != Shape::particle && reaction_on.type.shape != Shape::ground) {
    sink_.report(Kind::not_an_entity, from->span, std::string("`from`"), describe_shape(reaction_on.type.shape));
    return;
  }
  const std::string what = "the force " + shown;
  if (!evaluator_.expect_vector(v, what) || !evaluator_.expect_dimension(v, force_dimension(), what)) return;
  for (NodeId id : graph::leaves(model_.graph, v.nodes)) {
    const LeafKind leaf = model_.graph.node(id).leaf;
    if (leaf == LeafKind::accel || leaf == LeafKind::multiplier) {
      sink_.report(Kind::force_acceleration, v.span, shown);
      return;
    }
  }
  const std::string name = f.name.name.empty() ? "force in line " + std::to_string(sources_[s.span.file].position(s.span.begin).line)
                                               : f.name.name;
  const Particle& p = model_.particles[target.index];
  model_.forces.push_back({name, v.nodes, p.position, p.velocity, f.value->span});
  if (from && reaction_on.type.shape == Shape::particle) {
    const Particle& other = model_.particles[reaction_on.index];
    std::vector<NodeId> opposite;
    for (NodeId n : v.nodes) opposite.push_back(model_.graph.neg(n));
    model_.forces.push_back({name, opposite, other.position, other.velocity, f.value->span});
  }
}

void Elaborator::constraint(const ast::Constraint& c, const ast::Stmt& s) {
  if (c.has_nonideal) return refuse("`nonideal`", s.span);
  const std::string line = "in line " + std::to_string(sources_[s.span.file].position(s.span.begin).line);
  const std::string shown = c.name.name.empty() ? line : quoted(c.name.name);
  const auto* equation = std::get_if<ast::Compare>(&c.equation->node);
  if (!equation || equation->op != ast::CompareOp::eq) {
    if (equation && equation->op != ast::CompareOp::ne) {
      // still look at both sides, so that their mistakes are seen in the same run
      const Value lhs = evaluator_.evaluate(*equation->lhs, scope_), rhs = evaluator_.evaluate(*equation->rhs, scope_);
      if (!lhs.invalid() && !rhs.invalid()) sink_.report(Kind::not_an_equation, equation->op_span, std::string("an inequality"));
      return;
    }
    const Value v = equation ? Value{} : evaluator_.evaluate(*c.equation, scope_);
    if (equation)
      sink_.report(Kind::not_an_equation, equation->op_span, std::string("`!=`"));
    else if (!v.invalid())
      sink_.report(Kind::not_an_equation, c.equation->span, describe_shape(v.type.shape)).hint("write `" + printable(sources_.text(c.equation->span), 60) + " == 0` if that is meant");
    return;
  }
  const Value d = evaluator_.difference(*equation, c.equation->span, scope_);
  if (d.invalid()) return;
  Constraint made{c.name.name.empty() ? "constraint " + line : c.name.name, !c.name.name.empty(),
                  static_cast<std::uint32_t>(model_.equations.size()), 0, c.equation->span, s.doc};
  for (std::size_t k = 0; k < d.nodes.size(); ++k) {
    const std::string name = d.nodes.size() == 1 ? made.name : made.name + "." + std::string(1, kAxes[k]);
    add_row(name, shown, d.nodes[k], d, c.equation->span);
  }
  made.row_count = static_cast<std::uint32_t>(model_.equations.size()) - made.first_row;
  Value v;
  v.type.shape = Shape::constraint;
  v.index = static_cast<std::uint32_t>(model_.constraints.size());
  model_.constraints.push_back(made);
  if (!c.name.name.empty()) set_symbol(c.name, v);
}

// One scalar row: its level is that of the text as written, its leaves must let it constrain something.
void Elaborator::add_row(const std::string& name, const std::string& shown, NodeId e, const Value& difference, Span span) {
  graph::Graph& g = model_.graph;
  bool moves = false;
  for (NodeId id : graph::leaves(g, {&e, 1})) {
    const LeafKind leaf = g.node(id).leaf;
    moves |= leaf == LeafKind::coordinate || leaf == LeafKind::speed || leaf == LeafKind::accel;
    if (leaf == LeafKind::multiplier) {
      sink_.report(Kind::constraint_reaction, span, shown);
      return;
    }
  }
  Level level = difference.level;
  if (!moves) {
    // decided by its value at the start; a row of time alone can hold at one instant only
    const std::vector<double> value = graph::evaluate(g, {&e, 1}, [&](const graph::Node& n) {
      return n.leaf == LeafKind::param ? parameter_values(model_)[n.a] : 0.6180339887;
    });
    if (std::fabs(value[0]) < 1e-14)
      sink_.report(Kind::always_true, span, shown);
    else
      sink_.report(Kind::never_true, span, shown, output::short_number(value[0]));
    return;
  }
  if (level == Level::constant) level = Level::position;
  if (level == Level::acceleration) {
    const ad::Row row = ad::differentiate(g, e, level, model_.motion());
    for (const auto& [speed, factor] : row.jacobian)
      for (NodeId id : graph::leaves(g, {&factor, 1}))
        if (g.node(id).leaf == LeafKind::accel) {
          std::string acceleration = model_.speeds[speed].name;
          if (const std::size_t dot = acceleration.rfind(".v"); dot != std::string::npos) acceleration[dot + 1] = 'a';
          sink_.report(Kind::nonlinear_acceleration, span, shown, acceleration);
          return;
        }
  }
  model_.equations.push_back({name, static_cast<std::uint32_t>(model_.constraints.size()), e, level, difference.type.dimension, span});
}

void Elaborator::output(const ast::Output& o, const ast::Stmt& s) {
  const Value v = evaluator_.evaluate(*o.value, scope_);
  if (v.invalid()) return;
  const std::string name = o.name.name.empty() ? std::string(sources_.text(o.value->span)) : o.name.name;
  if (!v.numeric() && v.type.shape != Shape::boolean) {
    sink_.report(Kind::not_a_value, o.value->span, describe_shape(v.type.shape));
    return;
  }
  if (!outputs_.insert(name).second) {
    sink_.report(Kind::duplicate_name, o.name.name.empty() ? s.span : o.name.span, "output " + printable(name));
    return;
  }
  for (std::size_t k = 0; k < v.nodes.size(); ++k) {
    const std::string part = v.vector() ? name + "." + std::string(1, kAxes[k]) : name;
    model_.outputs.push_back({part, v.nodes[k], v.type.dimension, o.value->span});
  }
}

void Elaborator::initial_values(const ast::Init& init) {
  std::set<std::pair<bool, std::uint32_t>> seen;
  for (const ast::InitEntry& entry : init.entries) {
    if (entry.soft) {
      refuse("a soft initial value `~`", entry.span);
      continue;
    }
    const Value target = evaluator_.evaluate(*entry.target, scope_), value = evaluator_.evaluate(*entry.value, scope_);
    if (target.invalid() || value.invalid()) continue;
    const std::string shown = quoted(std::string(sources_.text(entry.target->span)));
    bool leaf_target = target.numeric();
    for (NodeId n : target.nodes) {
      const graph::Node& node = model_.graph.node(n);
      leaf_target &= node.op == graph::Op::leaf && (node.leaf == LeafKind::coordinate || node.leaf == LeafKind::speed);
    }
    if (!leaf_target) {
      sink_.report(Kind::init_target, entry.target->span, shown);
      continue;
    }
    if (target.type.shape != value.type.shape || target.nodes.size() != value.nodes.size()) {
      sink_.report(Kind::shape_mismatch, value.span, std::string("set equal"), describe_shape(target.type.shape), describe_shape(value.type.shape));
      continue;
    }
    const std::string what = "the initial value of " + shown;
    if (!evaluator_.expect_constant(value, what) || !evaluator_.expect_dimension(value, target.type.dimension, what)) continue;
    for (std::size_t k = 0; k < target.nodes.size(); ++k) {
      const graph::Node node = model_.graph.node(target.nodes[k]);
      const bool speed = node.leaf == LeafKind::speed;
      if (!seen.insert({speed, node.a}).second) {
        sink_.report(Kind::init_twice, entry.span, speed ? model_.speeds[node.a].name : model_.coordinates[node.a].name);
        break;
      }
      (speed ? model_.speeds[node.a].initial : model_.coordinates[node.a].initial) = value.nodes[k];
    }
  }
}

void Elaborator::check_masses() {
  if (sink_.has_errors()) return;
  const std::vector<double> params = parameter_values(model_);
  for (std::size_t i = 0; i < params.size(); ++i)
    if (!std::isfinite(params[i]))
      sink_.report(Kind::value_not_finite, model_.params[i].span, "the parameter " + quoted(model_.params[i].name), output::short_number(params[i]));
  for (const Particle& p : model_.particles) {
    const double m = constant_values(model_, {p.mass}, params)[0];
    if (!(m > 0) || !std::isfinite(m)) {
      sink_.report(Kind::mass_not_positive, p.mass_span, printable(p.name), output::short_number(m));
    }
  }
}

void Elaborator::check_initial_values() {
  if (sink_.has_errors()) return;
  const std::vector<double> params = parameter_values(model_);
  const auto check = [&](const std::string& name, NodeId initial, Span span) {
    const double v = constant_values(model_, {initial}, params)[0];
    if (!std::isfinite(v)) {
      const Span origin = model_.graph.origin(initial);
      sink_.report(Kind::value_not_finite, origin.known() ? origin : span, "the initial value of " + quoted(name), output::short_number(v));
    }
  };
  for (const Coordinate& c : model_.coordinates) check(c.name, c.initial, c.span);
  for (const Speed& c : model_.speeds) check(c.name, c.initial, c.span);
}

void Elaborator::check_overrides() {
  for (const Override& o : overrides_) {
    if (o.used) continue;
    std::vector<std::string> known;
    for (const Param& p : model_.params) known.push_back(p.name);
    Diagnostic& d = sink_.report(Kind::unknown_override, o.span, printable(o.path));
    if (const std::string near = nearest(o.path, known); !near.empty()) d.hint("did you mean `" + near + "`?");
  }
}

}  // namespace

Model elaborate(const ast::File& file, const SourceSet& sources, const std::vector<Override>& overrides, Sink& sink,
                std::vector<Query>* queries) {
  return Elaborator(sources, overrides, sink).run(file, queries);
}

std::vector<double> constant_values(const Model& model, const std::vector<NodeId>& nodes, const std::vector<double>& params) {
  return graph::evaluate(model.graph, nodes, [&](const graph::Node& n) {
    return n.leaf == LeafKind::param && n.a < params.size() ? params[n.a] : std::numeric_limits<double>::quiet_NaN();
  });
}

std::vector<double> parameter_values(const Model& model, const std::vector<std::pair<std::uint32_t, double>>& set) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < model.params.size(); ++i) {
    values.push_back(constant_values(model, {model.params[i].value}, values)[0]);
    for (const auto& [index, value] : set)
      if (index == i) values[i] = value;
  }
  return values;
}

}  // namespace mbc::sema
