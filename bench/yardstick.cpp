// SPDX-License-Identifier: Apache-2.0
#include "bench/yardstick.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <type_traits>
#include <vector>

namespace mbc::bench {
namespace {

using Size = std::size_t;

// This is the example of Itiki and Jose Neto (2004), section 3, with unit masses: u' = a + A^T (A A^T)^-1 (b - A a).
class TwoParticles final : public Yardstick {
 public:
  void rhs(double t, const double* y, double* dy) override {
    for (int i = 0; i < 6; ++i) dy[i] = y[6 + i];
    on_meridian(t, y, y + 6, dy + 6);
    on_knives(y + 3, y + 9, dy + 9);
  }

 private:
  // The rows are p.u' = -v.v and (s, -c, 0).u' = -2w (c vx + s vy) + w^2 (s x - c y), with w = 2 pi, s = sin wt and c =
  // cos wt.
  static void on_meridian(double t, const double* p, const double* v, double* a) {
    constexpr double kTurn = 2 * std::numbers::pi;
    const double s = std::sin(kTurn * t), c = std::cos(kTurn * t);
    const double pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    const double pm = s * p[0] - c * p[1];
    const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double r1 = 9.81 * pp - vv;
    const double r2 = 9.81 * pm + kTurn * (kTurn * pm - 2 * (c * v[0] + s * v[1]));
    const double inverse = 1 / (pp - pm * pm);
    const double l1 = (r1 - pm * r2) * inverse, l2 = (pp * r2 - pm * r1) * inverse;
    a[0] = (l1 - 9.81) * p[0] + l2 * s;
    a[1] = (l1 - 9.81) * p[1] - l2 * c;
    a[2] = (l1 - 9.81) * p[2];
  }

  // The rows are z ax - ay = -vz vx and z^2 ax - ay = -2 z vz vx. They coincide at z = 0 and z = 1.
  static void on_knives(const double* p, const double* v, double* a) {
    const double z = p[2], slip = v[2] * v[0], determinant = z * (z - 1);
    a[2] = 0;
    if (std::fabs(determinant) > 1e-9) {
      a[0] = slip * (1 - 2 * z) / determinant;
      a[1] = z * a[0] + slip;
    } else {
      a[1] = slip / (z * z + 1);
      a[0] = -z * a[1];
    }
  }
};

class Pendulum final : public Yardstick {
 public:
  void rhs(double, const double* y, double* dy) override {
    const double x = y[0], z = y[1], vx = y[2], vz = y[3];
    const double ax = -drag_ * vx, az = -drag_ * vz - kGravity;
    const double l = -(vx * vx + vz * vz + x * ax + z * az) / (x * x + z * z);
    dy[0] = vx;
    dy[1] = vz;
    dy[2] = ax + l * x;
    dy[3] = az + l * z;
  }

 private:
  double drag_ = kPendulumDrag / kPendulumMass;
};

// This is a chain of unit masses. With d_i = p_i - p_(i-1) and w_i likewise for velocities, the rows d_i.(u'_i -
// u'_(i-1)) = -w_i.w_i give a tridiagonal A A^T with 2 d_i.d_i (d_1.d_1 in the first row) and -d_i.d_(i-1). Loops that
// can be vectorised are separate from the elimination, which is a chain of divisions. kFixed = 0 means that the size is
// known only at run time.
template <Size kFixed>
class Chain final : public Yardstick {
 public:
  explicit Chain(Size count) : count_(count) {
    if constexpr (kFixed == 0) work_.resize(count);
  }

  void rhs(double, const double* y, double* dy) override {
    if constexpr (kFixed == 0) {
      evaluate(count_, y, dy, work_);
    } else {
      Work local;  // The compiler keeps these values in registers.
      evaluate(kFixed, y, dy, local);
    }
  }

 private:
  template <Size kSize>
  using Numbers = std::conditional_t<kFixed == 0, std::vector<double>, std::array<double, kSize>>;

  struct Work {
    Numbers<3 * kFixed> d, w;
    Numbers<kFixed> inverse, coupling,
        // These are the inverse pivots, the coupling of row i to row i - 1, and the right-hand side, which becomes the
        // solution.
        tension;

    void resize(Size n) {
      for (auto* flat : {&d, &w}) flat->resize(3 * n);
      for (auto* row : {&inverse, &coupling, &tension}) row->resize(n);
    }
  };

  static void evaluate(Size n, const double* y, double* dy, Work& work) {
    for (Size k = 0; k < 3 * n; ++k) dy[k] = y[3 * n + k];
    fill(n, y, y + 3 * n, work);
    eliminate(n, work);
    accelerate(n, work, dy + 3 * n);
  }

  static void fill(Size n, const double* q, const double* v, Work& r) {
    for (Size k = 0; k < 3 * n; ++k) {
      r.d[k] = k < 3 ? q[k] : q[k] - q[k - 3];
      r.w[k] = k < 3 ? v[k] : v[k] - v[k - 3];
    }
    for (Size i = 0; i < n; ++i) {
      const double* d = r.d.data() + 3 * i;
      const double* w = r.w.data() + 3 * i;
      r.inverse[i] = (i == 0 ? 1 : 2) * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      r.tension[i] = -(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
      r.coupling[i] = i == 0 ? 0.0 : -(d[0] * d[-3] + d[1] * d[-2] + d[2] * d[-1]);
    }
    r.tension[0] += kGravity * r.d[2];
  }

  static void eliminate(Size n, Work& r) {
    r.inverse[0] = 1 / r.inverse[0];
    for (Size i = 1; i < n; ++i) {
      const double square = r.coupling[i] * r.coupling[i];
      r.tension[i] -= r.coupling[i] * r.inverse[i - 1] * r.tension[i - 1];
      r.inverse[i] = 1 / (r.inverse[i] - square * r.inverse[i - 1]);
    }
    r.tension[n - 1] *= r.inverse[n - 1];
    for (Size i = n - 1; i-- > 0;)
      r.tension[i] = r.inverse[i] * r.tension[i] - (r.inverse[i] * r.coupling[i + 1]) * r.tension[i + 1];
  }

  static void accelerate(Size n, const Work& r, double* a) {
    for (Size i = 0; i < n; ++i)
      for (Size k = 0; k < 3; ++k) {
        const double next = i + 1 < n ? r.d[3 * i + 3 + k] * r.tension[i + 1] : 0.0;
        a[3 * i + k] = r.d[3 * i + k] * r.tension[i] - next - (k == 2 ? kGravity : 0.0);
      }
  }

  Size count_;
  Work work_;
};

// This is the same chain with full matrices, which are filled, multiplied and factorised by vectorised updates along
// columns.
class DenseChain final : public Yardstick {
 public:
  explicit DenseChain(Size count)
      : n_(count), columns_(3 * count * count), s_(count * count), right_(count), free_(3 * count, 0.0) {
    for (Size i = 0; i < n_; ++i) free_[3 * i + 2] = -kGravity;
  }

  void rhs(double, const double* y, double* dy) override {
    for (Size i = 0; i < 3 * n_; ++i) dy[i] = y[3 * n_ + i];
    fill(y, y + 3 * n_);
    multiply();
    factorise();
    solve();
    for (Size c = 0; c < 3 * n_; ++c) {
      double sum = free_[c];
      for (Size i = 0; i < n_; ++i) sum += columns_[c * n_ + i] * right_[i];
      dy[3 * n_ + c] = sum;
    }
  }

 private:
  void fill(const double* q, const double* v) {
    for (Size i = 0; i < n_; ++i) {
      right_[i] = 0;
      for (Size k = 0; k < 3; ++k) {
        const double d = q[3 * i + k] - (i > 0 ? q[3 * i - 3 + k] : 0.0);
        const double w = v[3 * i + k] - (i > 0 ? v[3 * i - 3 + k] : 0.0);
        columns_[(3 * i + k) * n_ + i] = d;
        if (i > 0) columns_[(3 * i - 3 + k) * n_ + i] = -d;
        right_[i] -= w * w;
      }
    }
  }

  // Computes S = A A^T (lower triangle, by columns) and right = b - A a.
  void multiply() {
    std::fill(s_.begin(), s_.end(), 0.0);
    for (Size c = 0; c < 3 * n_; ++c) {
      const double* column = columns_.data() + c * n_;
      for (Size i = 0; i < n_; ++i) right_[i] -= column[i] * free_[c];
      for (Size j = 0; j < n_; ++j) subtract(column, j, -column[j], s_.data() + j * n_);
    }
  }

  // Computes target(from..) -= factor * source(from..).
  void subtract(const double* source, Size from, double factor, double* target) const {
    for (Size i = from; i < n_; ++i) target[i] -= factor * source[i];
  }

  // Factorises S = L D L^T in place.
  void factorise() {
    for (Size j = 0; j < n_; ++j) {
      double* column = s_.data() + j * n_;
      const double inverse = 1 / column[j];
      for (Size k = j + 1; k < n_; ++k) subtract(column, k, column[k] * inverse, s_.data() + k * n_);
      for (Size i = j + 1; i < n_; ++i) column[i] *= inverse;
    }
  }

  void solve() {
    for (Size j = 0; j < n_; ++j) subtract(s_.data() + j * n_, j + 1, right_[j], right_.data());
    for (Size j = n_; j-- > 0;) {
      double sum = right_[j] / s_[j * n_ + j];
      for (Size i = j + 1; i < n_; ++i) sum -= s_[j * n_ + i] * right_[i];
      right_[j] = sum;
    }
  }

  Size n_;
  std::vector<double> columns_, s_, right_, free_;
};

}  // namespace

std::unique_ptr<Yardstick> hand_written(const BenchModel& model) {
  switch (model.shape) {
    case Shape::two_particles:
      return std::make_unique<TwoParticles>();
    case Shape::pendulum:
      return std::make_unique<Pendulum>();
    case Shape::chain:
    case Shape::redundant_chain:
      break;
  }
  const auto count = static_cast<Size>(model.count);
  if (count == 1) return std::make_unique<Chain<1>>(count);
  if (count == 3) return std::make_unique<Chain<3>>(count);
  if (count == 10) return std::make_unique<Chain<10>>(count);
  return std::make_unique<Chain<0>>(count);
}

std::unique_ptr<Yardstick> hand_written_dense(const BenchModel& model) {
  if (model.shape != Shape::chain) return nullptr;
  return std::make_unique<DenseChain>(static_cast<Size>(model.count));
}

}  // namespace mbc::bench
