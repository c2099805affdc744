// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/light_spins.h"

#include <algorithm>

#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

// Returns the largest inertia that a row sees in the mass of the body, m r^2, where r is the distance of the row's line
// of action from the centre.
double levered(const Assembled& s, const std::vector<char>& of_contact, Eigen::Index rotation, bool& touched) {
  double most = 0;
  for (Eigen::Index row = 0; row < s.A.rows(); ++row) {
    if (of_contact[static_cast<std::size_t>(row)] != 0) continue;
    const double turns = s.A.row(row).segment(rotation, 3).norm();
    const double moves = s.A.row(row).segment(rotation - 3, 3).norm();
    touched = touched || turns > 0;
    if (moves > 0) most = std::max(most, turns * turns / (moves * moves));
  }
  return most * s.M(rotation - 3, rotation - 3);
}

}  // namespace

bool has_light_spins(Equations& equations, const problem::Problem& info, double t, const double* y) {
  const bool any = std::any_of(info.bodies.begin(), info.bodies.end(), [](const problem::Body& b) {
    return b.representation == settings::Representation::quaternion;
  });
  if (!any || equations.large()) return false;
  Assembled s;
  if (equations.assemble(t, y, s, false) != 0) return false;
  const std::vector<char> of_contact = info.events.rows_of_contact(static_cast<std::size_t>(s.A.rows()));
  for (const problem::Body& body : info.bodies) {
    if (body.representation != settings::Representation::quaternion) continue;
    bool touched = false;
    const auto at = static_cast<Eigen::Index>(body.first_speed);
    const double by_lever = levered(s, of_contact, at, touched);
    if (!touched) continue;
    const Eigen::VectorXd I = symmetric_eigensystem(s.M.block(at, at, 3, 3)).values;
    if (I[0] < kLightSpin * std::max(I[2], by_lever)) return true;
  }
  return false;
}

}  // namespace mbc::runtime
