// SPDX-License-Identifier: Apache-2.0
// Newton's steps towards a singular value of 0.
#include "runtime/singular/singular_search.h"

#include <algorithm>
#include <cmath>

#include "runtime/constraints/row_components.h"

namespace mbc::runtime {

namespace {

constexpr std::size_t kSingularSearchMostRows = 200;  // a decomposition for each state
constexpr double kCounts = 1e-6;                  // of the largest singular value: those at the first state that count
constexpr double kSingularSearchSingular = 1e-6;  // a singular value that is none
constexpr double kDifference = 1e-6;              // of the size of the model: displacement for derivatives
constexpr double kSingularSearchLongest = 0.2;    // of it: of a step
constexpr double kFalls = 0.99;                   // what a step has to leave at most
constexpr double kAssembly = 0.1;                 // of the work of a decomposition: rows at another state, scaled
constexpr int kMostSteps = 40, kMostHalvings = 8;

}  // namespace

SingularSearch::SingularSearch(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
                               double t, const std::vector<double>& y)
    : equations_(equations), info_(info), projector_(projector), t_(t), first_(y) {
  if (equations.beyond_dense() || info.rows.empty() || info.rows.size() > kSingularSearchMostRows) return;
  rows_.parts = row_components(equations.layout(), info);
  std::erase_if(rows_.parts, [](const RowComponent& part) { return !part.by_position; });
  if (rows_.parts.empty() || equations.assemble(t, y.data(), here_, false) != 0) return;
  const Eigen::VectorXd norms = here_.scaling.scale_rows(here_.A).rowwise().norm();
  const std::vector<double> of = rows_of_level(info, true);
  rows_.weight = (norms.array() > 0 && Eigen::Map<const Eigen::ArrayXd>(of.data(), norms.size()) != 0)
                     .select(norms.cwiseInverse(), 0);
  if (!decompose(y)) return;
  for (RowComponent& part : rows_.parts)
    part.rank = static_cast<int>((part.values.array() > kCounts * part.values.maxCoeff()).count());
  possible_ = true;
}

bool SingularSearch::decompose(const std::vector<double>& y) {
  if (equations_.assemble(t_, y.data(), here_, false) != 0) return false;
  G_ = here_.scaling.scale_rows(here_.A);
  const auto m = static_cast<double>(G_.rows()), n = static_cast<double>(G_.cols());
  work_ += m * n * std::min(m, n);
  return rows_.decompose(G_);
}

// Along the free directions of the part, at the decomposed state.
std::optional<Eigen::VectorXd> SingularSearch::gradient(std::size_t k, const std::vector<double>& y) {
  const RowComponent& part = rows_.parts[k];
  const Eigen::MatrixXd free = part.free_directions();
  const Eigen::VectorXd u = part.U.col(part.rank - 1), v = part.V.col(part.rank - 1);
  const double d = kDifference * projector_.size().position;
  const Eigen::MatrixXd before = rows_.scaled_rows(k, G_);
  Eigen::VectorXd slope(free.cols());
  for (Eigen::Index i = 0; i < free.cols(); ++i) {
    Eigen::VectorXd w = Eigen::VectorXd::Zero(equations_.layout().n_speeds);
    w(part.columns) = d * free.col(i);
    std::vector<double> aside = y;
    const Eigen::VectorXd displacement = here_.scaling.from_scaled(w);
    projector_.displace(true, t_, aside.data(), displacement.data());
    if (equations_.assemble(t_, aside.data(), there_, false) != 0) return {};
    work_ += kAssembly * static_cast<double>(G_.size()) * static_cast<double>(G_.cols());
    const Eigen::MatrixXd after = rows_.scaled_rows(k, there_.scaling.scale_rows(there_.A));
    slope[i] = u.dot((after - before) * v) / d;
  }
  return slope;
}

// y moved by w and back onto the constraints, where its singular value has fallen.
bool SingularSearch::step(std::size_t k, const Eigen::VectorXd& w, std::vector<double>& y) {
  const double before = rows_.parts[k].smallest();
  std::vector<double> moved = y;
  const Eigen::VectorXd displacement = here_.scaling.from_scaled(w);
  projector_.displace(true, t_, moved.data(), displacement.data());
  const bool good = projector_.project(t_, moved.data(), 1e-12, true).converged && decompose(moved) &&
                    rows_.parts[k].smallest() <= kFalls * before;
  if (good)
    y = std::move(moved);
  else
    decompose(y);
  return good;
}

SingularSearch::Found SingularSearch::at(std::size_t k, const std::vector<double>& y) const {
  const RowComponent& part = rows_.parts[k];
  Found found;
  found.smallest = part.smallest();
  found.y = y;
  for (std::uint32_t j = 0; j < equations_.layout().n_speeds; ++j)
    if (const std::uint32_t i = info_.coordinate_of_speed[j]; i != problem::Problem::kNoCoordinate)
      found.distance = std::hypot(found.distance, projector_.size().root_inertia[j] * (y[i] - first_[i]));
  Eigen::Index most = 0;
  part.U.col(part.rank - 1).cwiseAbs().maxCoeff(&most);
  found.row = static_cast<std::size_t>(part.rows[static_cast<std::size_t>(most)]);
  return found;
}

std::vector<SingularSearch::Found> SingularSearch::from(const std::vector<double>& start) {
  std::vector<Found> found;
  for (std::size_t k = 0; possible_ && !spent() && k < rows_.parts.size(); ++k) {
    std::vector<double> y = start;
    if (rows_.parts[k].rank == 0 || !decompose(y)) continue;
    const double longest = kSingularSearchLongest * projector_.extent(true, y.data());
    for (int n = 0; n < kMostSteps && !spent() && rows_.parts[k].smallest() > 1e-3 * kSingularSearchSingular; ++n) {
      const std::optional<Eigen::VectorXd> slope = gradient(k, y);
      if (!slope || !(slope->norm() > 0)) break;
      Eigen::VectorXd w = Eigen::VectorXd::Zero(equations_.layout().n_speeds);
      w(rows_.parts[k].columns) =
          -rows_.parts[k].smallest() / slope->squaredNorm() * (rows_.parts[k].free_directions() * *slope);
      if (const double length = w.norm(); length > longest) w *= longest / length;
      bool taken = false;
      for (int halving = 0; halving < kMostHalvings && !taken; ++halving, w *= 0.5) taken = step(k, w, y);
      if (!taken) break;
    }
    found.push_back(at(k, y));
  }
  return found;
}

const SingularSearch::Found* SingularSearch::best(const std::vector<Found>& found) {
  const Found* best = nullptr;
  for (const Found& f : found) {
    const bool singular = f.smallest < kSingularSearchSingular;
    if (!best || (singular ? best->smallest >= kSingularSearchSingular || f.distance < best->distance
                           : f.smallest < best->smallest))
      best = &f;
  }
  return best;
}

}  // namespace mbc::runtime
