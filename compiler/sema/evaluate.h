// Expressions to typed nodes of the model's graph: names, shapes, dimensions and levels are checked here, each mistake
// reported once; what is broken becomes an invalid value that everything later accepts in silence.
#pragma once
#include "compiler/ast/ast.h"
#include "compiler/diagnostics/diagnostic.h"
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
  Value unknown_name(const std::string& name, Span span, const Scope& scope);  // reports
  std::optional<Entity> first_entity(const ast::Expr& e, const Scope& scope);

 private:
  using Args = std::vector<Value>;
  Value name(const ast::Name& n, Span span, const Scope& scope);
  Value member(const ast::Member& m, Span span, const Scope& scope);
  Value matrix_product(const Value& a, const Value& b);
  Value matrix_function(const std::string& callee, const Args& args, Span span);
  Value point_member(const Value& object, const std::string& field, Span span, Span field_span);
  Value body_member(const Value& object, const std::string& field, Span span, Span field_span);
  std::optional<Value> kinematic_member(const std::vector<NodeId>& position, const std::vector<NodeId>& velocity,
                                        const std::vector<NodeId>& acceleration, const std::string& field, Span span);
  Value components(const std::vector<NodeId>& nodes, Dimension dimension, Level level, Span span) const;
  Value particle_member(const Value& object, const std::string& field, Span span, Span field_span);
  Value system_member(const Value& object, const std::string& field, Span span, Span field_span);
  // reactions of constraints (reactions.cpp); `on` may be null: the first entity the constraint names
  Value reaction(const Value& constraint, bool moment, const Value* on, Span span);
  Value reaction_on_coordinate(const Constraint& c, const Value& on, Span span);
  Value reaction_on_particle(const Constraint& c, std::uint32_t index, bool moment, Span span);
  Value reaction_on_body(const Constraint& c, std::uint32_t index, bool moment, Span span);
  Value refuse_follower(const Constraint& c, const std::string& name, const std::vector<NodeId>& place, Span span);
  Value call_member(const ast::Call& c, Span span, const Scope& scope);
  std::vector<NodeId> constraint_force(const Constraint& c, const std::vector<std::uint32_t>& speeds);
  std::vector<NodeId> constraint_moment(const Constraint& c, const Body& b);
  std::string coordinate_forms(const Constraint& c, const std::vector<NodeId>& nodes) const;
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
  Value unknown_field(const std::string& object, const std::string& field, Span where, std::vector<std::string> known);
  bool same_dimension(const Value& a, const Value& b, Span op, const char* verb);
  Diagnostic& mismatch(const char* verb, const Value& a, const Value& b, Span op);
  bool too_large(const std::string& what, Span span, std::size_t more, std::size_t differentiated = 0);
  Value elementwise(graph::Op op, const Value& v, Span span);

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
  std::vector<const ast::Def*> calls_;  // those being evaluated, outermost first
  std::size_t expanded_ = 0;            // terms of sums and calls of functions so far
  std::size_t differentiated_ = 0;      // operations that primes were taken of so far
};

const std::vector<std::string>& builtin_functions();

}  // namespace mbc::sema
