// SPDX-License-Identifier: Apache-2.0
// `state` and `input`: first-order states with their rates, values set from outside.
//
// Rates may hold other states and be written before or after them, so they are evaluated when all declarations are
// known. Until then a prime of a state is a leaf (LeafKind::state_rate). At the end the rates replace the leaves in
// everything the equations of motion are made from. Outputs keep the leaf, because there it is a result of the kernel.
#pragma once
#include "compiler/sema/names.h"
#include "compiler/sema/statements/input_signals.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class States : private Statement {
 public:
  explicit States(Elaboration& shared) : Statement(shared) {}
  void state(const ast::StateVar& s, const ast::Stmt& statement);
  void input(const ast::Input& i, const ast::Stmt& s);
  // Runs when everything is declared: reads rates, and checks the rows and energies that hold states or inputs.
  void finish();

 private:
  [[nodiscard]] bool names_own_rate(const ast::StateVar& s) const;
  Value beginning(const ast::Expr& e);
  void held_state(const ast::StateVar& s, const ast::Stmt& statement);
  bool machine(const ast::StateVar& s, Held& made);
  void follow_signal(const ast::Input& i, const Input& made, const SignalTexts::Text& text);
  NodeId held_samples(const Input& made, const InputSignal& signal, Span span);
  Event event_at(const Input& made, const std::shared_ptr<const kernel::DataTable>& times, Span span);
  bool in_unit(const ast::Unit& unit, const std::string& what, Value& v);
  bool order_rates();
  bool order_from(std::uint32_t root, std::vector<std::uint8_t>& seen);
  void replace_rates();
  void replace_watched_rates();
  void check_inputs();
  void check_row(const Equation& e);
  [[nodiscard]] std::optional<std::uint32_t> input_in(NodeId e) const;
  void refuse_input(const std::string& what, std::uint32_t input, const std::string& why, Span span,
                    const char* hint = nullptr);
  NodeId with_rates(NodeId e);

  struct PendingRate {
    const ast::Expr* rate;
    const Scope* scope;
    std::uint32_t state;
  };
  std::vector<PendingRate> pending_;
};

}  // namespace mbc::sema
