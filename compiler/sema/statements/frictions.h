// SPDX-License-Identifier: Apache-2.0
// `friction rub on p.vx: 0.3*deck.lambda`: a row that holds the slip at zero while it sticks, a force of the size of
// the limit against the slip while it slides, and the events that change between the two.
#pragma once
#include <optional>
#include <string>

#include "compiler/graph/ranges.h"
#include "compiler/sema/names.h"
#include "compiler/sema/statements/events.h"
#include "compiler/sema/statements/rows.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class Frictions : private Statement {
 public:
  Frictions(Elaboration& shared, Rows& rows) : Statement(shared), rows_(rows), ranges_(model_.graph) {}
  void friction(const ast::Load& f, const ast::Stmt& s);
  // Sets the event functions and switches the rows, when events have been read.
  void finish(const Events& events);

 private:
  bool is_slip(const Value& slip, Span span);
  [[nodiscard]] std::string negative_share(NodeId limit) const;
  std::optional<NodeId> limit(const ast::Expr& e, const Dimension& wanted, const std::string& what);
  std::optional<Constraint> rows_of(const ast::Load& f, const ast::Stmt& s, const Value& slip, const std::string& name,
                                    const std::string& shown);
  void hold(Friction& made, const Constraint& c);
  void hold_more(Friction& made, const Constraint& c);
  void slide(Friction& made, const std::string& name, Span span);
  [[nodiscard]] NodeId held(std::uint32_t k) const { return model_.discrete(k); }

  Rows& rows_;
  graph::Ranges ranges_;
};

}  // namespace mbc::sema
