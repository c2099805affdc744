// SPDX-License-Identifier: Apache-2.0
// Examines rows and inertia at given and at random states.
#include "runtime/constraints/doctor.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/epsilon.h"
#include "base/split_mix64.h"
#include "runtime/constraints/reactions.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

// Left-handed orthonormal axes of a body also satisfy its rows, but no motion leads to them.
bool mirrored(const problem::Body& b, const std::vector<double>& y) {
  if (b.representation != settings::Representation::natural) return false;
  const Eigen::Map<const Eigen::Matrix3d> axes(y.data() + b.first_coordinate);
  return axes.col(0).cross(axes.col(1)).dot(axes.col(2)) < 0;
}

}  // namespace

Doctor::Doctor(Equations& equations, const problem::Problem& info, double rank_tolerance)
    : equations_(equations), info_(info), projector_(equations, info) {
  options_.tolerance = rank_tolerance;
}

RankInput Doctor::rows_input(double t, const std::vector<double>& y) {
  Assembled s;
  equations_.assemble(t, y.data(), s, true);
  const MassScaling scaling = s.scaling.valid() ? s.scaling : MassScaling::identity(static_cast<int>(s.M.rows()));
  RankInput input;
  input.G = scaling.scale_rows(s.A);
  input.row_noise = kEpsilon * scaling.scale_rows(s.A_error).rowwise().norm();
  return input;
}

RankReport Doctor::rows_at(double t, const std::vector<double>& y) { return certify(rows_input(t, y), options_); }

RankReport Doctor::rows_at_level(double t, const std::vector<double>& y, problem::Level level) {
  const RankInput all = rows_input(t, y);
  std::vector<int> rows;
  for (std::size_t k = 0; k < info_.rows.size(); ++k)
    if (info_.rows[k].level <= level) rows.push_back(static_cast<int>(k));
  if (rows.empty()) return spread({}, rows, static_cast<int>(info_.rows.size()));
  return spread(certify({all.G(rows, Eigen::all), all.row_noise(rows), {}, {}, {}, {}}, options_), rows,
                static_cast<int>(info_.rows.size()));
}

std::vector<std::uint32_t> Doctor::touching(double t, std::vector<double> y) {
  if (info_.events.unilaterals.empty() || equations_.beyond_dense()) return {};
  std::vector<double> dy(y.size());
  equations_.outputs(t, y.data(), dy.data());
  projector_.measure(t, y.data());
  return sides_together(equations_, info_, projector_.extent(true, y.data()));
}

std::vector<std::uint32_t> Doctor::without_inertia(double t, const std::vector<double>& y) {
  Assembled s;
  equations_.assemble(t, y.data(), s, false);
  std::vector<std::uint32_t> found;
  if (s.scaling.valid() || !s.M.allFinite()) return found;
  const Eigen::Index n = s.M.rows();
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double pivot = s.M(j, j) - L.row(j).head(j).squaredNorm();
    if (!(pivot > kMassPivot * std::fabs(s.M(j, j)))) {
      found.push_back(static_cast<std::uint32_t>(j));
      continue;  // The column stays zero, so that the others are examined without it.
    }
    L(j, j) = std::sqrt(pivot);
    for (Eigen::Index i = j + 1; i < n; ++i) L(i, j) = (s.M(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / L(j, j);
  }
  return found;
}

std::vector<std::uint32_t> Doctor::undetermined(double t, const std::vector<double>& y) {
  Assembled s;
  equations_.assemble(t, y.data(), s, false);
  std::vector<std::uint32_t> found;
  // The inertia alone determines everything.
  if (s.scaling.valid() || !s.M.allFinite() || !s.A.allFinite()) return found;
  Eigen::MatrixXd all(s.M.rows() + s.A.rows(), s.M.cols());
  all << s.M, s.A;
  for (Eigen::Index k = 0; k < all.rows(); ++k)
    if (const double norm = all.row(k).norm(); norm > 0) all.row(k) /= norm;
  const RightSingular svd = full_right_singular(all);
  Eigen::VectorXd part = Eigen::VectorXd::Zero(all.cols());
  for (Eigen::Index k = 0; k < all.cols(); ++k)
    if (k >= svd.values.size() || svd.values[k] < kRankTolerance) part = part.cwiseMax(svd.V.col(k).cwiseAbs());
  for (Eigen::Index j = 0; j < part.size(); ++j)
    if (part[j] > kDirectionPart) found.push_back(static_cast<std::uint32_t>(j));
  return found;
}

bool Doctor::random_state(double t, const std::vector<double>& y, double size, std::uint64_t seed,
                          std::vector<double>& out, double on) {
  const kernel::SystemLayout& l = equations_.layout();
  SplitMix64 noise(seed);
  projector_.measure(t, y.data());
  const auto scale_of = [&](const problem::Quantities& quantities, std::uint32_t at, std::uint32_t i) {
    double scale = 0;
    for (std::uint32_t k = 0; k < quantities.size(); ++k)
      if (quantities.unit(k) == quantities.unit(i)) scale = std::max(scale, std::fabs(y[at + k]));
    return scale > 0 ? scale : 1;
  };
  std::vector<double> w(l.n_speeds);
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
    const std::uint32_t i = info_.coordinate_of_speed[j];
    w[j] = size * (i == problem::Problem::kNoCoordinate ? 1 : scale_of(info_.coordinates, 0, i)) * noise.next();
  }
  out = y;
  projector_.displace(true, t, out.data(), w.data());
  for (std::uint32_t j = 0; j < l.n_speeds; ++j)
    out[l.speeds_at() + j] += size * scale_of(info_.speeds, l.speeds_at(), j) * noise.next();
  if (l.n_rows == 0) return true;
  std::fill(equations_.mask.begin(), equations_.mask.end(), 1.0);
  projector_.project(t, out.data(), 1e-14, true);
  for (const bool position : {true, false})
    if (!(projector_.worst(position, t, out.data()) <= on)) return false;
  return std::none_of(info_.bodies.begin(), info_.bodies.end(),
                      [&](const problem::Body& b) { return mirrored(b, out); });
}

bool Doctor::sample(double t, const std::vector<double>& y, std::uint64_t seed, std::uint64_t k,
                    std::vector<double>& out, double on) {
  constexpr double kSizes[] = {0.05, 0.2, 0.5, 1};
  for (double size = kSizes[k % 4]; size > kLeastDisplacement; size /= 4)
    if (random_state(t, y, size, seed * 1000003u + k, out, on)) return true;
  return false;
}

std::vector<int> Doctor::conflicting(double t, const std::vector<double>& y) {
  std::vector<double> copy = y;
  std::fill(equations_.mask.begin(), equations_.mask.end(), 1.0);
  const CorrectionReport made = projector_.project(t, copy.data(), 1e-13, true);
  for (const ProjectionReport& level : made.details)
    if (level.status == ProjectionStatus::inconsistent && !level.conflicting.empty()) return level.conflicting;
  return {};
}

}  // namespace mbc::runtime
