// SPDX-License-Identifier: Apache-2.0
// Particles, free or following an expression, and generalised coordinates.
#pragma once
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class Particles : private Statement {
 public:
  explicit Particles(Elaboration& shared) : Statement(shared) {}
  void particle(const ast::Entity& e, const ast::Stmt& s);
  void coord(const ast::Coord& c);

 private:
  const ast::Expr* mass_argument(const ast::Entity& e);
  bool mass(const ast::Entity& e, const ast::Expr* given, Particle& p);
  bool free(const ast::Entity& e, Particle& p, bool good);
  bool follow(const ast::Expr& place, Particle& p);
};

}  // namespace mbc::sema
