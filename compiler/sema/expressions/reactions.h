// SPDX-License-Identifier: Apache-2.0
// `rod.reaction`, `rod.reaction(bead)`, `hinge.moment(door)`, `rod.reaction(phi)`: the effect of the multipliers of a
// constraint on one part of the model. The generalised force is Q = A^T lambda; its components along the speeds of a
// free particle or body are the force on it and, in body axes, the moment about its mass centre. `.ideal` is the force
// of the multipliers without the loads of `nonideal` blocks.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/value_checks.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

class Reactions : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  enum class Part : std::uint8_t { force, moment, ideal };  // ideal: the force without `nonideal` loads
  static std::optional<Part> named(const std::string& field);
  // `on` may be null for the first entity that the constraint names.
  Value reaction(const Value& constraint, Part what, const Value* on, Span span);
  // rod.reaction(bead), hinge.moment(door), wire.ideal(bead)
  Value call(const Value& constraint, const ast::Member& m, const ast::Call& c, Span span, const Scope& scope);
  // Returns the first particle or body (or point of one) in a text, from left to right.
  std::optional<Entity> first_entity(const ast::Expr& e, const Scope& scope);

 private:
  [[nodiscard]] std::optional<Entity> entity_of(const Meaning& v) const;
  Value on_coordinate(const Value& constraint, Part what, const Value& on, Span span);
  Value along(const Constraint& c, const std::vector<NodeId>& velocity, Part what, Span span);
  Value on_particle(const Constraint& c, std::uint32_t index, Part what, Span span);
  Value on_body(const Constraint& c, std::uint32_t index, Part what, Span span);
  Value refuse_follower(const Constraint& c, Part what, const std::string& name, const std::vector<NodeId>& place,
                        Span span);
  std::vector<NodeId> force(const Constraint& c, const std::vector<std::uint32_t>& speeds, Part what);
  std::vector<NodeId> moment(const Constraint& c, const Body& b);
  [[nodiscard]] std::string coordinate_forms(const Constraint& c, Part what, const std::vector<NodeId>& nodes) const;
};

}  // namespace mbc::sema
