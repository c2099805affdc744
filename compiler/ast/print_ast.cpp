// SPDX-License-Identifier: Apache-2.0
// Recursion here follows the nesting of the tree, which the parser has bounded (256 levels of text); a guard cuts trees
// made by other means.
#include "compiler/ast/print_ast.h"

#include <string_view>
#include <utility>

namespace mbc::ast {
namespace {

constexpr std::size_t kMaxDepth = 4000;

std::string_view text_of(UnaryOp op) { return op == UnaryOp::plus ? "+" : op == UnaryOp::minus ? "-" : "not"; }
std::string_view text_of(Term::Op op) {
  switch (op) {
    case Term::Op::add:
      return "+";
    case Term::Op::sub:
      return "-";
    case Term::Op::mul:
      return "*";
    default:
      return "/";
  }
}
std::string_view text_of(CompareOp op) {
  switch (op) {
    case CompareOp::lt:
      return "<";
    case CompareOp::le:
      return "<=";
    case CompareOp::gt:
      return ">";
    case CompareOp::ge:
      return ">=";
    case CompareOp::eq:
      return "==";
    default:
      return "!=";
  }
}
std::string_view text_of(ModifierKind kind) {
  constexpr std::string_view names[] = {"at", "moving", "rotated", "spinning", "follows",
                                        "on", "from",   "rate",    "nonideal"};
  return names[static_cast<std::size_t>(kind)];
}
std::string_view text_of(Entity::Kind kind) {
  constexpr std::string_view names[] = {"particle", "body", "point", "frame"};
  return names[static_cast<std::size_t>(kind)];
}
std::string_view text_of(Load::Kind kind) {
  constexpr std::string_view names[] = {"force", "torque", "load", "potential", "dissipation", "kinetic"};
  return names[static_cast<std::size_t>(kind)];
}

std::string text_of(const Unit& unit) {
  std::string out = "[";
  for (const UnitFactor& f : unit.factors) {
    if (out.size() > 1) out += '*';
    out += f.name;
    if (f.numerator != 1 || f.denominator != 1) out += "^" + std::to_string(f.numerator);
    if (f.denominator != 1) out += "/" + std::to_string(f.denominator);
  }
  return out + (unit.factors.empty() ? "1]" : "]");
}

class Printer {
 public:
  std::string take() { return std::move(out_); }

  void file(const File& f) {
    line("file version " + std::to_string(f.version));
    body("", f.statements);
  }

  void expr(const Expr& e, std::string_view role = "") {
    role_ = role;
    if (e.parenthesised) role_ += role.empty() ? "()" : " ()";
    std::visit([this](const auto& node) { print(node); }, e.node);
  }

 private:
  struct Indent {
    explicit Indent(Printer& p) : printer(p) { ++printer.depth_; }
    ~Indent() { --printer.depth_; }
    Indent(const Indent&) = delete;
    Indent& operator=(const Indent&) = delete;
    Printer& printer;
  };

  void line(std::string_view text) {
    out_.append(2 * depth_, ' ');
    if (!role_.empty()) out_ += std::exchange(role_, "") + " ";
    out_ += text;
    out_ += '\n';
  }

  void child(const ExprPtr& e, std::string_view role = "") {
    if (e == nullptr) return;
    const Indent in(*this);
    if (depth_ > kMaxDepth) return line("...");
    expr(*e, role);
  }

  void children(const std::vector<ExprPtr>& list, std::string_view role = "") {
    for (const ExprPtr& e : list) child(e, role);
  }

  void body(std::string_view title, const std::vector<StmtPtr>& list) {
    const Indent in(*this);
    if (!title.empty()) line(title);
    for (const StmtPtr& s : list) statement(*s);
  }

  void statement(const Stmt& s) {
    if (!s.doc.empty()) doc(s.doc);
    if (depth_ > kMaxDepth) return line("...");
    std::visit([this](const auto& node) { print(node); }, s.node);
  }

  void doc(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      line("/// " + std::string(text.substr(0, end)));
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
  }

  void head(std::string_view kind, const Declared& d, std::string_view more = "") {
    std::string text(kind);
    if (!d.name.empty()) text += " " + d.name;
    line(text + std::string(more));
    for (const Binder& b : d.binders) binder(b);
    children(d.indices, "index");
  }

  void binder(const Binder& b) { child(b.range, b.name + " in"); }

  void arguments(const std::vector<Argument>& list) {
    for (const Argument& a : list) child(a.value, a.name.empty() ? "arg" : a.name + " =");
  }

  void modifiers(const std::vector<Modifier>& list) {
    for (const Modifier& m : list) child(m.value, text_of(m.kind));
  }

  void parameters(const std::vector<Parameter>& list) {
    const Indent in(*this);
    for (const Parameter& p : list) {
      line("parameter " + p.name + (p.type.empty() ? "" : ": " + p.type));
      child(p.default_value);
    }
  }

  void settings(const std::vector<Setting>& list) {
    const Indent in(*this);
    for (const Setting& s : list) {
      line("setting " + s.key);
      child(s.value);
    }
  }

  // ---- expressions ----

  void print(const Number& n) { line("number " + n.text); }
  void print(const String& s) { line("string \"" + s.text + "\""); }
  void print(const Name& n) { line("name " + n.text); }
  void print(const Member& m) {
    line("member " + m.name);
    child(m.object);
  }
  void print(const Index& i) {
    line("index");
    child(i.object);
    children(i.indices);
  }
  void print(const Call& c) {
    line("call");
    child(c.callee);
    arguments(c.args);
  }
  void print(const Prime& p) {
    line("prime " + std::to_string(p.order));
    child(p.operand);
  }
  void print(const Range& r) {
    line("range");
    child(r.lo);
    child(r.hi);
    child(r.step, "step");
    child(r.count, "count");
  }
  void print(const Tuple& t) {
    line("tuple");
    children(t.elements);
  }
  void print(const Measured& m) {
    line("measured " + text_of(m.unit));
    child(m.value);
  }
  void print(const Unary& u) {
    line("unary " + std::string(text_of(u.op)));
    child(u.operand);
  }
  template <class Node>
  void terms(std::string_view kind, const Node& node) {
    line(kind);
    child(node.first);
    for (const Term& t : node.rest) child(t.value, text_of(t.op));
  }
  void print(const Sum& s) { terms("sum", s); }
  void print(const Product& p) { terms("product", p); }
  void print(const Power& p) {
    line("power");
    child(p.base);
    child(p.exponent);
  }
  void print(const Compare& c) {
    line("compare " + std::string(text_of(c.op)));
    child(c.lhs);
    child(c.rhs);
  }
  void print(const Logic& l) {
    line(l.conjunction ? "and" : "or");
    children(l.operands);
  }
  void print(const If& i) {
    line("if");
    child(i.condition);
    child(i.then_value, "then");
    child(i.else_value, "else");
  }
  void print(const SumOver& s) {
    line("sum over");
    child(s.body);
    binder(s.binder);
  }

  // ---- statements ----

  void print(const Param& p) {
    head("param", p.name, p.type.empty() ? "" : ": " + p.type);
    child(p.value);
  }
  void print(const Let& l) {
    head("let", l.name);
    child(l.value);
  }
  void print(const Def& d) {
    head("def", d.name);
    parameters(d.parameters);
    child(d.body);
  }
  void print(const Space& s) {
    line("space");
    child(s.dimension);
  }
  void print(const Gravity& g) {
    line("gravity");
    child(g.value);
  }
  void print(const Entity& e) {
    head(text_of(e.kind), e.name);
    arguments(e.args);
    modifiers(e.modifiers);
  }
  void print(const Coord& c) {
    head("coord", c.name);
    child(c.value);
    modifiers(c.modifiers);
  }
  void print(const Speed& s) {
    head("speed", s.name);
    child(s.value);
  }
  void print(const StateVar& s) {
    head("state", s.name);
    child(s.value);
    child(s.rate_lhs, "where");
    child(s.rate_rhs, "=");
  }
  void print(const Input& i) {
    head("input", i.name, i.unit ? " " + text_of(*i.unit) : "");
    child(i.value);
  }
  void print(const Load& l) {
    head(text_of(l.kind), l.name);
    modifiers(l.modifiers);
    child(l.value);
  }
  void print(const Constraint& c) {
    head("constraint", c.name);
    child(c.equation);
    if (c.has_nonideal) body("nonideal", c.nonideal);
  }
  void print(const Output& o) {
    head("output", o.name);
    child(o.value);
  }
  void print(const Init& i) {
    line("init");
    const Indent in(*this);
    for (const InitEntry& e : i.entries) {
      line(e.soft ? "soft" : "hard");
      child(e.target);
      child(e.value);
    }
  }
  void print(const Simulate& s) {
    head("simulate", s.name);
    settings(s.settings);
  }
  void print(const Test& t) {
    line("test \"" + t.title + "\" over " + t.over);
    const Indent in(*this);
    for (const Check& c : t.checks) {
      line(c.always ? "check always" : "check");
      child(c.condition);
      child(c.within, "within");
      child(c.at, "at");
    }
  }
  void print(const Sweep& s) {
    head("sweep", s.name, " over " + s.over);
    settings(s.settings);
    children(s.records, "record");
  }
  void print(const When& w) {
    line(w.is_time ? "at" : w.direction.empty() ? "when" : "when " + w.direction);
    child(w.condition);
    const Indent in(*this);
    for (const Assign& a : w.body) {
      line("assign");
      child(a.target);
      child(a.value);
    }
  }
  void print(const Use& u) {
    line("use");
    const Indent in(*this);
    for (const Use::Item& i : u.items) line(i.file ? "file \"" + i.name + "\"" : "library " + i.name);
  }
  void print(const Component& c) {
    head(c.is_joint ? "joint" : "model", c.name);
    parameters(c.parameters);
    body("", c.body);
  }
  void print(const Instance& i) {
    head("instance " + i.type, i.name);
    arguments(i.args);
  }
  void print(const For& f) {
    line("for");
    binder(f.binder);
    body("", f.body);
  }
  void print(const IfBlock& i) {
    line("if");
    child(i.condition);
    body("then", i.then_body);
    if (!i.else_body.empty()) body("else", i.else_body);
  }
  void print(const ExprStmt& e) {
    line("expression");
    child(e.value);
  }

  std::string out_;
  std::string role_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string print(const File& file) {
  Printer p;
  p.file(file);
  return p.take();
}

std::string print(const Expr& expr) {
  Printer p;
  p.expr(expr);
  return p.take();
}

}  // namespace mbc::ast
