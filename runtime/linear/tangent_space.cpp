// SPDX-License-Identifier: Apache-2.0
#include "runtime/linear/tangent_space.h"

#include <cmath>

namespace mbc::runtime {

namespace {

// Gauss-Jordan elimination of the rows of both levels, those of position level first.
class TangentElimination {
 public:
  explicit TangentElimination(const ManifoldRows& r)
      : n_(r.n_speeds),
        positions_(r.position.rows()),
        rows_(positions_ + r.velocity.rows(), r.displacements() + 1),
        scale_(Eigen::VectorXd::Ones(r.displacements())),
        pivot_of_(static_cast<std::size_t>(rows_.rows()), -1),
        dependent_(static_cast<std::size_t>(r.displacements()), false) {
    rows_ << r.position, r.velocity;
    scale_.head(n_) = scale_.segment(n_, n_) = r.column_scale;
    for (Eigen::Index k = 0; k < rows_.rows(); ++k) {
      const double norm = (rows_.row(k).head(scale_.size()).transpose().cwiseProduct(scale_)).norm();
      if (norm > 0) rows_.row(k) /= norm;
    }
  }

  TangentSpace run(Eigen::Index positions_in_velocity) {
    const Eigen::Index all = rows_.rows(), both = positions_ + positions_in_velocity;
    const auto is_place = [this](Eigen::Index c) { return c < n_; };
    const auto is_speed = [this](Eigen::Index c) { return c >= n_ && c < 2 * n_; };
    const auto is_rate_of_dependent = [&](Eigen::Index c) {
      return is_speed(c) && dependent_[static_cast<std::size_t>(c - n_)];
    };
    for (Eigen::Index k = 0; k < positions_; ++k) pivot(0, positions_, is_place);
    for (Eigen::Index k = positions_; k < both; ++k) pivot(positions_, both, is_rate_of_dependent);
    for (Eigen::Index k = both; k < all; ++k) pivot(positions_, all, is_speed);
    return result();
  }

 private:
  // Eliminates the largest entry among the open rows and the free columns of a range. It does nothing if all are zero.
  template <class Allowed>
  void pivot(Eigen::Index begin, Eigen::Index end, const Allowed& allowed) {
    double largest = 0;
    Eigen::Index row = -1, column = -1;
    for (Eigen::Index r = begin; r < end; ++r) {
      if (pivot_of_[static_cast<std::size_t>(r)] >= 0) continue;
      for (Eigen::Index c = 0; c < scale_.size(); ++c) {
        if (dependent_[static_cast<std::size_t>(c)] || !allowed(c)) continue;
        const double size = std::fabs(rows_(r, c)) * scale_[c];
        if (size <= largest) continue;
        largest = size;
        row = r;
        column = c;
      }
    }
    if (row < 0) return;
    rows_.row(row) /= double{rows_(row, column)};
    for (Eigen::Index r = 0; r < rows_.rows(); ++r)
      if (r != row && rows_(r, column) != 0) rows_.row(r) -= double{rows_(r, column)} * rows_.row(row);
    pivot_of_[static_cast<std::size_t>(row)] = column;
    dependent_[static_cast<std::size_t>(column)] = true;
  }

  [[nodiscard]] TangentSpace result() const {
    TangentSpace out;
    const Eigen::Index n = scale_.size();
    for (Eigen::Index c = 0; c < n; ++c) {
      if (dependent_[static_cast<std::size_t>(c)]) continue;
      out.independent.push_back(static_cast<std::uint32_t>(c));
      out.n_positions += c < n_ ? 1 : 0;
      out.n_speeds += c >= n_ && c < 2 * n_ ? 1 : 0;
    }
    out.basis = Eigen::MatrixXd::Zero(n, out.size());
    out.by_time = Eigen::VectorXd::Zero(n);
    for (Eigen::Index k = 0; k < out.size(); ++k) out.basis(out.independent[static_cast<std::size_t>(k)], k) = 1;
    for (Eigen::Index r = 0; r < rows_.rows(); ++r) {
      const Eigen::Index c = pivot_of_[static_cast<std::size_t>(r)];
      if (c < 0) continue;
      for (Eigen::Index k = 0; k < out.size(); ++k)
        out.basis(c, k) = -rows_(r, out.independent[static_cast<std::size_t>(k)]);
      out.by_time[c] = -rows_(r, n);
    }
    return out;
  }

  Eigen::Index n_, positions_;
  Eigen::MatrixXd rows_;
  Eigen::VectorXd scale_;
  std::vector<Eigen::Index> pivot_of_;  // by row: its column, or -1
  std::vector<bool> dependent_;
};

}  // namespace

TangentSpace tangent_space(const ManifoldRows& rows) {
  return TangentElimination(rows).run(rows.positions_in_velocity);
}

}  // namespace mbc::runtime
