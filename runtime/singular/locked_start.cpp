// SPDX-License-Identifier: Apache-2.0
// With w^T A = 0 rows of positions c(q) ask for w^T (d^2c/dq^2)(u, u) = 0, b being quadratic in the speeds. At rest
// that says nothing; with the speeds u = tau u' that the loads give after a short time it does, and as b and its terms
// grow with tau^2 alike, one tau tells.
#include "runtime/singular/locked_start.h"

#include <cmath>

#include "runtime/constraints/initial_state.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {

constexpr double kLockedStill = 1e-8;  // of the free acceleration: nothing moves

}  // namespace

std::optional<Diagnostic> locked_start(Equations& equations, const problem::Problem& info, Certification& certification,
                                       const ModelSize& size, double t, const std::vector<double>& y) {
  std::size_t dependent = 0;
  while (dependent < info.rows.size() &&
         (equations.mask[dependent] != 0 || info.rows[dependent].level != problem::Level::position))
    ++dependent;
  // a row that only pushes gives way instead
  if (equations.beyond_dense() || !info.events.unilaterals.empty() || dependent == info.rows.size()) return {};
  const kernel::SystemLayout& l = equations.layout();
  Assembled here;
  if (equations.assemble(t, y.data(), here, false) != 0 || !here.scaling.valid()) return {};
  if (here.b.size() == 0 || here.b.cwiseAbs().maxCoeff() != 0) return {};  // rows that move by themselves
  std::vector<double> rate(y.size());
  if (equations.rhs(t, y.data(), rate.data()) != 0) return {};
  const Eigen::Map<const Eigen::VectorXd> u(y.data() + l.speeds_at(), l.n_speeds),
      du(rate.data() + l.speeds_at(), l.n_speeds);
  const double free = here.scaling.norm(here.free_acceleration()), gained = here.scaling.norm(du);
  if (!(gained > kLockedStill * free)) return {};
  const double speed = std::sqrt(gained * size.position);
  if (here.scaling.norm(u) > kAtRest * speed) return {};
  std::vector<double> moving = y;
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) moving[l.speeds_at() + j] = speed / gained * du[j];
  const std::vector<int> rows = certification.conflict_at(t, moving.data());
  if (rows.empty()) return {};
  Diagnostic d = diagnostic_of(Kind::locked_start, t, {},
                               "change a length a little, so that the parts hang or lean, or let one of the rows go");
  std::vector<std::string> names;
  for (const int k : rows) {
    names.push_back(quoted_name(info.rows[static_cast<std::size_t>(k)].name));
    point_at_row(d, info, static_cast<std::size_t>(k), "holds it as well");
  }
  d.args = {some_of(names, names.size())};
  return d;
}

}  // namespace mbc::runtime
