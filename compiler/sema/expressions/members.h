// SPDX-License-Identifier: Apache-2.0
// Members: parts of entities (p.vel), of the system (energy.total), of constraints (rod.lambda), of vectors and of
// instances of components.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/value_checks.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

class Members : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  Value member(const ast::Member& m, Span span, const Scope& scope);
  // Returns the position of anything with a place; nothing for other values.
  std::optional<Value> position(const Value& v);

 private:
  // The member that is asked for, and its place in the text.
  struct Field {
    const std::string& name;
    Span span, name_span;
  };
  Value of_particle(const Value& object, const Field& field);
  Value of_body(const Value& object, const Field& field);
  Value of_point(const Value& object, const Field& field);
  Value of_frame(const Value& object, const Field& field);
  Value of_event(const Value& object, const Field& field);
  Value label_of(const Value& object, const Field& field);
  Value of_vector(const Value& object, const Field& field);
  Value of_constraint(const Value& object, const Field& field);
  Value of_friction(const Friction& f, const Field& field);
  Value of_unilateral(const Unilateral& u, const Field& field, std::vector<std::string> known);
  Value of_instance(const Value& object, const Field& field);
  // Returns the fields `.mass`, `.energy` and `.momentum`; `velocity` is that of the mass centre.
  template <class Inertial>
  std::optional<Value> inertial(const Inertial& of, const std::vector<NodeId>& velocity, const Field& field);
  // Returns the fields `.count` and `.time`.
  std::optional<Value> happened(const Event& e, const Field& field);
  // Returns the truth of a discrete variable not being 0.
  Value is_set(std::uint32_t discrete, const Field& field);
  // Reports an unknown member; `known` are the existing ones.
  Value unknown(const std::string& object, const Field& field, const std::vector<std::string>& known,
                const std::string& hint = "");
  Value of_momentum(const Field& field);
  Value of_energy(const Field& field);
  std::vector<NodeId> linear_momentum();
  std::vector<NodeId> angular_momentum();
  std::optional<Value> kinematic(std::span<const NodeId> position, std::span<const NodeId> velocity,
                                 std::span<const NodeId> acceleration, const Field& field);
  // Returns `.rot`, `.omega`, `.omega_space` and `.alpha` of axes; `fixed`: those of the ground, which do not move.
  std::optional<Value> turning(const std::vector<NodeId>& rotation, const std::vector<NodeId>& omega,
                               const std::vector<NodeId>& alpha, bool fixed, const Field& field);
  // Returns `first` and the components of position, velocity and acceleration, for suggestions.
  [[nodiscard]] std::vector<std::string> with_components(std::vector<std::string> first) const;
};

}  // namespace mbc::sema
