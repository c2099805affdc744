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
constexpr int kRefinements = 4;     // of the point at the end, at most, and two at least
constexpr double kRefined = 1e-12;  // of the point: what the last of them changes

// N^T = Q R of planes that come and go, Q orthonormal, R upper triangular (J. W. Daniel, W. B. Gragg, L. Kaufman,
// G. W. Stewart, Mathematics of Computation 30 (1976) 772-795: Gram and Schmidt twice, rotations).
class Normals {
 public:
  explicit Normals(Eigen::Index n, Eigen::Index most) : Q_(n, std::min(n, most)), R_(Q_.cols(), Q_.cols()) {}

  // What is left of a normal where those of the planes span it, and what of each is taken away.
  void split(const Eigen::VectorXd& normal, Eigen::VectorXd& along, Eigen::VectorXd& share) {
    const auto Q = Q_.leftCols(count_);
    reach_ = Q.transpose() * normal;
    along = normal - Q * reach_;
    const Eigen::VectorXd again = Q.transpose() * along;
    along -= Q * again;
    reach_ += again;
    share = R_.topLeftCorner(count_, count_).triangularView<Eigen::Upper>().solve(reach_);
  }
  [[nodiscard]] bool has_room() const { return count_ < Q_.cols(); }
  // These columns, where they are independent and there are none so far.
  bool begin(const Eigen::MatrixXd& normals) {
    const Eigen::Index k = normals.cols();
    if (k == 0 || k > Q_.cols()) return false;
    const ThinQr made = thin_qr(normals);
    const auto left = made.R.diagonal().cwiseAbs().array();
    if (!(left > kInPlane * normals.colwise().norm().transpose().array()).all()) return false;
    Q_.leftCols(k) = made.Q;
    R_.topLeftCorner(k, k) = made.R;
    count_ = k;
    return true;
  }
  // The normal that was split last joins.
  void append(const Eigen::VectorXd& along) {
    R_.col(count_).head(count_) = reach_;
    const double size = along.norm();
    R_(count_, count_) = size;
    Q_.col(count_) = along / size;
    ++count_;
  }
  void drop(Eigen::Index k) {
    for (Eigen::Index j = k; j + 1 < count_; ++j) {
      R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
      const double size = std::hypot(R_(j, j), R_(j + 1, j)), c = R_(j, j) / size, s = R_(j + 1, j) / size;
      R_(j, j) = size;
      R_(j + 1, j) = 0;
      for (Eigen::Index i = j + 2; i < count_; ++i) turn(R_(j, i), R_(j + 1, i), c, s);
      for (Eigen::Index i = 0; i < Q_.rows(); ++i) turn(Q_(i, j), Q_(i, j + 1), c, s);
    }
    --count_;
  }
  // The point nearest to the origin on all planes N w = d, and its shares p, w = N^T p.
  void point(const Eigen::VectorXd& d, Eigen::VectorXd& w, Eigen::VectorXd& p) const {
    const auto R = R_.topLeftCorner(count_, count_);
    p = d;
    R.transpose().triangularView<Eigen::Lower>().solveInPlace(p);
    w = Q_.leftCols(count_) * p;
    R.triangularView<Eigen::Upper>().solveInPlace(p);
  }
  // The shares of a point in the span of the normals: N^T p = w in the sense of least squares.
  [[nodiscard]] Eigen::VectorXd shares(const Eigen::VectorXd& w) const {
    Eigen::VectorXd p = Q_.leftCols(count_).transpose() * w;
    R_.topLeftCorner(count_, count_).triangularView<Eigen::Upper>().solveInPlace(p);
    return p;
  }

 private:
  static void turn(double& x, double& y, double c, double s) {
    const double before = x;
    x = c * x + s * y;
    y = c * y - s * before;
  }
  Eigen::MatrixXd Q_, R_;
  Eigen::VectorXd reach_;
  Eigen::Index count_ = 0;
};

class DualMethod {
 public:
  DualMethod(const Eigen::MatrixXd& B, const Eigen::VectorXd& d, const Eigen::VectorXd& tolerance)
      : planes_(B),
        d_(d),
        tolerance_(tolerance),
        normals_(B.cols(), B.rows()),
        w_(Eigen::VectorXd::Zero(B.cols())),
        presses_(static_cast<std::size_t>(B.rows())) {}

  LeastDistance solve(const std::vector<int>& first) {
    begin_with(first);
    const auto rounds = kRounds * static_cast<int>(planes_.rows() + 1);
    for (int k = 0; k < rounds; ++k) {
      const int violated = most_violated();
      if (violated < 0) {
        settle_anew();
        if (most_violated() < 0) return result(LeastDistance::Outcome::found, -1);
        continue;
      }
      if (!add(violated)) {
        settle_anew();
        return result(LeastDistance::Outcome::impossible, violated);
      }
      settle();
    }
    return result(LeastDistance::Outcome::gave_up, most_violated());
  }

 private:
  // The point on those of the planes that press there: any such set is one to go on from.
  void begin_with(const std::vector<int>& first) {
    Eigen::VectorXd share, along;
    if (normals_.begin(planes_(first, Eigen::all).transpose())) {
      for (const int p : first) note(p, 0);
    } else {
      for (const int p : first) {
        const Eigen::VectorXd normal = planes_.row(p);
        if (!normals_.has_room()) break;
        normals_.split(normal, along, share);
        if (!(along.squaredNorm() > kInPlane * kInPlane * normal.squaredNorm())) continue;
        join(p, along, 0);
      }
    }
    for (bool pull = !pressing_.empty(); pull;) {
      Eigen::VectorXd p;
      normals_.point(wanted(), w_, p);
      press(p);
      pull = false;
      for (std::size_t k = pressing_.size(); k-- > 0;) {
        if (p[static_cast<Eigen::Index>(k)] >= 0) continue;
        drop(k);
        pull = true;
      }
    }
  }

  // The most, in units of what is allowed.
  [[nodiscard]] int most_violated() const {
    int worst = -1;
    double most = 1;
    const Eigen::VectorXd reached = planes_ * w_;
    for (Eigen::Index i = 0; i < planes_.rows(); ++i) {
      const double violation = (d_[i] - reached[i]) / tolerance_[i];
      if (!(violation > most) || presses_[static_cast<std::size_t>(i)] != 0) continue;
      most = violation;
      worst = static_cast<int>(i);
    }
    return worst;
  }

  void drop(std::size_t k) {
    presses_[static_cast<std::size_t>(pressing_[k])] = 0;
    normals_.drop(static_cast<Eigen::Index>(k));
    pressing_.erase(pressing_.begin() + static_cast<std::ptrdiff_t>(k));
    pressure_.erase(pressure_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  // The plane whose normal was split last.
  void join(int p, const Eigen::VectorXd& along, double pressure) {
    normals_.append(along);
    note(p, pressure);
  }

  void note(int p, double pressure) {
    presses_[static_cast<std::size_t>(p)] = 1;
    pressing_.push_back(p);
    pressure_.push_back(pressure);
  }

  // The plane p joins those that press; others leave as their pressure vanishes. False where no point meets all.
  bool add(int p) {
    const Eigen::VectorXd normal = planes_.row(p);
    double pressure = 0;
    Eigen::VectorXd share, along;
    for (std::size_t tries = 0; tries <= static_cast<std::size_t>(planes_.rows()); ++tries) {
      normals_.split(normal, along, share);
      double dual = std::numeric_limits<double>::infinity();
      std::size_t leaving = 0;
      for (std::size_t k = 0; k < pressing_.size(); ++k) {
        const double s = share[static_cast<Eigen::Index>(k)];
        if (s <= 0 || pressure_[k] / s >= dual) continue;
        dual = pressure_[k] / s;
        leaving = k;
      }
      const double size = along.squaredNorm();
      const bool moves = normals_.has_room() && size > kInPlane * kInPlane * normal.squaredNorm();
      const double primal = moves ? (d_[p] - normal.dot(w_)) / size : std::numeric_limits<double>::infinity();
      const double step = std::min(dual, primal);
      if (!std::isfinite(step)) return false;
      for (std::size_t k = 0; k < pressing_.size(); ++k) pressure_[k] -= step * share[static_cast<Eigen::Index>(k)];
      pressure += step;
      if (moves) w_ += step * along;
      if (primal <= dual) {
        join(p, along, pressure);
        return true;
      }
      drop(leaving);
    }
    return false;
  }

  [[nodiscard]] Eigen::VectorXd wanted() const {
    Eigen::VectorXd d(static_cast<Eigen::Index>(pressing_.size()));
    for (std::size_t k = 0; k < pressing_.size(); ++k) d[static_cast<Eigen::Index>(k)] = d_[pressing_[k]];
    return d;
  }

  // The point on all planes that press, from the planes alone: what the steps have left of rounding goes.
  void settle() {
    Eigen::VectorXd p;
    normals_.point(wanted(), w_, p);
    press(p);
  }

  // The same with nothing left of the planes that came and went.
  void settle_anew() {
    if (pressing_.empty()) return;
    const Eigen::MatrixXd N = planes_(pressing_, Eigen::all);
    const Eigen::VectorXd d = wanted();
    if (refine(N, d)) return;
    w_ = minimum_norm_by_orthogonal(N, d, kInPlane).x;
    press(solve_transposed(N, w_));
  }

  // By what the planes themselves say of the point, and of its shares. False: it does not come to an end.
  bool refine(const Eigen::MatrixXd& N, const Eigen::VectorXd& d) {
    Eigen::VectorXd p, step, shares;
    normals_.point(d, w_, p);
    for (int k = 0; k < kRefinements; ++k) {
      normals_.point(d - N * w_, step, shares);
      w_ += step;
      p += normals_.shares(w_ - N.transpose() * p);
      if (k == 0 || !(step.norm() <= kRefined * w_.norm())) continue;
      if (!((w_ - N.transpose() * p).norm() <= kInPlane * w_.norm())) return false;
      press(p);
      return true;
    }
    return false;
  }

  void press(const Eigen::VectorXd& p) {
    for (std::size_t k = 0; k < pressing_.size(); ++k) pressure_[k] = std::max(0.0, p[static_cast<Eigen::Index>(k)]);
  }

  LeastDistance result(LeastDistance::Outcome outcome, int worst) {
    LeastDistance out{outcome, w_, Eigen::VectorXd::Zero(planes_.rows()), pressing_, worst};
    for (std::size_t k = 0; k < pressing_.size(); ++k) out.pressure[pressing_[k]] = pressure_[k];
    std::sort(out.pressing.begin(), out.pressing.end());
    return out;
  }

  const Eigen::MatrixXd& planes_;
  const Eigen::VectorXd &d_, &tolerance_;
  Normals normals_;
  Eigen::VectorXd w_;
  std::vector<char> presses_;  // by plane
  std::vector<int> pressing_;
  std::vector<double> pressure_;
};

}  // namespace

LeastDistance least_distance(const Eigen::MatrixXd& B, const Eigen::VectorXd& d, const Eigen::VectorXd& tolerance,
                             const std::vector<int>& first) {
  return DualMethod(B, d, tolerance).solve(first);
}

}  // namespace mbc::runtime
