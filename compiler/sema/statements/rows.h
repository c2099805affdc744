// SPDX-License-Identifier: Apache-2.0
// Constraints, as scalar rows.
#pragma once
#include <set>

#include "compiler/graph/lipschitz_bounds.h"
#include "compiler/graph/ranges.h"
#include "compiler/sema/names.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

// Why a row whose text has something that moves does not act on it, or "". Derivatives vanish identically where a
// factor 0 took the velocity out, and where only floor, sign, comparisons and their like are left of it.
std::string without_effect(const Model& model, NodeId e, Level level);

class Rows : private Statement {
 public:
  // What each inequality has: Model::events, Model::held, two of these for each event.
  static constexpr std::size_t kEventsOfInequality = 2, kHeldOfInequality = 2 + 2 * kEventsOfInequality;
  explicit Rows(Elaboration& shared) : Statement(shared), ranges_(model_.graph), lipschitz_(model_.graph) {}
  void constraint(const ast::Constraint& c, const ast::Stmt& s);
  // One row; false, and reported, where it constrains nothing.
  bool add(const Name& name, const std::string& shown, NodeId e, const Value& difference, bool trivial_fits, Span span);
  // Nothing, and reported, where it is no number from 0 to 1.
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
  std::size_t bodies_ = 0;                 // whose entries lipschitz_ knows
  std::set<const Scope::Instance*> idle_;  // with a constraint that constrains nothing
};

}  // namespace mbc::sema
