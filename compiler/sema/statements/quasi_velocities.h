// SPDX-License-Identifier: Apache-2.0
// `speed u1 = phi' - x'/R`: quasi-velocities, which are names for expressions linear in the rates. The value can be
// used as soon as it is evaluated; it is tested for linearity when the rates of states are known.
#pragma once
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class QuasiVelocities : private Statement {
 public:
  explicit QuasiVelocities(Elaboration& shared) : Statement(shared) {}
  void quasi_velocity(const ast::Speed& s, const ast::Stmt& statement);
  // Runs when all is declared and the values hold the rates of states.
  void check();
};

}  // namespace mbc::sema
