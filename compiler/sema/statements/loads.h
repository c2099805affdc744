// SPDX-License-Identifier: Apache-2.0
// Gravity, forces, torques, generalised loads and energies.
#pragma once
#include <deque>
#include <span>
#include <string>

#include "compiler/sema/names.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

// The target of a force: a particle, the mass centre of a body, a point.
struct Carrier {
  std::string name;
  std::vector<NodeId> position, velocity;
};
[[nodiscard]] std::optional<Carrier> carrier_of(const Model& model, const Value& v);
// Returns the rate of a coordinate, of the model or of a joint: what a generalised force on it is paired with.
[[nodiscard]] std::optional<NodeId> rate_of_coordinate(Model& model, const Value& v);

class Loads : private Statement {
 public:
  explicit Loads(Elaboration& shared) : Statement(shared) {}
  void gravity(const ast::Gravity& g, const ast::Stmt& s);
  void load(const ast::Load& f, const ast::Stmt& s);
  // Replaces the ideal multipliers by the multipliers, if no load is in a `nonideal` block.
  void ideal_without_loads(std::vector<Query>* queries);
  void ideal_without_loads(std::span<NodeId> nodes);

 private:
  void force(const ast::Load& f, const ast::Stmt& s);
  void torque(const ast::Load& f, const ast::Stmt& s);
  void generalised_load(const ast::Load& f, const ast::Stmt& s);
  void energy_term(const ast::Load& f, const ast::Stmt& s);
  void without_ideal(std::span<NodeId> nodes);

  // Registers the name of a load, if it has one; `shown` in messages, `name` in results.
  struct LoadName {
    std::string shown, name;
  };
  // The part that the statements have in common. A missing target is reported.
  struct Head {
    std::string name, what;  // "the force `pull`"
    const ast::Expr *on, *from;
    bool nonideal;
  };
  std::optional<Head> head(const ast::Load& f, const ast::Stmt& s, const std::string& word,
                           const std::string& help = "");
  // Checks that the value does not depend on results, and reports it if it does. The part that depends on multipliers
  // becomes a discrete variable.
  bool may_act(Value& v, const Head& head, Span span);
  LoadName name_load(const ast::Load& f, const ast::Stmt& s, const char* word);
  [[nodiscard]] bool stands_still(const Value& v) const;
  bool takes_torque(const Value& v, const ast::Expr& e, bool reaction);
  void add_torque(const std::string& name, const Value& on, std::vector<NodeId> moment, Span span, bool nonideal);

  Span gravity_span_;
  std::deque<std::string> names_;  // of loads, which values point at
};

}  // namespace mbc::sema
