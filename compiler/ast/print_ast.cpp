// SPDX-License-Identifier: Apache-2.0
// Recursion here follows the nesting of the tree, which the parser has bounded (256 levels of text). A guard cuts trees
// that were made in other ways.
#include "compiler/ast/print_ast.h"

#include <string_view>
#include <utility>

namespace mbc::ast {
namespace {

constexpr std::size_t kMaxDepth = 4000;

std::string_view text_of(UnaryOp op) { return op == UnaryOp::plus ? "+" : op == UnaryOp::minus ? "-" : "not"; }
std::string_view text_of(Term::Op op) {
  constexpr std::string_view signs[] = {"+", "-", "*", "/"};
  return signs[static_cast<std::size_t>(op)];
}
std::string_view text_of(CompareOp op) {
  constexpr std::string_view signs[] = {"<", "<=", ">", ">=", "==", "!="};
  return signs[static_cast<std::size_t>(op)];
}
std::string_view text_of(Entity::Kind kind) {
  constexpr std::string_view names[] = {"particle", "body", "point", "frame"};
  return names[static_cast<std::size_t>(kind)];
}
std::string_view text_of(Load::Kind kind) {
  constexpr std::string_view names[] = {"force", "torque", "load", "friction", "potential", "dissipation", "kinetic"};
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

// Writes lines with their indent, and the parts that many nodes have in common. Each kind of node has a function of its
// own below.
class Writer {
 public:
  std::string take() { return std::move(out_); }

  void file(const File& f) {
    if (!f.description.empty()) doc(f.description);
    line("file version " + std::to_string(f.version));
    body("", f.statements);
  }

  void expr(const Expr& e, std::string_view role = "");

  struct Indent {
    explicit Indent(Writer& p) : printer(p) { ++printer.depth_; }
    ~Indent() { --printer.depth_; }
    Indent(const Indent&) = delete;
    Indent& operator=(const Indent&) = delete;
    Writer& printer;
  };

  Writer& line(std::string_view text) {
    out_.append(2 * depth_, ' ');
    if (!role_.empty()) out_ += std::exchange(role_, "") + " ";
    out_ += text;
    out_ += '\n';
    return *this;
  }

  Writer& child(const ExprPtr& e, std::string_view role = "") {
    if (e == nullptr) return *this;
    const Indent in(*this);
    if (depth_ > kMaxDepth) return line("...");
    expr(*e, role);
    return *this;
  }

  Writer& shown(const Shown& s, const std::string& role = "") {
    if (!s.unit) return child(s.value, role);
    return child(s.value, role + (role.empty() ? "in " : " in ") + text_of(*s.unit));
  }

  Writer& children(const std::vector<ExprPtr>& list, std::string_view role = "") {
    for (const ExprPtr& e : list) child(e, role);
    return *this;
  }

  Writer& body(std::string_view title, const std::vector<StmtPtr>& list) {
    const Indent in(*this);
    if (!title.empty()) line(title);
    for (const StmtPtr& s : list) statement(*s);
    return *this;
  }

  void statement(const Stmt& s);

  void doc(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      line("/// " + std::string(text.substr(0, end)));
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
  }

  Writer& head(std::string_view kind, const Declared& d, std::string_view more = "") {
    std::string text(kind);
    if (!d.name.empty()) text += " " + d.name;
    line(text + std::string(more));
    for (const Binder& b : d.binders) binder(b);
    children(d.indices, "index");
    return *this;
  }

  Writer& binder(const Binder& b) { return child(b.range, b.name + " in"); }

  Writer& arguments(const std::vector<Argument>& list) {
    for (const Argument& a : list) child(a.value, a.name.empty() ? "arg" : a.name + " =");
    return *this;
  }

  Writer& modifiers(const std::vector<Modifier>& list) {
    for (const Modifier& m : list) child(m.value, text_of(m.kind));
    return *this;
  }

  Writer& parameters(const std::vector<Parameter>& list) {
    const Indent in(*this);
    for (const Parameter& p : list) {
      line("parameter " + p.name + (p.type.empty() ? "" : ": " + p.type));
      child(p.default_value);
    }
    return *this;
  }

  Writer& settings(const std::vector<Setting>& list) {
    const Indent in(*this);
    for (const Setting& s : list) {
      line("setting " + s.key + (s.drawn ? " ~" : "") + (s.unit ? " in " + text_of(*s.unit) : ""));
      child(s.value);
    }
    return *this;
  }

 private:
  std::string out_;
  std::string role_;
  std::size_t depth_ = 0;
};

// Expressions

void print(Writer& w, const Number& n) { w.line("number " + n.text); }
void print(Writer& w, const String& s) { w.line("string \"" + s.text + "\""); }
void print(Writer& w, const Name& n) { w.line("name " + n.text); }
void print(Writer& w, const Member& m) { w.line("member " + m.name).child(m.object); }
void print(Writer& w, const Index& i) { w.line("index").child(i.object).children(i.indices); }
void print(Writer& w, const Call& c) { w.line("call").child(c.callee).arguments(c.args); }
void print(Writer& w, const Prime& p) { w.line("prime " + std::to_string(p.order)).child(p.operand); }
void print(Writer& w, const Range& r) {
  w.line("range").child(r.lo).child(r.hi).child(r.step, "step").child(r.count, "count");
}
void print(Writer& w, const Tuple& t) { w.line("tuple").children(t.elements); }
void print(Writer& w, const Measured& m) { w.line("measured " + text_of(m.unit)).child(m.value); }
void print(Writer& w, const Unary& u) { w.line("unary " + std::string(text_of(u.op))).child(u.operand); }
template <class Node>
void terms(Writer& w, std::string_view kind, const Node& node) {
  w.line(kind);
  w.child(node.first);
  for (const Term& t : node.rest) w.child(t.value, text_of(t.op));
}
void print(Writer& w, const Sum& s) { terms(w, "sum", s); }
void print(Writer& w, const Product& p) { terms(w, "product", p); }
void print(Writer& w, const Power& p) { w.line("power").child(p.base).child(p.exponent); }
void print(Writer& w, const Compare& c) { w.line("compare " + std::string(text_of(c.op))).child(c.lhs).child(c.rhs); }
void print(Writer& w, const Logic& l) { w.line(l.conjunction ? "and" : "or").children(l.operands); }
void print(Writer& w, const If& i) {
  w.line("if").child(i.condition).child(i.then_value, "then").child(i.else_value, "else");
}
void print(Writer& w, const SumOver& s) { w.line("sum over").child(s.body).binder(s.binder); }

// Statements

void print(Writer& w, const Param& p) { w.head("param", p.name, p.type.empty() ? "" : ": " + p.type).child(p.value); }
void print(Writer& w, const Let& l) { w.head("let", l.name).child(l.value); }
void print(Writer& w, const Def& d) { w.head("def", d.name).parameters(d.parameters).child(d.body); }
void print(Writer& w, const Space& s) { w.line("space").child(s.dimension); }
void print(Writer& w, const Gravity& g) { w.line("gravity").child(g.value); }
void print(Writer& w, const Requirement& r) { w.line("require \"" + r.text + "\"").child(r.condition); }
void print(Writer& w, const Visibility& v) { w.line(v.shown ? "show" : "hide").child(v.target); }
void print(Writer& w, const Entity& e) { w.head(text_of(e.kind), e.name).arguments(e.args).modifiers(e.modifiers); }
void print(Writer& w, const Coord& c) { w.head("coord", c.name).child(c.value).modifiers(c.modifiers); }
void print(Writer& w, const Placement& p) {
  std::string names;
  for (const Declared& d : p.names) names += " " + d.name;
  w.line("coordinates" + names).child(p.frame).child(p.place, "=");
}
void print(Writer& w, const Speed& s) { w.head("speed", s.name).child(s.value); }
void print(Writer& w, const StateVar& s) {
  std::string labels;
  for (const Label& l : s.labels) labels += (labels.empty() ? " in (" : ", ") + l.name;
  w.head("state", s.name, labels.empty() ? "" : labels + ")");
  w.child(s.value);
  if (!s.rate_lhs) return;
  w.child(s.rate_lhs, "where");
  w.child(s.rate_rhs, "=");
}
void print(Writer& w, const Input& i) { w.head("input", i.name, i.unit ? " " + text_of(*i.unit) : "").child(i.value); }
void print(Writer& w, const Load& l) {
  w.head(text_of(l.kind), l.name)
      .modifiers(l.modifiers)
      .child(l.value)
      .child(l.still, "static")
      .child(l.restitution, "restitution");
}
void print(Writer& w, const Constraint& c) {
  w.head("constraint", c.name);
  w.child(c.equation);
  w.child(c.restitution, "restitution");
  if (c.has_nonideal) w.body("nonideal", c.nonideal);
}
void print(Writer& w, const Output& o) {
  w.head("output", o.name, o.unit ? " in " + text_of(*o.unit) : "").child(o.value);
}
void print(Writer& w, const Init& i) {
  w.line("init");
  const Writer::Indent in(w);
  for (const InitEntry& e : i.entries) {
    w.line(e.soft ? "soft" : "hard");
    w.child(e.target);
    w.child(e.value);
  }
  w.children(i.disabled, "disable");
}
void print(Writer& w, const Simulate& s) {
  w.head("simulate", s.name);
  w.settings(s.settings);
  const Writer::Indent in(w);
  for (const Plot& p : s.plots) {
    w.line("plot");
    for (const Shown& i : p.items) w.shown(i);
    if (p.over) w.shown(*p.over, "over");
  }
}
void print(Writer& w, const Test& t) {
  w.line("test \"" + t.title + "\" over " + t.over);
  const Writer::Indent in(w);
  for (const Check& c : t.checks) {
    w.line(c.always ? "check always" : "check");
    w.child(c.condition);
    w.child(c.within, "within");
    w.child(c.at, "at");
  }
}
void print(Writer& w, const Sweep& s) {
  w.head("sweep", s.name, " over " + s.over).settings(s.settings);
  for (const Shown& record : s.records) w.shown(record, "record");
}
void print(Writer& w, const When& event) {
  constexpr const char* kWords[] = {"when", "at", "every"};
  constexpr const char* kDirections[] = {"", " rising", " falling", " crossing"};
  constexpr const char* kActions[] = {"assign", "enable", "disable", "impulse", "stop"};
  w.head(std::string(kWords[static_cast<std::size_t>(event.kind)]) +
             kDirections[static_cast<std::size_t>(event.direction)],
         event.name);
  w.child(event.condition);
  if (event.from) w.child(event.from, "from");
  const Writer::Indent in(w);
  for (const Action& a : event.body) {
    const std::string word = kActions[static_cast<std::size_t>(a.kind)];
    w.line(a.kind == Action::Kind::stop ? word + " \"" + a.text + "\"" : word);
    if (a.target) w.child(a.target);
    if (a.value) w.child(a.value);
  }
}
void print(Writer& w, const Use& u) {
  w.line("use");
  const Writer::Indent in(w);
  for (const Use::Item& i : u.items) w.line(i.file ? "file \"" + i.name + "\"" : "library " + i.name);
}
void print(Writer& w, const Component& c) {
  w.head(c.is_joint ? "joint" : "model", c.name).parameters(c.parameters).body("", c.body);
}
void print(Writer& w, const Instance& i) {
  w.head((i.shape ? "shape " : "instance ") + i.type, i.name).arguments(i.args);
}
void print(Writer& w, const For& f) { w.line("for").binder(f.binder).body("", f.body); }
void print(Writer& w, const IfBlock& i) {
  w.line("if");
  w.child(i.condition);
  w.body("then", i.then_body);
  if (!i.else_body.empty()) w.body("else", i.else_body);
}
void print(Writer& w, const ExprStmt& e) { w.line("expression").shown(e.shown); }

// The nodes have their functions above.
void Writer::expr(const Expr& e, std::string_view role) {
  role_ = role;
  if (e.parenthesised) role_ += role.empty() ? "()" : " ()";
  std::visit([this](const auto& node) { print(*this, node); }, e.node);
}

void Writer::statement(const Stmt& s) {
  if (!s.doc.empty()) doc(s.doc);
  if (depth_ > kMaxDepth) return void(line("..."));
  std::visit([this](const auto& node) { print(*this, node); }, s.node);
}

}  // namespace

std::string print(const File& file) {
  Writer p;
  p.file(file);
  return p.take();
}

std::string print(const Expr& expr) {
  Writer p;
  p.expr(expr);
  return p.take();
}

}  // namespace mbc::ast
