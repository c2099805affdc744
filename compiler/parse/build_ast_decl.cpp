// SPDX-License-Identifier: Apache-2.0
// Statements: declarations and structure.
#include <algorithm>
#include <utility>

#include "MbcParser.h"
#include "antlr4-runtime.h"
#include "base/diagnostics/render.h"
#include "compiler/parse/build_ast.h"
#include "compiler/parse/value_of.h"

namespace mbc::syntax {
namespace {

using P = MbcParser;
using antlr4::ParserRuleContext;

class StatementBuilder {
 public:
  StatementBuilder(Builder& b, std::vector<ast::StmtPtr>& out) : b_(b), out_(out) {}

  void add(P::StatementContext* c) {
    if (c->exception != nullptr || c->BROKEN() != nullptr || c->children.size() != 3) return;
    auto* inner = dynamic_cast<ParserRuleContext*>(c->children[1]);
    doc_ = b_.doc(c->START()->getSymbol());
    build(inner);
  }

 private:
  // Each method builds the statement of the rule whose context it takes.
  void build(ParserRuleContext* c) {
    using S = StatementBuilder;
    if (built(c, &S::params) || built(c, &S::lets) || built(c, &S::entity) || built(c, &S::constraint) ||
        built(c, &S::load) || built(c, &S::outputs) || built(c, &S::instance) || built(c, &S::coords) ||
        built(c, &S::placement) || built(c, &S::states) || built(c, &S::inputs) || built(c, &S::speeds) ||
        built(c, &S::def) || built(c, &S::use) || built(c, &S::component) || built(c, &S::shape) ||
        built(c, &S::visibility) || built(c, &S::for_block))
      return;
    switch (c->getRuleIndex()) {
      case P::RuleSpace:
        return put(c, ast::Space{b_.expr(static_cast<P::SpaceContext*>(c)->expression())});
      case P::RuleGravity:
        return put(c, ast::Gravity{b_.expr(static_cast<P::GravityContext*>(c)->expression())});
      case P::RuleRequirement:
        return put(c, b_.requirement(c));
      case P::RuleInit:
        return put(c, b_.init(c));
      case P::RuleSimulate:
        return put(c, b_.simulate(c));
      case P::RuleTest:
        return put(c, b_.test(c));
      case P::RuleSweep:
        return put(c, b_.sweep(c));
      case P::RuleWhen:
        return put(c, b_.when(c));
      case P::RuleIf_block:
        return put(c, if_block(static_cast<P::If_blockContext*>(c)));
      default:
        return put(c, ast::ExprStmt{b_.shown(static_cast<P::Expr_stmtContext*>(c)->shown())});
    }
  }

  template <class Context>
  bool built(ParserRuleContext* c, void (StatementBuilder::*method)(Context*)) {
    auto* own = dynamic_cast<Context*>(c);
    if (own != nullptr) (this->*method)(own);
    return own != nullptr;
  }

  template <class Node>
  void put(ParserRuleContext* c, Node node) {
    auto s = std::make_unique<ast::Stmt>();
    s->span = b_.span(c);
    s->doc = doc_;
    s->node = std::move(node);
    out_.push_back(std::move(s));
  }

  ast::ExprPtr optional(ParserRuleContext* c) { return c == nullptr ? nullptr : b_.expr(c); }
  std::string text(antlr4::tree::TerminalNode* n) { return n == nullptr ? "" : b_.text(n->getSymbol()); }
  Span span(antlr4::tree::TerminalNode* n) { return n == nullptr ? Span{} : b_.span(n->getSymbol()); }
  static antlr4::Token* first(ParserRuleContext* c) { return c->getStart(); }

  std::vector<ast::StmtPtr> body(P::BlockContext* c) {
    std::vector<ast::StmtPtr> out;
    StatementBuilder inner(b_, out);
    for (auto* s : c->statement()) inner.add(s);
    return out;
  }

  // ---- one name or several ----

  void params(P::ParamContext* c) {
    for (auto* i : c->param_item()) {
      put(i, ast::Param{b_.declared(i->declared()), text(i->NAME()), b_.expr(i->expression())});
    }
  }

  void lets(P::LetContext* c) {
    for (auto* i : c->let_item()) put(i, ast::Let{b_.declared(i->declared()), b_.expr(i->expression())});
  }

  void speeds(P::SpeedContext* c) {
    for (auto* i : c->speed_item()) put(i, ast::Speed{b_.declared(i->declared()), b_.expr(i->expression())});
  }

  void coords(P::CoordContext* c) {
    for (auto* i : c->coord_item()) {
      put(i, ast::Coord{b_.declared(i->declared()), optional(i->expression()), modifiers(i->modifier())});
    }
  }

  void states(P::State_varContext* c) {
    for (auto* i : c->state_item()) {
      ast::StateVar s{b_.declared(i->declared()), {}, b_.expr(i->expression(0)), {}, {}};
      if (i->labels() != nullptr)
        for (auto* label : i->labels()->NAME()) s.labels.push_back({text(label), span(label)});
      if (i->WHERE() != nullptr) {
        s.rate_lhs = b_.expr(i->postfix());
        s.rate_rhs = b_.expr(i->expression(1));
      }
      put(i, std::move(s));
    }
  }

  void inputs(P::InputContext* c) {
    for (auto* i : c->input_item()) {
      std::optional<ast::Unit> unit;
      if (i->unit() != nullptr) unit = b_.unit(i->unit());
      put(i, ast::Input{b_.declared(i->declared()), std::move(unit), optional(i->expression())});
    }
  }

  void outputs(P::OutputContext* c) {
    for (auto* i : c->output_item()) {
      std::optional<ast::Unit> unit;
      if (i->unit() != nullptr) unit = b_.unit(i->unit());
      put(i, ast::Output{b_.declared(i->declared()), b_.expr(i->expression()), std::move(unit)});
    }
  }

  // One output for each name with a measure, and the place.
  void placement(P::CoordinatesContext* c) {
    ast::Placement node;
    for (auto* i : c->coordinates_item()) {
      ast::Declared name;
      name.name = text(i->NAME());
      name.span = span(i->NAME());
      if (i->expression() != nullptr) put(i, ast::Output{{name.name, name.span, {}, {}}, b_.expr(i->expression()), {}});
      node.names.push_back(std::move(name));
    }
    node.frame = b_.expr(c->expression(0));
    node.place = b_.expr(c->expression(1));
    put(c, std::move(node));
  }

  // ---- mechanics ----

  static ast::ModifierKind modifier_kind(std::size_t type) {
    using Modifier = ast::ModifierKind;
    constexpr std::pair<TokenType, Modifier> kinds[] = {
        {P::MOVING, Modifier::moving},   {P::ROTATED, Modifier::rotated}, {P::SPINNING, Modifier::spinning},
        {P::FOLLOWS, Modifier::follows}, {P::ON, Modifier::on},           {P::FROM, Modifier::from},
        {P::RATE, Modifier::rate}};
    return value_of(type, kinds, Modifier::at);
  }

  std::vector<ast::Modifier> modifiers(const std::vector<P::ModifierContext*>& list) {
    std::vector<ast::Modifier> out;
    for (auto* c : list) {
      ast::Modifier m{modifier_kind(first(c)->getType()), b_.span(first(c)), b_.expr(c->expression())};
      for (const ast::Modifier& earlier : out) {
        if (earlier.kind != m.kind) continue;
        b_.report(Kind::repeated_modifier, m.span, b_.text(first(c))).label(earlier.span, "the first");
        break;
      }
      out.push_back(std::move(m));
    }
    return out;
  }

  void entity(P::EntityContext* c) {
    using EntityKind = ast::Entity::Kind;
    ast::Entity node;
    node.kind = c->PARTICLE() != nullptr ? EntityKind::particle
                : c->BODY() != nullptr   ? EntityKind::body
                : c->POINT() != nullptr  ? EntityKind::point
                                         : EntityKind::frame;
    node.name = b_.declared(c->declared());
    node.has_args = c->arguments() != nullptr;
    node.args = b_.arguments(c->arguments());
    node.modifiers = modifiers(c->modifier());
    put(c, std::move(node));
  }

  static ast::Load::Kind load_kind(std::size_t type) {
    using Load = ast::Load::Kind;
    constexpr std::pair<TokenType, Load> kinds[] = {
        {P::FORCE, Load::force},       {P::TORQUE, Load::torque},       {P::LOAD, Load::load},
        {P::FRICTION, Load::friction}, {P::POTENTIAL, Load::potential}, {P::DISSIPATION, Load::dissipation}};
    return value_of(type, kinds, Load::kinetic);
  }

  void load(P::LoadContext* c) {
    ast::Load node{load_kind(first(c)->getType()), b_.declared(c->declared()), modifiers(c->modifier()),
                   b_.expr(c->expression(0))};
    std::size_t next = 1;
    if (c->STATIC() != nullptr) node.still = b_.expr(c->expression(next++));
    if (c->RESTITUTION() != nullptr) node.restitution = b_.expr(c->expression(next));
    put(c, std::move(node));
  }

  // Returns the hint for a constraint that is no equation: equations joined by `and` become one statement each.
  std::string in_one_constraint(const ast::Constraint& c) {
    const auto* logic = std::get_if<ast::Logic>(&c.equation->node);
    bool rows = logic && logic->conjunction;
    for (std::size_t k = 0; rows && k < logic->operands.size(); ++k)
      rows = std::holds_alternative<ast::Compare>(logic->operands[k]->node);
    if (!rows) return "write `... == 0` to hold it at zero";
    std::string text = "each is a constraint of its own";
    if (!c.name.binders.empty() || !c.name.indices.empty()) return text;
    text += ": ";
    for (std::size_t k = 0; k < logic->operands.size(); ++k) {
      const std::string name = c.name.name.empty() ? "" : " " + printable(c.name.name, 30) + std::to_string(k + 1);
      text += (k ? ", `constraint" : "`constraint") + name + ": " + b_.shown(logic->operands[k]->span) + "`";
    }
    return text;
  }

  void constraint(P::ConstraintContext* c) {
    ast::Constraint node;
    node.name = b_.declared(c->declared());
    node.equation = b_.expr(c->expression(0));
    if (c->RESTITUTION() != nullptr) node.restitution = b_.expr(c->expression(1));
    if (!std::holds_alternative<ast::Compare>(node.equation->node)) {
      b_.report(Kind::constraint_without_equation, node.equation->span, b_.quoted(node.equation->span))
          .hint(in_one_constraint(node));
    }
    if (c->block() != nullptr) {
      node.has_nonideal = true;
      node.nonideal = body(c->block());
    }
    put(c, std::move(node));
  }

  // ---- functions, components, structure ----

  std::vector<ast::Parameter> parameters(P::ParametersContext* c) {
    std::vector<ast::Parameter> out;
    for (auto* p : c->parameter()) {
      out.push_back(
          {text(p->NAME(0)), span(p->NAME(0)), text(p->NAME(1)), span(p->NAME(1)), optional(p->expression())});
    }
    return out;
  }

  void def(P::DefContext* c) {
    put(c, ast::Def{b_.declared(c->declared()), parameters(c->parameters()), b_.expr(c->expression())});
  }

  void visibility(P::VisibilityContext* c) {
    for (auto* target : c->postfix()) put(target, ast::Visibility{c->SHOW() != nullptr, b_.expr(target)});
  }

  void use(P::UseContext* c) {
    ast::Use node;
    for (auto* i : c->use_item()) {
      const bool file = i->STRING() != nullptr;
      std::string name = b_.text(i->getStart());
      if (file) name = name.substr(1, name.size() - 2);
      node.items.push_back({std::move(name), file, b_.span(i)});
    }
    put(c, std::move(node));
  }

  void component(P::ComponentContext* c) {
    ast::Component node;
    node.is_joint = c->JOINT() != nullptr;
    node.name.name = text(c->NAME());
    node.name.span = span(c->NAME());
    node.parameters = parameters(c->parameters());
    node.body = body(c->block());
    put(c, std::move(node));
  }

  void instance(P::InstanceContext* c) {
    put(c, ast::Instance{text(c->TYPE_NAME()), span(c->TYPE_NAME()), b_.declared(c->declared()),
                         b_.arguments(c->arguments())});
  }

  // Builds an instance of the kind of shape; the part it is on, its place and its rotation become arguments.
  void shape(P::ShapeContext* c) {
    ast::ExprPtr written = b_.expr(c->expression());
    auto* call = std::get_if<ast::Call>(&written->node);
    const auto* kind = call == nullptr ? nullptr : std::get_if<ast::Name>(&call->callee->node);
    if (kind == nullptr)
      return void(
          b_.report(Kind::shape_form, written->span, b_.quoted(written->span))
              .hint("write `box(x, y, z)`, `sphere(radius)`, `capsule(radius, length)`, `cylinder(radius, length)` or "
                    "`plane(normal)`"));
    ast::Instance node{kind->text, call->callee->span, b_.declared(c->declared()), std::move(call->args), true};
    bool on = false;
    for (ast::Modifier& m : modifiers(c->modifier())) {
      on = on || m.kind == ast::ModifierKind::on;
      const char* name = m.kind == ast::ModifierKind::on ? "part" : m.kind == ast::ModifierKind::at ? "origin" : "turn";
      node.args.push_back({name, m.span, std::move(m.value)});
    }
    if (!on)
      b_.report(Kind::shape_without_part, node.name.span, printable(node.name.name))
          .hint("write `shape " + printable(node.name.name) + " on b: ...` with a body, or `on ground`");
    else
      put(c, std::move(node));
  }

  void for_block(P::For_blockContext* c) { put(c, ast::For{b_.binder(c->binder()), body(c->block())}); }

  ast::IfBlock if_block(P::If_blockContext* c) {
    ast::IfBlock node;
    node.condition = b_.expr(c->expression());
    node.then_body = body(c->block(0));
    if (c->block(1) != nullptr) node.else_body = body(c->block(1));
    if (c->if_block() != nullptr) {
      StatementBuilder inner(b_, node.else_body);
      inner.put(c->if_block(), inner.if_block(c->if_block()));
    }
    return node;
  }

  Builder& b_;
  std::vector<ast::StmtPtr>& out_;
  std::string doc_;
};

}  // namespace

ast::Declared Builder::declared(ParserRuleContext* tree) {
  ast::Declared out;
  if (tree == nullptr) return out;
  auto* c = static_cast<P::DeclaredContext*>(tree);
  out.name = text(c->NAME()->getSymbol());
  out.span = span(c->NAME()->getSymbol());
  for (auto* i : c->declared_index()) {
    if (i->binder() != nullptr) {
      out.binders.push_back(binder(i->binder()));
    } else {
      out.indices.push_back(expr(i->expression()));
    }
  }
  return out;
}

ast::File Builder::file(ParserRuleContext* tree) {
  ast::File out;
  auto* c = static_cast<P::FileContext*>(tree);
  if (c->header() != nullptr && c->header()->exception == nullptr) {
    out.version_span = span(c->header()->NUMBER()->getSymbol());
  }
  StatementBuilder statements(*this, out.statements);
  for (auto* s : c->statement()) statements.add(s);
  return out;
}

void Builder::statement(ParserRuleContext* tree, std::vector<ast::StmtPtr>& out) {
  StatementBuilder(*this, out).add(static_cast<P::StatementContext*>(tree));
}

Span Builder::span(const ParserRuleContext* tree) const {
  auto* c = const_cast<ParserRuleContext*>(tree);  // getStart is not const in the runtime
  return join(span(c->getStart()), span(c->getStop()));
}

std::size_t Builder::place(const antlr4::Token* token) const { return first_ + token->getTokenIndex(); }

Span Builder::span(const antlr4::Token* token) const { return list_.span(list_.tokens.at(place(token))); }

std::string Builder::text(const antlr4::Token* token) const {
  return std::string(list_.text(list_.tokens.at(place(token))));
}

std::string Builder::shown(Span where) const { return printable(list_.sources->text(where), kExcerpt); }

std::string Builder::doc(const antlr4::Token* start) const {
  const auto index = static_cast<std::uint32_t>(place(start));
  const auto less = [](const DocComment& d, std::uint32_t at) { return d.token < at; };
  const auto it = std::lower_bound(list_.docs.begin(), list_.docs.end(), index, less);
  return it != list_.docs.end() && it->token == index ? it->text : "";
}

}  // namespace mbc::syntax
