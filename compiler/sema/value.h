// SPDX-License-Identifier: Apache-2.0
// The value of an expression during elaboration: nodes of the model's graph with a type.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics/refusal.h"
#include "base/text.h"
#include "compiler/ad/motion.h"
#include "compiler/ast/ast.h"
#include "compiler/sema/event.h"
#include "compiler/sema/names.h"
#include "compiler/sema/nodes.h"
#include "compiler/sema/units.h"

namespace mbc::sema {

using ad::Level;

enum class Shape : std::uint8_t {
#define MBC_SHAPE(name, ...) name,
#include "compiler/sema/shapes.def"
};

struct Type {
  Shape shape = Shape::invalid;
  Dimension dimension;
  bool any_dimension = false;  // a literal 0: fits every dimension
};

class Scope;
struct Elements;

// The part of a value that does not depend on the place in the text. Names keep this part; a model has as many names as
// its text has when written out.
struct Meaning {
  Type type;
  Level level = Level::constant;     // as written, before simplification
  bool angle = false;                // it or its operands have a unit of angle: a pure number in SI
  std::uint32_t index = 0;           // entities
  Nodes nodes;                       // 1 for a scalar, the components of a vector
  union {                            // by its shape
    const Scope* members = nullptr;  // instance
    const Elements* elements;        // array
    const std::string* text;         // text; load: its name
  };
  const std::vector<std::string>* labels = nullptr;  // of a machine or one of its labels

  [[nodiscard]] bool invalid() const { return type.shape == Shape::invalid; }
  [[nodiscard]] bool scalar() const { return type.shape == Shape::scalar; }
  [[nodiscard]] bool vector() const { return type.shape == Shape::vector; }
  [[nodiscard]] bool numeric() const { return scalar() || vector(); }
  [[nodiscard]] NodeId node() const { return nodes.at(0); }
};

struct Value : Meaning {
  Value() = default;
  explicit Value(Meaning meaning) : Meaning(std::move(meaning)) {}
  Value(const Refusal& refusal) : span(refusal.span()) {}  // NOLINT(google-explicit-constructor): an invalid one
  Span span;                                               // of the expression
  Span declared;                                           // of the name it came from, if it was a name
};

// Returns "a scalar", "a vector", "a particle", ...
std::string describe_shape(Shape shape);
// Adds the names of instances and arrays: "an instance of `Chain`".
std::string describe_shape(const Value& v);

}  // namespace mbc::sema
