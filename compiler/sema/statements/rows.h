// SPDX-License-Identifier: Apache-2.0
// Constraints, as scalar rows.
#pragma once
#include <set>

#include "compiler/graph/lipschitz_bounds.h"
#include "compiler/graph/ranges.h"
#include "compiler/sema/names.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

// Returns why a row with something that moves in its text does not act on it, or "". Derivatives vanish identically if
// a factor 0 has removed the velocity, or if only floor, sign, comparisons and their like are left of it.
std::string without_effect(const Model& model, NodeId e, Level level);

class Rows : private Statement {
 public:
  // The numbers of events and of discrete variables of each inequality; each event has two of the latter.
  static constexpr std::size_t kEventsOfInequality = 2, kHeldOfInequality = 2 + 2 * kEventsOfInequality;
  explicit Rows(Elaboration& shared) : Statement(shared), ranges_(model_.graph), lipschitz_(model_.graph) {}
  void constraint(const ast::Constraint& c, const ast::Stmt& s);
  // Adds one row. Reports a row that constrains nothing, and returns false.
  bool add(const Name& name, const std::string& shown, NodeId e, const Value& difference, bool trivial_fits, Span span);
  // Reports a number that is not from 0 to 1, and returns nothing.
  std::optional<NodeId> restitution(const ast::Expr& e);

 private:
  void not_an_equation(const ast::Constraint& c);
  bool pushes(const ast::Constraint& c, const ast::Compare& relation, const std::string& shown, Value& difference);
  std::optional<NodeId> restitution(const ast::Constraint& c);
  double lipschitz(NodeId residual);
  void add_unilateral(const Constraint& row, NodeId restitution);
  bool constrains(const std::string& shown, NodeId e, bool trivial_fits, Span span, bool& moves);
  bool never_moves(const std::string& shown, NodeId e, bool trivial_fits, Span span);
  bool linear_in_accelerations(const std::string& shown, NodeId e, Span span);

  bool is_idle(const std::string& shown, NodeId gap, Span span);

  graph::Ranges ranges_;
  graph::LipschitzBounds lipschitz_;
  std::size_t bodies_ = 0;                 // bodies whose entries lipschitz_ knows
  std::set<const Scope::Instance*> idle_;  // instances with a constraint that constrains nothing
};

}  // namespace mbc::sema
