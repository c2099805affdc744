// SPDX-License-Identifier: Apache-2.0
// Joins speeds by the rows that are switched on, and looks at the rank of each set.
#include "runtime/constraints/determined_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/disjoint_sets.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

std::vector<char> rows_that_move(Equations& equations, double t, const double* y) {
  constexpr std::array<double, 3> kTimes{0, 0.618, 61.8};
  const kernel::SystemLayout& l = equations.layout();
  std::vector<double> at_rest(y, y + l.n_y());
  std::fill(at_rest.begin() + l.speeds_at(), at_rest.begin() + l.states_at(), 0.0);
  std::vector<char> moves(l.n_rows);
  for (const double later : kTimes) {
    equations.assemble(t + later, at_rest.data());
    const double* b = equations.work().data() + l.b;
    for (std::uint32_t k = 0; k < l.n_rows; ++k) moves[k] |= static_cast<char>(b[k] != 0);
    equations.residuals(t + later, at_rest.data());
    for (std::uint32_t k = 0; k < l.n_rows; ++k) moves[k] |= static_cast<char>(equations.velocity_residual()[k] != 0);
  }
  return moves;
}

DeterminedRows determined_rows(Equations& equations, const problem::Problem& info, double t, const double* y) {
  const kernel::SystemLayout& l = equations.layout();
  const std::vector<char> moves = rows_that_move(equations, t, y), of_contact = info.events.rows_of_contact(l.n_rows);
  Assembled here;
  if (equations.assemble(t, y, here, false) != 0) return {};
  // An entry of a row that is zero at this state alone joins its speed all the same. Rows of contacts have such entries
  // along the plane in which they lie.
  const auto is_in = [&](std::uint32_t row, std::uint32_t k) {
    return of_contact[row] != 0 ? here.A(row, l.column[k]) != 0 : here.filled[row] != 0;
  };
  DisjointSets sets(l.n_speeds);
  std::vector<std::uint32_t> first(l.n_rows, l.n_speeds);  // by row: one of its speeds
  for (std::uint32_t row = 0; row < l.n_rows; ++row)
    for (std::uint32_t k = l.row_ptr[row]; k < l.row_ptr[row + 1]; ++k) {
      if (!is_in(row, k)) continue;
      if (first[row] < l.n_speeds) sets.join(first[row], l.column[k]);
      first[row] = l.column[k];
    }
  struct Part {
    std::vector<std::uint32_t> rows, independent, speeds;
    bool moves = false, touches = false, of_positions = true;
  };
  std::map<std::uint32_t, Part> parts;
  for (std::uint32_t row = 0; row < l.n_rows; ++row) {
    if (first[row] == l.n_speeds) continue;
    Part& part = parts[sets.root(first[row])];
    part.rows.push_back(row);
    if (equations.mask[row] != 0) part.independent.push_back(row);
    part.moves = part.moves || moves[row] != 0;
    part.touches = part.touches || of_contact[row] != 0;
    part.of_positions = part.of_positions && info.rows[row].level == problem::Level::position;
  }
  for (std::uint32_t j = 0; j < l.n_speeds; ++j)
    if (const auto part = parts.find(sets.root(j)); part != parts.end()) part->second.speeds.push_back(j);
  DeterminedRows out;
  const Eigen::VectorXd inertia = here.M.diagonal(), scale = (inertia.array() > 0).select(inertia, 1).cwiseSqrt();
  for (auto& [root, part] : parts) {
    if (!(part.touches || part.of_positions)) continue;
    if (part.moves || part.independent.size() != part.speeds.size()) continue;
    Eigen::MatrixXd scaled = here.A(part.independent, part.speeds) * scale(part.speeds).cwiseInverse().asDiagonal();
    scaled.rowwise().normalize();
    const Eigen::VectorXd values = singular_values(scaled);
    if (!(values[values.size() - 1] > kRankTolerance * values[0])) continue;  // a row is zero here
    out.rows.insert(out.rows.end(), part.rows.begin(), part.rows.end());
    out.speeds.insert(out.speeds.end(), part.speeds.begin(), part.speeds.end());
  }
  return out;
}

void hold_determined(Equations& equations, const problem::Problem& info, double t, const double* y) {
  if (equations.beyond_dense() || equations.layout().n_rows == 0) return;
  DeterminedRows found = determined_rows(equations, info, t, y);
  equations.set_determined(std::move(found.rows), std::move(found.speeds));
}

}  // namespace mbc::runtime
