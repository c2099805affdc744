// SPDX-License-Identifier: Apache-2.0
// `when`, `at`, `every`, and `disable` of an `init` block.
//
// The name of an event, with its `.count` and `.time`, is known when its statement is met. Its body may use everything
// that is declared, so it is read at the end. The event functions and the assigned values are computed behind the
// outputs.
//
// The residual of a switched row is multiplied by a discrete variable, 1 or 0. A row of zeros has no multiplier and
// counts in no rank and in no residual, whatever the formulation. The switch of a load is a choice between the load and
// zero.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/sema/names.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

// Returns e if the discrete variable `flag` is 1, and 0 if it is 0. The result is a product. If e or its derivatives
// may be undefined (a distance of zero has no direction), it is a choice, so that e is not evaluated while it is off.
NodeId switched_by(graph::Graph& g, NodeId flag, NodeId e);

class Events : private Statement {
 public:
  explicit Events(Elaboration& shared) : Statement(shared) {}
  void declare(const ast::When& event, const ast::Stmt& s);
  // Runs when everything else is declared.
  void read_bodies();
  void disabled_at_start(const ast::Init& init);
  // Runs when all switches are known.
  void finish();
  // Returns the discrete variable by which events switch a constraint, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> switch_if_any(std::uint32_t constraint) const;

 private:
  struct Pending {
    const ast::When* event;
    const Scope* scope;
    std::uint32_t index;
  };
  void read(const Pending& p);
  bool watched(const ast::When& event, Event& made);
  bool times(const ast::When& event, Event& made);
  bool body(const ast::When& event, Event& made);
  bool assign(const ast::Action& a, Event& made);
  std::optional<EventAction> target_of(NodeId node, Span span);
  bool impulse(const ast::Action& a, Event& made);
  bool impulse_on_coordinate(const ast::Action& a, const Value& target, const Value& v, Event& made);
  NodeId impulse_leaf(Event& made, NodeId value, const std::string& name, Span span);
  bool change(const ast::Action& a, EventAction::Kind kind, std::uint32_t index, NodeId value, Event& made);
  bool switched(const ast::Action& a, Event& made);
  // Returns the discrete variables that switch the thing an expression names. Reports an expression that names none,
  // and returns nothing.
  std::vector<std::uint32_t> switches_of(const ast::Expr& e);
  std::uint32_t switch_of_constraint(std::uint32_t constraint);
  std::uint32_t switch_of_load(const std::string& name);
  void finish_unilaterals();
  void switch_rows();
  void switch_loads();

  std::vector<Pending> pending_;
  std::map<std::uint32_t, std::uint32_t> constraints_;  // by constraint: the discrete variable that switches it
  std::map<std::string, std::uint32_t> loads_;
  std::set<std::pair<EventAction::Kind, std::uint32_t>> given_;  // of the body that is being read
};

}  // namespace mbc::sema
