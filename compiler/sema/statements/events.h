// SPDX-License-Identifier: Apache-2.0
// `when`, `at`, `every`, and `disable` of an `init` block.
//
// The name of an event, with its `.count` and `.time`, is there when its statement is met. Its body speaks of
// everything that is declared, so it is read at the end. What is watched and what is assigned become values behind the
// outputs.
//
// A row that is switched is multiplied by a held value, 1 or 0: a row of zeros has no multiplier, counts in no rank and
// in no residual, whatever the formulation. A load that is switched off is the branch of a choice that is not taken.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/sema/names.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

// e where the held value `flag` is 1, and 0 where it is 0: as a product, or, where e or its derivatives may be
// undefined (a distance of zero has no direction), as a choice, so that nothing of e is looked at while it is off.
NodeId switched_by(graph::Graph& g, NodeId flag, NodeId e);

class Events : private Statement {
 public:
  explicit Events(Elaboration& shared) : Statement(shared) {}
  void declare(const ast::When& event, const ast::Stmt& s);
  // When everything else is declared.
  void read_bodies();
  void disabled_at_start(const ast::Init& init);
  // When all that is switched is known.
  void finish();
  // The held value by which events switch a constraint, if any does.
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
  bool fits(const Value& target, const Value& v, const std::string& what);
  std::optional<EventAction> target_of(NodeId node, Span span);
  bool impulse(const ast::Action& a, Event& made);
  bool impulse_on_coordinate(const ast::Action& a, const Value& target, const Value& v, Event& made);
  NodeId impulse_leaf(Event& made, NodeId value, const std::string& name, Span span);
  bool change(const ast::Action& a, EventAction::Kind kind, std::uint32_t index, NodeId value, Event& made);
  bool switched(const ast::Action& a, Event& made);
  // The held values that switch what an expression names; nothing, and reported, where it is nothing of that kind.
  std::vector<std::uint32_t> switches_of(const ast::Expr& e);
  std::uint32_t switch_of_constraint(std::uint32_t constraint);
  std::uint32_t switch_of_load(const std::string& name);
  void finish_unilaterals();
  void switch_rows();
  void switch_loads();

  std::vector<Pending> pending_;
  std::map<std::uint32_t, std::uint32_t> constraints_;  // to the held value that switches it
  std::map<std::string, std::uint32_t> loads_;
  std::set<std::pair<EventAction::Kind, std::uint32_t>> given_;  // by the body that is read
};

}  // namespace mbc::sema
