// SPDX-License-Identifier: Apache-2.0
// The syntax tree of one file: plain structs, one per grammar rule, each with a span. It holds the text as written and
// infers nothing. Sums, products and chains of `and`/`or` are flat, so that depth follows nesting and not length.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/span.h"

namespace mbc::ast {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

// ---- expressions -------------------------------------------------------------------------------------------------

struct UnitFactor {  // one `kg` or `s^-2` of a unit; exponent = numerator / denominator, sign included
  std::string name;
  std::int32_t numerator = 1;
  std::int32_t denominator = 1;
  Span span;
};
struct Unit {  // [kg*m^2/s] ; an empty list is the dimensionless [1]
  std::vector<UnitFactor> factors;
  Span span;
};

struct Number {
  double value = 0;
  std::string text;  // as written
  bool integer = false;
};
struct String {
  std::string text;
};
struct Name {
  std::string text;
};
struct Member {  // object.name
  ExprPtr object;
  std::string name;
  Span name_span;
};
struct Index {  // object[i, j]
  ExprPtr object;
  std::vector<ExprPtr> indices;
};
struct Argument {
  std::string name;  // "" for a positional argument
  Span name_span;
  ExprPtr value;
};
struct Call {  // callee(args); the callee is a Name or a Member
  ExprPtr callee;
  std::vector<Argument> args;
};
struct Prime {  // operand', operand'' : `order` derivatives with respect to time
  ExprPtr operand;
  std::uint32_t order = 1;
};
struct Binder {  // i in 1..n
  std::string name;
  Span span;
  ExprPtr range;
};
struct Range {  // lo..hi | lo .. hi step s | lo .. hi count n
  ExprPtr lo, hi, step, count;
};
struct Tuple {  // (a, b, c): a vector
  std::vector<ExprPtr> elements;
};
struct Measured {  // a number, a parenthesised expression, a tuple or diag(..) with a unit: 9.81 [m/s^2]
  ExprPtr value;
  Unit unit;
};
enum class UnaryOp : std::uint8_t { plus, minus, logical_not };
struct Unary {
  UnaryOp op{};
  ExprPtr operand;
};
struct Term {  // a summand or factor with the operator before it
  enum class Op : std::uint8_t { add, sub, mul, div } op{};
  Span op_span;
  ExprPtr value;
};
struct Sum {  // first + t1 - t2 ...
  ExprPtr first;
  std::vector<Term> rest;
};
struct Product {  // first * t1 / t2 ...
  ExprPtr first;
  std::vector<Term> rest;
};
struct Power {
  ExprPtr base, exponent;
  Span op_span;
};
enum class CompareOp : std::uint8_t { lt, le, gt, ge, eq, ne };
struct Compare {
  CompareOp op{};
  Span op_span;
  ExprPtr lhs, rhs;
};
struct Logic {  // a and b and c | a or b or c
  bool conjunction = true;
  std::vector<ExprPtr> operands;
};
struct If {
  ExprPtr condition, then_value, else_value;
};
struct SumOver {  // sum(e for i in 1..n)
  ExprPtr body;
  Binder binder;
};

struct Expr {
  Span span;
  bool parenthesised = false;
  std::variant<Number, String, Name, Member, Index, Call, Prime, Range, Tuple, Measured, Unary, Sum, Product, Power,
               Compare, Logic, If, SumOver>
      node;
};

// ---- statements --------------------------------------------------------------------------------------------------

struct Stmt;
using StmtPtr = std::unique_ptr<Stmt>;

struct Declared {  // a declared name: p, p[i in 1..n], link[i], or the dotted b.x of an `init` entry
  std::string name;
  Span span;
  std::vector<Binder> binders;   // of p[i in 1..n]
  std::vector<ExprPtr> indices;  // of link[i]
};
enum class ModifierKind : std::uint8_t { at, moving, rotated, spinning, follows, on, from, rate, nonideal };
constexpr std::string_view text_of(ModifierKind kind) {
  constexpr std::string_view names[] = {"at", "moving", "rotated", "spinning", "follows",
                                        "on", "from",   "rate",    "nonideal"};
  return names[static_cast<std::size_t>(kind)];
}
struct Modifier {  // `at (..)`, `moving (..)`, `follows (..)`, `on bead`, `from ground`, ...
  ModifierKind kind{};
  Span span;  // of the keyword
  ExprPtr value;
};
struct Parameter {  // of def, joint, model: name[: type][= default]
  std::string name;
  Span span;
  std::string type;  // "" when not written
  Span type_span;
  ExprPtr default_value;
};

struct Param {  // param m = 1 [kg], R = 0.3 [m]   (one Stmt each name); `int` when `param n: int = 3`
  Declared name;
  std::string type;
  ExprPtr value;
};
struct Let {
  Declared name;
  ExprPtr value;
};
struct Def {  // def f(x, k) = k*x^3
  Declared name;
  std::vector<Parameter> parameters;
  ExprPtr body;
};
struct Space {
  ExprPtr dimension;
};
struct Gravity {
  ExprPtr value;
};
struct Entity {  // particle p(m) at .. moving ..; body b(mass = ..) ..; point tip on link at ..; frame f on link at ..
  enum class Kind : std::uint8_t { particle, body, point, frame } kind{};
  Declared name;
  std::vector<Argument> args;
  bool has_args = false;
  std::vector<Modifier> modifiers;
};
struct Coord {  // coord x = 0 [m] rate 2 [m/s]
  Declared name;
  ExprPtr value;  // may be null
  std::vector<Modifier> modifiers;
};
// coordinates angle = angle_about(axis, a, b): b = a.at((0, 0, 0), rot(axis, angle)). What measures a name is an
// `output` of that name, or a value that has it already; this is where the frame is by the names.
struct Placement {
  std::vector<Declared> names;
  ExprPtr frame, place;
};
struct Speed {  // speed u1 = phi' - x'/R
  Declared name;
  ExprPtr value;
};
struct Label {  // of a state that is one of a few: flight
  std::string name;
  Span span;
};
struct StateVar {  // state i = 0 where i' = ref - phi | state u = 0 [N] | state phase in (flight, stance) = flight
  Declared name;
  std::vector<Label> labels;
  ExprPtr value;
  ExprPtr rate_lhs, rate_rhs;  // null: held, changed by events only
};
struct Input {  // input u [N*m] = 0
  Declared name;
  std::optional<Unit> unit;
  ExprPtr value;
};
// force f on p: e | torque m on b from g: e | load f on q: e | potential/.. n: e
// friction f on v: e [static e] [restitution e]
struct Load {
  enum class Kind : std::uint8_t { force, torque, load, friction, potential, dissipation, kinetic } kind{};
  Declared name;  // may be anonymous: name.name empty
  std::vector<Modifier> modifiers;
  ExprPtr value;
  ExprPtr still = {}, restitution = {};  // of a friction: its limit at rest; of its slip in an impact; or null
};
struct Constraint {  // constraint rod: lhs == rhs [nonideal { force .. }] | constraint deck: lhs >= rhs [restitution e]
  Declared name;     // may be anonymous
  ExprPtr equation;
  ExprPtr restitution;  // or null
  std::vector<StmtPtr> nonideal;
  bool has_nonideal = false;
};
struct Output {   // output E = energy.total | output tip.pos | output swing = hinge.angle in [deg]
  Declared name;  // empty when only an expression is given
  ExprPtr value;
  std::optional<Unit> unit;  // of the column
};
struct InitEntry {  // phi' = 2 [rad/s] (hard) | psi ~ 80 [deg] (soft)
  ExprPtr target;
  bool soft = false;
  ExprPtr value;
  Span span;
};
struct Init {
  std::vector<InitEntry> entries;
  std::vector<ExprPtr> disabled;  // disable foot
};
struct Setting {  // key = value of simulate, sweep; `assemble` alone has no value
  std::string key;
  Span key_span;
  ExprPtr value;       // may be null; `time = a .. b step h` is a Range, `project(tol = 1e-12)` a Call, `rk4` a Name
  bool drawn = false;  // key ~ value, of a sweep: from a distribution
  std::optional<Unit> unit = {};  // of a sweep: a = 0 .. 90 step 10 in [deg]
};
struct Shown {  // hinge.angle in [deg]
  ExprPtr value;
  std::optional<Unit> unit;
};
struct Plot {  // plot p.z, q.z over p.x in [cm]
  std::vector<Shown> items;
  std::optional<Shown> over;
  Span span;
};
struct Simulate {
  Declared name;  // may be anonymous
  std::vector<Setting> settings;
  std::vector<Plot> plots;
};
struct Check {  // check e [== v] [within tol] [always | at t | finally]
  ExprPtr condition, within, at;
  bool always = false;
  Span span;
};
struct Test {  // test "closed" over demo { check .. }
  std::string title;
  std::string over;
  Span over_span;
  std::vector<Check> checks;
};
struct Sweep {  // sweep tune over demo { k = 1 .. 2 count 50; record e, f }
  Declared name;
  std::string over;
  Span over_span;
  std::vector<Setting> settings;
  std::vector<Shown> records;
};
struct Action {  // of an event: u = -k*x | enable foot | disable foot | impulse on p: J | stop "fell"
  enum class Kind : std::uint8_t { assign, enable, disable, impulse, stop } kind{};
  ExprPtr target, value;  // of `stop` neither, of `enable` and `disable` no value
  std::string text;       // of `stop`
  Span span;
};
struct When {  // when n: e rising { .. } | at n: 1 [s] { .. } | every n: 10 [ms] from 2 [ms] { .. }
  enum class Kind : std::uint8_t { when, at, every } kind{};
  enum class Direction : std::uint8_t { none, rising, falling, crossing } direction{};
  Declared name;  // may be anonymous
  ExprPtr condition, from;
  std::vector<Action> body;
};
struct Use {  // use joints, "parts.mbd"
  struct Item {
    std::string name;
    bool file = false;
    Span span;
  };
  std::vector<Item> items;
};
struct Component {  // joint J(..) { .. } | model M(..) { .. }
  bool is_joint = false;
  Declared name;
  std::vector<Parameter> parameters;
  std::vector<StmtPtr> body;
};
struct Instance {  // Chain c(n = 50) | shape hull on b at (..) rotated R: box(..), whose last arguments are b, (..), R
  std::string type;
  Span type_span;
  Declared name;
  std::vector<Argument> args;
  bool shape = false;
};
struct Requirement {  // require length > 0: "`length` is positive"
  ExprPtr condition;
  std::string text;
};
struct Visibility {  // hide rod | show rod: `hide a, b` is two of them
  bool shown = false;
  ExprPtr target;
};
struct For {  // for i in 2..n { .. }
  Binder binder;
  std::vector<StmtPtr> body;
};
struct IfBlock {  // if n > 1 { .. } else { .. }
  ExprPtr condition;
  std::vector<StmtPtr> then_body, else_body;
};
struct ExprStmt {  // REPL only
  Shown shown;
};

struct Stmt {
  Span span;
  std::string doc;  // text of the /// lines before it
  std::variant<Param, Let, Def, Space, Gravity, Entity, Coord, Placement, Speed, StateVar, Input, Load, Constraint,
               Output, Init, Simulate, Test, Sweep, When, Use, Component, Instance, Requirement, Visibility, For,
               IfBlock, ExprStmt>
      node;
};

struct File {
  std::string description;  // text of the /// lines at its head
  std::uint32_t version = 1;
  Span version_span;
  std::vector<StmtPtr> statements;
};

}  // namespace mbc::ast
