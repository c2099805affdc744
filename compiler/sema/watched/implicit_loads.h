// SPDX-License-Identifier: Apache-2.0
// Loads that hold multipliers, which depend on them: `force drag on p: -0.3*abs(wire.lambda)*ex`. Each component of
// such a load is a held value; what is written is a value behind the outputs, with its derivatives by the multipliers.
#pragma once
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class ImplicitLoads : private Statement {
 public:
  explicit ImplicitLoads(Elaboration& shared) : Statement(shared) {}
  // Components of a load that hold multipliers become held values; those of `nonideal` blocks hold none.
  void take(Value& load, const std::string& name, bool nonideal, Span span);
  // When all loads and frictions are known, as the run sees them.
  void finish();

 private:
  [[nodiscard]] std::vector<Slope> slopes(NodeId e);
};

}  // namespace mbc::sema
