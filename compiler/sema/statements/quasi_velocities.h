// SPDX-License-Identifier: Apache-2.0
// `speed u1 = phi' - x'/R`: quasi-velocities, that is names for expressions linear in the rates. The value is at hand
// as soon as it is evaluated; whether it is linear is asked when the rates of states are known.
#pragma once
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class QuasiVelocities : private Statement {
 public:
  explicit QuasiVelocities(Elaboration& shared) : Statement(shared) {}
  void quasi_velocity(const ast::Speed& s, const ast::Stmt& statement);
  // When all is declared and the rates of states stand in the values.
  void check();
};

}  // namespace mbc::sema
