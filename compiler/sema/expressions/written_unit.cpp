// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/written_unit.h"

#include <algorithm>

namespace mbc::sema {

namespace {

// Returns whether a unit measures angles: it is a pure number in SI, or revolutions in a time.
bool of_angle(const ast::UnitFactor& f) {
  const std::optional<UnitValue> unit = find_unit(f.name);
  return unit && (unit->dimension.dimensionless() || f.name == "rpm");
}

}  // namespace

const ast::Unit* written_unit(const ast::Expr& e) {
  if (const auto* u = std::get_if<ast::Unary>(&e.node)) return written_unit(*u->operand);
  const auto* m = std::get_if<ast::Measured>(&e.node);
  return m ? &m->unit : nullptr;
}

std::string si_text(const ast::Unit& written, const Dimension& dimension) {
  const bool angle = std::ranges::any_of(written.factors, of_angle);
  if (angle && dimension.dimensionless()) return "rad";
  if (angle && dimension == Dimension{} / time_dimension()) return "rad/s";
  return to_text(dimension);
}

}  // namespace mbc::sema
