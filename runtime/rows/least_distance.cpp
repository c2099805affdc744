// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/least_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

constexpr double kInPlane = 1e-10;  // of a normal: what is left of it where the others span it
constexpr int kRounds = 20;         // of additions a plane, at most

class DualMethod {
 public:
  DualMethod(const Eigen::MatrixXd& B, const Eigen::VectorXd& d, const Eigen::VectorXd& tolerance)
      : planes_(B), d_(d), tolerance_(tolerance), w_(Eigen::VectorXd::Zero(B.cols())) {}

  LeastDistance solve() {
    const auto rounds = kRounds * static_cast<int>(planes_.rows() + 1);
    for (int k = 0; k < rounds; ++k) {
      const int violated = most_violated();
      if (violated < 0) return result(LeastDistance::Outcome::found, -1);
      if (!add(violated)) return result(LeastDistance::Outcome::impossible, violated);
      settle();
    }
    return result(LeastDistance::Outcome::gave_up, most_violated());
  }

 private:
  [[nodiscard]] Eigen::MatrixXd normals() const {
    Eigen::MatrixXd N(static_cast<Eigen::Index>(pressing_.size()), planes_.cols());
    for (std::size_t k = 0; k < pressing_.size(); ++k) N.row(static_cast<Eigen::Index>(k)) = planes_.row(pressing_[k]);
    return N;
  }

  // The most, in units of what is allowed.
  [[nodiscard]] int most_violated() const {
    int worst = -1;
    double most = 1;
    for (Eigen::Index i = 0; i < planes_.rows(); ++i) {
      const double violation = (d_[i] - planes_.row(i).dot(w_)) / tolerance_[i];
      if (!(violation > most) || std::find(pressing_.begin(), pressing_.end(), i) != pressing_.end()) continue;
      most = violation;
      worst = static_cast<int>(i);
    }
    return worst;
  }

  void drop(std::size_t k) {
    pressing_.erase(pressing_.begin() + static_cast<std::ptrdiff_t>(k));
    pressure_.erase(pressure_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  // The plane p joins those that press; others leave as their pressure vanishes. False where no point meets all.
  bool add(int p) {
    const Eigen::VectorXd normal = planes_.row(p);
    double pressure = 0;
    for (std::size_t tries = 0; tries <= static_cast<std::size_t>(planes_.rows()); ++tries) {
      Eigen::VectorXd share(static_cast<Eigen::Index>(pressing_.size()));
      Eigen::VectorXd along = normal;
      if (!pressing_.empty()) {
        const Eigen::MatrixXd N = normals();
        share = solve_transposed(N, normal);
        along -= N.transpose() * share;
      }
      double dual = std::numeric_limits<double>::infinity();
      std::size_t leaving = 0;
      for (std::size_t k = 0; k < pressing_.size(); ++k) {
        const double s = share[static_cast<Eigen::Index>(k)];
        if (s <= 0 || pressure_[k] / s >= dual) continue;
        dual = pressure_[k] / s;
        leaving = k;
      }
      const double size = along.squaredNorm();
      const bool moves = size > kInPlane * kInPlane * normal.squaredNorm();
      const double primal = moves ? (d_[p] - normal.dot(w_)) / size : std::numeric_limits<double>::infinity();
      const double step = std::min(dual, primal);
      if (!std::isfinite(step)) return false;
      for (std::size_t k = 0; k < pressing_.size(); ++k) pressure_[k] -= step * share[static_cast<Eigen::Index>(k)];
      pressure += step;
      if (moves) w_ += step * along;
      if (primal <= dual) {
        pressing_.push_back(p);
        pressure_.push_back(pressure);
        return true;
      }
      drop(leaving);
    }
    return false;
  }

  // The point on all planes that press, from the planes alone: what the steps have left of rounding goes.
  void settle() {
    const Eigen::MatrixXd N = normals();
    Eigen::VectorXd d(N.rows());
    for (Eigen::Index k = 0; k < d.size(); ++k) d[k] = d_[pressing_[static_cast<std::size_t>(k)]];
    w_ = minimum_norm_by_orthogonal(N, d, kInPlane).x;
    const Eigen::VectorXd p = solve_transposed(N, w_);
    for (Eigen::Index k = 0; k < d.size(); ++k) pressure_[static_cast<std::size_t>(k)] = std::max(0.0, p[k]);
  }

  LeastDistance result(LeastDistance::Outcome outcome, int worst) {
    LeastDistance out{outcome, w_, Eigen::VectorXd::Zero(planes_.rows()), pressing_, worst};
    for (std::size_t k = 0; k < pressing_.size(); ++k) out.pressure[pressing_[k]] = pressure_[k];
    std::sort(out.pressing.begin(), out.pressing.end());
    return out;
  }

  const Eigen::MatrixXd& planes_;
  const Eigen::VectorXd &d_, &tolerance_;
  Eigen::VectorXd w_;
  std::vector<int> pressing_;
  std::vector<double> pressure_;
};

}  // namespace

LeastDistance least_distance(const Eigen::MatrixXd& B, const Eigen::VectorXd& d, const Eigen::VectorXd& tolerance) {
  return DualMethod(B, d, tolerance).solve();
}

}  // namespace mbc::runtime
