// SPDX-License-Identifier: Apache-2.0
// Expressions to typed nodes of the model's graph: names, shapes, dimensions and levels are checked here, each mistake
// reported once; what is broken becomes an invalid value that everything later accepts in silence.
#pragma once
#include <functional>
#include <utility>

#include "base/diagnostics/diagnostic.h"
#include "compiler/ast/ast.h"
#include "compiler/sema/model.h"
#include "compiler/sema/scope.h"

namespace mbc::sema {

class Evaluator {
 public:
  Evaluator(Model& model, Sink& sink) : model_(model), sink_(sink) {}

  Value evaluate(const ast::Expr& e, const Scope& scope);

  // Checks a value against what a place needs; reports and returns false otherwise. `what` names the place:
  // "the mass of `p`". A model without units has no dimensions to check.
  bool expect_scalar(const Value& v, const std::string& what);
  bool expect_vector(const Value& v, const std::string& what);
  bool expect_dimension(const Value& v, const Dimension& wanted, const std::string& what);
  bool expect_constant(const Value& v, const std::string& what);  // does not depend on the motion
  // `space` is not known because its statement is wrong: vectors of any length are then accepted in silence.
  void accept_any_length() { any_length_ = true; }
  // Inside `test` blocks, where initial(e), final(e), min_over(e), max_over(e) and `residuals` have a meaning.
  void inside_test(bool inside) { in_test_ = inside; }
  // A run value in these nodes: any, or one that is known only at the end of the run.
  [[nodiscard]] bool holds_run_value(const std::vector<NodeId>& nodes, bool known_late) const;
  // A number known while elaborating (no parameter in it).
  std::optional<double> number(const Value& v) const;
  Value scalar(NodeId node, Dimension dimension, Level level, Span span) const;

  // lhs - rhs of an equation, with its checks; used by constraints.
  Value difference(const ast::Compare& equation, Span span, const Scope& scope);
  Value subtract_values(const Value& a, const Value& b, Span op, bool adding);
  // SI factor and dimension of a unit; reports.
  std::optional<std::pair<double, Dimension>> unit_value(const ast::Unit& written);
  Value time_derivative(const Value& v, std::uint32_t order, Span span);
  static bool builtin_name(const std::string& name);
  // Called for every name that is met, before its value is used.
  void on_demand(std::function<void(const Symbol&)> demand) { demand_ = std::move(demand); }
  // Around the evaluation of one item inside that of another.
  std::vector<const ast::Def*> begin_item() { return std::exchange(calls_, {}); }
  void end_item(std::vector<const ast::Def*> calls) { calls_ = std::move(calls); }
  // Declared parameters of functions and components: types that exist, each name once.
  void check_parameters(const std::vector<ast::Parameter>& parameters);
  // Which argument is given for each parameter (null: its default); reports and returns nothing when they do not fit.
  std::optional<std::vector<const ast::Expr*>> match_arguments(const std::vector<ast::Parameter>& parameters,
                                                               const std::string& callee,
                                                               const std::vector<ast::Argument>& args, Span span,
                                                               Span declared);
  // A value as a parameter's type wants it ("" any): a body is a frame and a point where those are wanted. Reports.
  Value converted(const Value& v, const std::string& type, const std::string& what, Span declared);
  // The axes of a body, frame or the ground, moved by a constant vector and turned by a constant rotation (in its
  // axes).
  Value frame_on(const Value& carrier, const std::vector<NodeId>& offset, const std::vector<NodeId>& turn,
                 const std::string& name, Span span);
  bool expect_direction(const Value& v, const std::string& what);
  bool expect_rotation(const Value& v, const std::string& what);
  Value unknown_name(const std::string& name, Span span, const Scope& scope);  // reports
  static Diagnostic& hint_parts(Diagnostic& d, const Value& v);
  Diagnostic& not_known(const Value& v, const std::string& what);  // reports
  std::optional<Entity> first_entity(const ast::Expr& e, const Scope& scope);

 private:
  using Args = std::vector<Value>;
  Value name(const ast::Name& n, Span span, const Scope& scope);
  Value member(const ast::Member& m, Span span, const Scope& scope);
  Value matrix_product(const Value& a, const Value& b);
  Value matrix_function(const std::string& callee, const Args& args, Span span);
  const Value& value_of(const Symbol& symbol);
  Value member_call(const ast::Member& callee, const ast::Call& c, Span span, const Scope& scope);
  Value instance_member(const Value& object, const std::string& field, Span span, Span field_span);
  Value element(const Value& array, const std::vector<Value>& at, Span span);
  std::optional<std::int32_t> whole_index(const Value& at);
  Value frame_member(const Value& object, const std::string& field, Span span, Span field_span);
  Value point_member(const Value& object, const std::string& field, Span span, Span field_span);
  Value body_member(const Value& object, const std::string& field, Span span, Span field_span);
  std::optional<Value> kinematic_member(const std::vector<NodeId>& position, const std::vector<NodeId>& velocity,
                                        const std::vector<NodeId>& acceleration, const std::string& field, Span span);
  Value components(const std::vector<NodeId>& nodes, Dimension dimension, Level level, Span span) const;
  Value particle_member(const Value& object, const std::string& field, Span span, Span field_span);
  Value system_member(const Value& object, const std::string& field, Span span, Span field_span);
  // reactions of constraints (reactions.cpp); `on` may be null: the first entity the constraint names
  enum class Reaction : std::uint8_t { force, moment, ideal };  // ideal: the force without `nonideal` loads
  static std::optional<Reaction> reaction_named(const std::string& field);
  Value reaction(const Value& constraint, Reaction what, const Value* on, Span span);
  Value reaction_on_coordinate(const Constraint& c, Reaction what, const Value& on, Span span);
  Value reaction_on_particle(const Constraint& c, std::uint32_t index, Reaction what, Span span);
  Value reaction_on_body(const Constraint& c, std::uint32_t index, Reaction what, Span span);
  Value refuse_follower(const Constraint& c, Reaction what, const std::string& name, const std::vector<NodeId>& place,
                        Span span);
  Value call_constraint(const Value& object, const ast::Member& m, const ast::Call& c, Span span, const Scope& scope);
  std::vector<NodeId> constraint_force(const Constraint& c, const std::vector<std::uint32_t>& speeds, Reaction what);
  std::vector<NodeId> constraint_moment(const Constraint& c, const Body& b);
  std::string coordinate_forms(const Constraint& c, Reaction what, const std::vector<NodeId>& nodes) const;
  std::optional<Entity> entity_of(const Value& v) const;
  Value constraint_member(const Value& object, const std::string& field, Span span, Span field_span);
  Value vector_member(const Value& object, const std::string& field, Span span, Span field_span);
  Value index(const ast::Index& i, Span span, const Scope& scope);
  Value call(const ast::Call& c, Span span, const Scope& scope);
  Value call_user(const Symbol& symbol, const std::string& callee, const ast::Call& c, Span span, const Scope& scope);
  Value call_builtin(const std::string& callee, const Args& args, Span span);
  Value tuple(const ast::Tuple& t, Span span, const Scope& scope);
  Value measured(const ast::Measured& m, Span span, const Scope& scope);
  Value unary(const ast::Unary& u, Span span, const Scope& scope);
  Value sum(const ast::Sum& s, Span span, const Scope& scope);
  Value product(const ast::Product& p, Span span, const Scope& scope);
  Value multiply(const Value& a, const Value& b, bool dividing, Span op);
  Value power(const ast::Power& p, Span span, const Scope& scope);
  Value compare(const ast::Compare& c, Span span, const Scope& scope);
  Value logic(const ast::Logic& l, Span span, const Scope& scope);
  Value conditional(const ast::If& i, Span span, const Scope& scope);
  Value sum_over(const ast::SumOver& s, Span span, const Scope& scope);
  Value invalid(Span span) const;
  Value refuse_not_built(const std::string& what, Span span);
  Value unknown_field(const std::string& object, const std::string& field, Span where, std::vector<std::string> known,
                      const std::string& hint = "");
  bool same_dimension(const Value& a, const Value& b, Span op, const char* verb);
  Diagnostic& mismatch(const char* verb, const Value& a, const Value& b, Span op);
  bool too_large(const std::string& what, Span span, std::size_t more, std::size_t differentiated = 0);
  Value elementwise(graph::Op op, const Value& v, Span span);

  // run values (evaluate_run_values.cpp)
  Value run_value(const std::string& callee, const Args& args, Span span);
  Value residuals(Span span);

  // builtin functions by group (functions.cpp)
  Value dimensionless_function(graph::Op op, const std::string& callee, const Args& args, Span span);
  Value vector_function(const std::string& callee, const Args& args, Span span);
  Value position_of(const Value& v, const std::string& callee);
  bool arity_is(const std::string& callee, const Args& args, std::size_t low, std::size_t high, Span span);
  bool bind_arguments(const Symbol& symbol, const std::string& callee, const ast::Call& c, Span span,
                      const Scope& scope, Scope& inner);

  Model& model_;
  Sink& sink_;
  bool any_length_ = false;
  std::function<void(const Symbol&)> demand_;
  bool in_test_ = false;
  std::vector<NodeId> residuals_;       // of all rows, once asked for
  std::vector<const ast::Def*> calls_;  // those being evaluated, outermost first
  std::size_t expanded_ = 0;            // terms of sums and calls of functions so far
  std::size_t differentiated_ = 0;      // operations that primes were taken of so far
};

const std::vector<std::string>& builtin_functions();

}  // namespace mbc::sema
