// SPDX-License-Identifier: Apache-2.0
// The order in which items are evaluated. The names that an item mentions come first; they are found without
// evaluation, and chains of any length are followed with an explicit stack. Names do not tell everything (which element
// of an array, the contents of a parameter that is an instance), so an item may also be requested while another one is
// evaluated. That recursion is deep only if definitions go in circles.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/sema/dependencies.h"
#include "compiler/sema/expansion/items.h"
#include "compiler/sema/expressions/elaboration.h"

namespace mbc::sema {

class Order {
 public:
  // `evaluate` elaborates an item, as the current one.
  Order(Elaboration& shared, Items& items, std::function<void(const Item&)> evaluate);

  // Evaluates the item, or what the expression mentions, after everything needed for it.
  void ensure(ItemId root);
  void ensure_mentioned(const ast::Expr& e, const Scope& here);
  // Tells that everything is declared; from then on `energy` and `momentum` have a meaning.
  void all_declared() { all_declared_ = true; }

 private:
  struct Visit {
    ItemId item;
    std::vector<ItemId> needs;
    std::size_t next = 0;
  };
  void enter(ItemId id, std::vector<Visit>& stack);
  void close_circle(ItemId waiting, const std::vector<Visit>& stack);
  void demand(const Symbol& symbol);
  void execute(ItemId id);
  std::vector<ItemId> needs(const Item& item);
  void needs_of(const std::vector<Mention>& mentions, const Scope& scope, const Elements* own,
                std::vector<ItemId>& list);
  void needs_along(const Symbol& symbol, const Mention& m, std::size_t at, const Scope& scope, const Elements* own,
                   std::vector<ItemId>& list);
  [[nodiscard]] std::optional<double> plain_number(const ast::Expr& e, const Scope& scope) const;
  [[nodiscard]] std::optional<double> plain_terms(const ast::ExprPtr& first, const std::vector<ast::Term>& rest,
                                                  const Scope& scope) const;
  template <class Text>  // a statement or an expression
  const std::vector<Mention>& mentions(const Text& text);
  bool report_cycle(std::vector<ItemId> chain);
  void name_signal(Diagnostic& report, const std::string& name) const;
  void report_demanded_cycle(const Symbol& symbol);
  void begin_with_argument(std::vector<ItemId>& chain) const;

  Elaboration& shared_;
  Items& items_;
  Sink& sink_;
  Evaluator& evaluator_;
  std::function<void(const Item&)> evaluate_;
  std::unordered_map<const void*, std::vector<Mention>> mentions_;
  std::vector<ItemId> evaluating_;  // innermost last
  bool all_declared_ = false;
};

}  // namespace mbc::sema
